// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Decides whether an expectation holds, from events in order of arrival.
///
/// Keeps the first matches, the closest misses, and counts of other names: a few of each, regardless of the number of
/// events.
public struct ExpectationTally: Sendable {
    /// The parts of an event that an expectation needs.
    public struct Event: Sendable {
        /// Its position in the intake log.
        public var position: EventPosition
        /// Its id.
        public var id: EventID
        /// The signed-in user.
        public var user: String?
        /// The installation that recorded it.
        public var installation: InstallationID?
        /// The values of the conditions' fields, in the order of the conditions.
        public var values: [QueryValue?]

        /// Creates an event.
        public init(
            position: EventPosition,
            id: EventID,
            user: String?,
            installation: InstallationID?,
            values: [QueryValue?]
        ) {
            self.position = position
            self.id = id
            self.user = user
            self.installation = installation
            self.values = values
        }
    }

    /// An event with an expected name that does not match.
    public struct Miss: Sendable, Hashable {
        /// One condition that does not hold.
        public struct Reason: Sendable, Hashable {
            /// The condition as written.
            public var condition: String
            /// The actual value; nil for none.
            public var actual: QueryValue?

            /// Creates a reason.
            public init(condition: String, actual: QueryValue?) {
                self.condition = condition
                self.actual = actual
            }
        }

        /// The event.
        public var id: EventID
        /// The conditions that do not hold.
        public var reasons: [Reason]
        /// The distance from a match.
        ///
        /// An event of another run is farther away than any event of this run.
        fileprivate var distance: Int
    }

    /// The current status of an expectation.
    public enum Standing: Sendable, Hashable {
        /// It holds, regardless of further events.
        case holds
        /// It fails, regardless of further events.
        case fails
        /// Further events decide.
        case open
    }

    /// The number of matching events to keep.
    public static let keptEvents = 5
    /// The number of misses to keep.
    public static let keptMisses = 3
    /// The maximum number of other names that are counted.
    public static let keptNames = 20

    /// The expectation.
    public let expectation: EventExpectation
    /// The position from which events count.
    public let since: EventPosition
    /// The position at which to continue.
    public private(set) var next: EventPosition
    /// The number of events read.
    public private(set) var read = 0
    /// The number of events that matched.
    public private(set) var found = 0
    /// The first matching events.
    public private(set) var events: [EventID] = []
    /// The misses with the smallest distance, the latest first among equals.
    public private(set) var closest: [Miss] = []
    /// The number of events by other name.
    ///
    /// Only the first names that occur are counted.
    public private(set) var others: [String: Int] = [:]
    private let runCondition: Int?

    /// Creates a tally without events.
    public init(_ expectation: EventExpectation, since: EventPosition) {
        self.expectation = expectation
        self.since = since
        next = since
        runCondition = expectation.filter.conditions.firstIndex { $0.field == .attribute(RunTag.attribute) }
    }

    /// The status while the time has not elapsed.
    public var standing: Standing {
        guard let atMost = expectation.atMost else { return found >= expectation.atLeast ? .holds : .open }
        return found > atMost ? .fails : .open
    }

    /// Whether the expectation holds if no further events arrive.
    public var holdsNow: Bool {
        found >= expectation.atLeast && found <= expectation.atMost ?? .max
    }

    /// Handles an event of another name.
    public mutating func passed(_ name: String, at position: EventPosition) {
        advance(to: position)
        if others.count < Self.keptNames || others[name] != nil { others[name, default: 0] += 1 }
    }

    /// Handles an event of one of the names.
    ///
    /// - Complexity: O(conditions).
    public mutating func met(_ event: Event) {
        advance(to: event.position)
        var reasons: [Miss.Reason] = []
        let filter = expectation.filter
        if let user = filter.user, event.user.map({ $0.utf8.elementsEqual(user.utf8) }) != true {
            reasons.append(.init(condition: "user=" + user, actual: event.user.map { .text(Array($0.utf8)) }))
        }
        if let installation = filter.installation, event.installation != installation {
            let actual = event.installation.map { QueryValue.text(Array($0.description.utf8)) }
            reasons.append(.init(condition: "installation=\(installation)", actual: actual))
        }
        var isOfAnotherRun = false
        for (index, (condition, value)) in zip(filter.conditions, event.values).enumerated()
        where !condition.holds(of: value) {
            reasons.append(.init(condition: expectation.conditions[index], actual: value.map(\.shortened)))
            if index == runCondition { isOfAnotherRun = true }
        }
        if reasons.isEmpty {
            found += 1
            if events.count < Self.keptEvents { events.append(event.id) }
        } else {
            let distance = reasons.count + (isOfAnotherRun ? QueryLimits.conditions + 2 : 0)
            keep(Miss(id: event.id, reasons: reasons, distance: distance))
        }
    }

    private mutating func keep(_ miss: Miss) {
        // Insert before misses at the same distance: later ones are more likely to be meant.
        let place = closest.firstIndex { $0.distance >= miss.distance } ?? closest.count
        closest.insert(miss, at: place)
        if closest.count > Self.keptMisses { closest.removeLast() }
    }

    private mutating func advance(to position: EventPosition) {
        read += 1
        next = EventPosition(rawValue: position.rawValue + 1)
    }
}

extension QueryValue {
    /// The value, truncated if long, because many are kept for display.
    fileprivate var shortened: QueryValue {
        let longest = 200
        return switch self {
        case .text(let bytes) where bytes.count > longest: .text(bytes.prefix(longest) + Array("…".utf8))
        case .structure(let bytes) where bytes.count > longest: .text(bytes.prefix(longest) + Array("…".utf8))
        case .text, .structure, .number, .boolean: self
        }
    }
}
