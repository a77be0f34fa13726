// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Decides whether an expectation holds, from events in order of arrival.
///
/// Regardless of the number of events, the tally keeps only the first few matches, the few closest misses, and the
/// counts of a few other names.
public struct ExpectationTally: Sendable {
    /// The parts of an event that an expectation needs.
    public struct Event: Sendable {
        /// The event's position in the intake log.
        public var position: EventPosition
        /// The event's id.
        public var id: EventID
        /// The signed-in user.
        public var user: String?
        /// The installation that recorded the event.
        public var installation: InstallationID?
        /// The values of the conditions' fields, in the order of ``QueryFilter/fields``.
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

    /// An event that has an expected name but does not match.
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

        /// The event's id.
        public var id: EventID
        /// The conditions that do not hold.
        public var reasons: [Reason]
        /// The distance from a match.
        ///
        /// An event from another run is farther away than any event from this run.
        fileprivate var distance: Int
    }

    /// The current status of an expectation.
    public enum Status: Sendable, Hashable {
        /// The expectation holds, regardless of further events.
        case holds
        /// The expectation fails, regardless of further events.
        case fails
        /// The outcome depends on further events.
        case open
    }

    /// The maximum number of matching events to keep.
    public static let maximumEvents = 5
    /// The maximum number of misses to keep.
    public static let maximumMisses = 3
    /// The maximum number of other names that are counted.
    public static let maximumNames = 20

    /// The expectation.
    public let expectation: EventExpectation
    /// The position from which events count.
    public let since: EventPosition
    /// The position at which reading continues.
    public private(set) var next: EventPosition
    /// The number of events read.
    public private(set) var read = 0
    /// The number of events that matched.
    public private(set) var found = 0
    /// The first matching events.
    public private(set) var events: [EventID] = []
    /// The misses closest to a match, in order of distance.
    ///
    /// Misses at equal distance are ordered latest first.
    public private(set) var closest: [Miss] = []
    /// The number of events with other names, by name.
    ///
    /// Only the first ``maximumNames`` names that occur are counted.
    public private(set) var others: [String: Int] = [:]
    private let runCondition: Int?
    private let fields: [QueryField]

    /// Creates a tally without events.
    public init(_ expectation: EventExpectation, since: EventPosition) {
        self.expectation = expectation
        self.since = since
        next = since
        fields = expectation.filter.fields
        runCondition = expectation.filter.conditions.firstIndex { $0.field == .attribute(RunTag.attribute) }
    }

    /// The status before the time to wait has elapsed.
    public var status: Status {
        guard let atMost = expectation.atMost else { return found >= expectation.atLeast ? .holds : .open }
        return found > atMost ? .fails : .open
    }

    /// Whether the expectation holds if no further events arrive.
    public var isSatisfiedNow: Bool {
        found >= expectation.atLeast && found <= expectation.atMost ?? .max
    }

    /// Handles an event with a name that is not expected.
    public mutating func countOther(_ name: String, at position: EventPosition) {
        advance(to: position)
        if others.count < Self.maximumNames || others[name] != nil { others[name, default: 0] += 1 }
    }

    /// Handles an event with one of the expected names.
    ///
    /// - Complexity: O(conditions × fields).
    public mutating func add(_ event: Event) {
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
        let value = { [fields] (field: QueryField) -> QueryValue? in
            fields.firstIndex(of: field).flatMap { $0 < event.values.count ? event.values[$0] : nil }
        }
        for (index, condition) in filter.conditions.enumerated() where !condition.holds(value) {
            let actual = condition.fields.compactMap(value).first
            reasons.append(.init(condition: expectation.conditions[index], actual: actual?.shortened))
            if index == runCondition { isOfAnotherRun = true }
        }
        if reasons.isEmpty {
            found += 1
            if events.count < Self.maximumEvents { events.append(event.id) }
        } else {
            let distance = reasons.count + (isOfAnotherRun ? QueryLimits.conditions + 2 : 0)
            keep(Miss(id: event.id, reasons: reasons, distance: distance))
        }
    }

    private mutating func keep(_ miss: Miss) {
        // Insert before misses at the same distance: later events are more likely to be the intended ones.
        let place = closest.firstIndex { $0.distance >= miss.distance } ?? closest.count
        closest.insert(miss, at: place)
        if closest.count > Self.maximumMisses { closest.removeLast() }
    }

    private mutating func advance(to position: EventPosition) {
        read += 1
        next = EventPosition(rawValue: position.rawValue + 1)
    }
}

extension QueryValue {
    /// The value, truncated if long, because many values are kept for display.
    fileprivate var shortened: QueryValue {
        let longest = 200
        return switch self {
        case .text(let bytes) where bytes.count > longest: .text(bytes.prefix(longest) + Array("…".utf8))
        case .structure(let bytes) where bytes.count > longest: .text(bytes.prefix(longest) + Array("…".utf8))
        case .text, .structure, .number, .boolean: self
        }
    }
}
