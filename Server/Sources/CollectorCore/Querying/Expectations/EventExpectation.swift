// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A test's expectation: which events arrive, how many, and when.
public struct EventExpectation: Sendable, Hashable {
    /// The position from which events count.
    public enum Since: Sendable, Hashable {
        /// From the earliest stored event.
        case beginning
        /// From now on: only events committed later.
        case now
        /// From this position, inclusive.
        case position(EventPosition)
    }

    /// The filter for events, with at least one name.
    public var filter: QueryFilter
    /// The filter's conditions as written, in order.
    public var conditions: [String]
    /// The minimum number of events.
    public var atLeast: Int
    /// The maximum number of events; nil for no maximum.
    ///
    /// With a maximum, the expectation cannot hold before the full time has elapsed.
    public var atMost: Int?
    /// The time to wait for events.
    public var within: Duration
    /// The position from which events count.
    public var since: Since

    /// The maximum value of ``within``.
    public static let longest = Duration.seconds(300)
    /// The maximum number of events that one expectation reads.
    public static let maxEvents = 100_000

    private static let known: Set<String> = [
        "name", "where", "user", "installation", "run", "count", "at_least", "at_most", "never", "within", "since",
    ]
}

extension EventExpectation {
    /// Parses an expectation from URL parameters.
    ///
    /// `name` and `where` may occur several times; for any other parameter, the last value counts. An empty value
    /// counts as absent, except for `never`.
    ///
    /// - Throws: ``InvalidQueryError`` with the parameter, its value, and a hint.
    public init(parameters: [(name: String, value: String)]) throws(InvalidQueryError) {
        if let other = parameters.first(where: { !Self.known.contains($0.name) })?.name {
            throw InvalidQueryError(
                String(other.prefix(64)),
                """
                “\(other.prefix(64))” is not a parameter of an expectation; use \
                \(Self.known.sorted().joined(separator: ", ")).
                """
            )
        }
        filter = try QueryParameterReader(parameters).filter(names: "name", conditions: ["where"])
        guard !filter.readsPeople else {
            throw InvalidQueryError(
                "where",
                "An expectation checks events as they arrive, and cannot read “person.…” or “cohort”: use conditions on "
                    + "attributes and the context."
            )
        }
        guard !filter.names.isEmpty else {
            throw InvalidQueryError("name", "Specify the expected event: name=purchase.")
        }
        let given = parameters.filter { !$0.value.isEmpty }
        let reader = QueryParameterReader(parameters)
        conditions = given.filter { $0.name == "where" }.map(\.value)
        if let run = try reader.text("run") { conditions.append("run=" + run) }
        (atLeast, atMost) = try Self.bounds(
            count: try Self.number("count", try reader.text("count")),
            atLeast: try Self.number("at_least", try reader.text("at_least")),
            atMost: try Self.number("at_most", try reader.text("at_most")),
            never: try Self.flag("never", try Self.flagText(parameters))
        )
        within = try Self.duration("within", try reader.text("within")) ?? .seconds(5)
        switch try reader.text("since") {
        case nil: since = .beginning
        case "now"?: since = .now
        case let text?:
            guard let position = EventPosition(text) else {
                throw InvalidQueryError(
                    "since",
                    "“\(text.prefix(64))” is neither “now” nor a position such as 3.88213."
                )
            }
            since = .position(position)
        }
    }

    /// Returns the value of `never`, which may be empty; nil when absent.
    private static func flagText(_ parameters: [(name: String, value: String)]) throws(InvalidQueryError) -> String? {
        let all = parameters.filter { $0.name == "never" }
        guard all.count <= 1 else {
            throw InvalidQueryError("never", "“never” occurs \(all.count) times; this query takes it once.")
        }
        return all.first?.value
    }

    private static func bounds(
        count: Int?,
        atLeast: Int?,
        atMost: Int?,
        never: Bool
    ) throws(InvalidQueryError) -> (Int, Int?) {
        let ways = [count != nil, atLeast != nil || atMost != nil, never].filter(\.self).count
        guard ways <= 1 else {
            throw InvalidQueryError(
                never ? "never" : "count",
                "Specify the number in one way: count, at_least and at_most (or one of them), or never."
            )
        }
        if never { return (0, 0) }
        if let count { return (count, count) }
        let least = atLeast ?? (atMost == nil ? 1 : 0)
        if let atMost, atMost < least {
            throw InvalidQueryError("at_most", "\(atMost) is less than at_least, which is \(least).")
        }
        guard least > 0 || atMost != nil else {
            throw InvalidQueryError("at_least", "A minimum of 0 is always met: use 1 or more, or set at_most too.")
        }
        return (least, atMost)
    }

    private static func number(_ name: String, _ text: String?) throws(InvalidQueryError) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), (0...maxEvents).contains(number) else {
            throw InvalidQueryError(name, "“\(text.prefix(64))” is not a whole number from 0 to \(maxEvents).")
        }
        return number
    }

    private static func flag(_ name: String, _ text: String?) throws(InvalidQueryError) -> Bool {
        switch text {
        case nil, "0"?, "false"?: return false
        case ""?, "1"?, "true"?: return true
        case let text?: throw InvalidQueryError(name, "“\(text.prefix(64))” is neither true nor false.")
        }
    }

    private static func duration(_ name: String, _ text: String?) throws(InvalidQueryError) -> Duration? {
        guard let text else { return nil }
        let units: [(suffix: String, milliseconds: Int64)] = [("ms", 1), ("s", 1_000), ("m", 60_000)]
        for unit in units where text.hasSuffix(unit.suffix) {
            // Accepts digits only: neither a sign nor a second unit.
            let digits = text.dropLast(unit.suffix.count)
            guard (1...9).contains(digits.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
                let number = Int64(digits)
            else { break }
            let length = Duration.milliseconds(number * unit.milliseconds)
            guard length <= longest else {
                throw InvalidQueryError(name, "\(text) is longer than 5m: repeat the request with since=POSITION.")
            }
            return length
        }
        throw InvalidQueryError(name, "“\(text.prefix(64))” is not a time such as 500ms, 5s or 2m.")
    }
}
