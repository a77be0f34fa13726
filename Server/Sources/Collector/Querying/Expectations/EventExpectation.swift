// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a test expects to arrive: which events, how many, and within what time.
public struct EventExpectation: Sendable, Hashable {
    /// From where on events count.
    public enum Since: Sendable, Hashable {
        /// All that is kept.
        case beginning
        /// What is committed from now on.
        case now
        /// What lies at this place or behind it.
        case position(EventPosition)
    }

    /// Which events, of one of at least one name.
    public var filter: QuestionFilter
    /// The filter's conditions as they were written, in their order.
    public var conditions: [String]
    /// The fewest.
    public var atLeast: Int
    /// The most; nil for any number. With it all of the time has to pass.
    public var atMost: Int?
    /// How long to wait.
    public var within: Duration
    /// From where on events count.
    public var since: Since

    /// The longest time there is to wait.
    public static let longest = Duration.seconds(300)
    /// The most events that one expectation looks at.
    public static let maxEvents = 100_000

    private static let known: Set<String> = [
        "name", "where", "user", "installation", "run", "count", "at_least", "at_most", "never", "within", "since",
    ]
}

extension EventExpectation {
    /// Reads an expectation from the parameters of an address. `name` and `where` may be given several times; of any other the
    /// last counts. What is empty counts as absent, but for `never`.
    ///
    /// - Throws: ``QuestionError`` with the parameter, its value, and what helps.
    public init(parameters: [(name: String, value: String)]) throws(QuestionError) {
        if let other = parameters.first(where: { !Self.known.contains($0.name) })?.name {
            throw QuestionError(
                String(other.prefix(64)),
                "“\(other.prefix(64))” is no part of an expectation; it takes \(Self.known.sorted().joined(separator: ", "))."
            )
        }
        filter = try QuestionParameters(parameters).filter(names: "name", conditions: ["where"])
        guard !filter.names.isEmpty else { throw QuestionError("name", "Say which event is expected: name=purchase.") }
        let given = parameters.filter { !$0.value.isEmpty }
        func text(_ name: String) -> String? { given.last { $0.name == name }?.value }
        conditions = given.filter { $0.name == "where" }.map(\.value) + (text("run").map { ["run=" + $0] } ?? [])
        (atLeast, atMost) = try Self.bounds(
            count: try Self.number("count", text("count")),
            atLeast: try Self.number("at_least", text("at_least")),
            atMost: try Self.number("at_most", text("at_most")),
            never: try Self.flag("never", parameters.last { $0.name == "never" }?.value)
        )
        within = try Self.duration("within", text("within")) ?? .seconds(5)
        switch text("since") {
        case nil: since = .beginning
        case "now"?: since = .now
        case let text?:
            guard let position = EventPosition(text) else {
                throw QuestionError("since", "“\(text.prefix(64))” is neither “now” nor a position such as 3.88213.")
            }
            since = .position(position)
        }
    }

    private static func bounds(
        count: Int?,
        atLeast: Int?,
        atMost: Int?,
        never: Bool
    ) throws(QuestionError) -> (Int, Int?) {
        let ways = [count != nil, atLeast != nil || atMost != nil, never].filter(\.self).count
        guard ways <= 1 else {
            throw QuestionError(
                never ? "never" : "count",
                "Say how many in one way: count, at_least with or without at_most, or never."
            )
        }
        if never { return (0, 0) }
        if let count { return (count, count) }
        let least = atLeast ?? (atMost == nil ? 1 : 0)
        if let atMost, atMost < least {
            throw QuestionError("at_most", "\(atMost) is less than the \(least) that are expected at least.")
        }
        guard least > 0 || atMost != nil else {
            throw QuestionError("at_least", "0 or more hold of anything: write 1, or name at_most as well.")
        }
        return (least, atMost)
    }

    private static func number(_ name: String, _ text: String?) throws(QuestionError) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), (0...maxEvents).contains(number) else {
            throw QuestionError(name, "“\(text.prefix(64))” is not a whole number from 0 to \(maxEvents).")
        }
        return number
    }

    private static func flag(_ name: String, _ text: String?) throws(QuestionError) -> Bool {
        switch text {
        case nil, "0"?, "false"?: return false
        case ""?, "1"?, "true"?: return true
        case let text?: throw QuestionError(name, "“\(text.prefix(64))” is neither true nor false.")
        }
    }

    private static func duration(_ name: String, _ text: String?) throws(QuestionError) -> Duration? {
        guard let text else { return nil }
        let units: [(suffix: String, milliseconds: Int64)] = [("ms", 1), ("s", 1_000), ("m", 60_000)]
        for unit in units where text.hasSuffix(unit.suffix) {
            // Digits alone: a sign, or a second unit, is no number here.
            let digits = text.dropLast(unit.suffix.count)
            guard (1...9).contains(digits.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
                let number = Int64(digits)
            else { break }
            let length = Duration.milliseconds(number * unit.milliseconds)
            guard length <= longest else {
                throw QuestionError(name, "\(text) is longer than 5m: expect again, from a position on.")
            }
            return length
        }
        throw QuestionError(name, "“\(text.prefix(64))” is not a time such as 500ms, 5s or 2m.")
    }
}
