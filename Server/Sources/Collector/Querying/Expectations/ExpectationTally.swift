// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Decides whether an expectation holds, from the events that it is shown in the order of arrival. Keeps the first that match,
/// those that come closest, and what else there was: few of each, however many events come.
public struct ExpectationTally: Sendable {
    /// An event as an expectation sees it.
    public struct Event: Sendable {
        /// Its place in the intake log.
        public var position: EventPosition
        /// Its id.
        public var id: EventID
        /// The user who was signed in.
        public var user: String?
        /// The installation that recorded it.
        public var installation: InstallationID?
        /// The values of the conditions' fields, in the order of the conditions.
        public var values: [QuestionValue?]

        /// An event.
        public init(
            position: EventPosition,
            id: EventID,
            user: String?,
            installation: InstallationID?,
            values: [QuestionValue?]
        ) {
            self.position = position
            self.id = id
            self.user = user
            self.installation = installation
            self.values = values
        }
    }

    /// An event of the name for which something does not hold.
    public struct Miss: Sendable, Hashable {
        /// One thing that does not hold.
        public struct Reason: Sendable, Hashable {
            /// The condition as it was written.
            public var condition: String
            /// What is there; nil for nothing.
            public var actual: QuestionValue?

            /// A reason.
            public init(condition: String, actual: QuestionValue?) {
                self.condition = condition
                self.actual = actual
            }
        }

        /// The event.
        public var id: EventID
        /// What does not hold.
        public var reasons: [Reason]
        /// How far away it is: an event of another run is farther than any of this one.
        fileprivate var distance: Int
    }

    /// How things stand.
    public enum Standing: Sendable, Hashable {
        /// It holds, whatever comes.
        case holds
        /// It does not hold, whatever comes.
        case fails
        /// What comes decides.
        case open
    }

    /// How many matching events are kept.
    public static let keptEvents = 5
    /// How many misses are kept.
    public static let keptMisses = 3
    /// How many other names are told apart.
    public static let keptNames = 20

    /// What is expected.
    public let expectation: EventExpectation
    /// From where on events count.
    public let since: EventPosition
    /// Where to go on.
    public private(set) var next: EventPosition
    /// How many events were looked at.
    public private(set) var read = 0
    /// How many matched.
    public private(set) var found = 0
    /// The first of them.
    public private(set) var events: [EventID] = []
    /// Those that did not match by the least, the latest first where that is equal.
    public private(set) var closest: [Miss] = []
    /// How many events of other names there were, by the first names that came.
    public private(set) var others: [String: Int] = [:]
    private let runCondition: Int?

    /// A tally that has seen nothing.
    public init(_ expectation: EventExpectation, since: EventPosition) {
        self.expectation = expectation
        self.since = since
        next = since
        runCondition = expectation.filter.conditions.firstIndex { $0.field == .attribute(RunTag.attribute) }
    }

    /// How things stand while time goes on.
    public var standing: Standing {
        guard let atMost = expectation.atMost else { return found >= expectation.atLeast ? .holds : .open }
        return found > atMost ? .fails : .open
    }

    /// Whether it holds of what was seen, when nothing more comes.
    public var holdsNow: Bool {
        found >= expectation.atLeast && found <= expectation.atMost ?? .max
    }

    /// An event of another name came.
    public mutating func passed(_ name: String, at position: EventPosition) {
        advance(to: position)
        if others.count < Self.keptNames || others[name] != nil { others[name, default: 0] += 1 }
    }

    /// An event of one of the names came.
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
            let actual = event.installation.map { QuestionValue.text(Array($0.description.utf8)) }
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
            let distance = reasons.count + (isOfAnotherRun ? QuestionLimits.conditions + 2 : 0)
            keep(Miss(id: event.id, reasons: reasons, distance: distance))
        }
    }

    private mutating func keep(_ miss: Miss) {
        // Before those that are as far away: the latest are most likely meant.
        let place = closest.firstIndex { $0.distance >= miss.distance } ?? closest.count
        closest.insert(miss, at: place)
        if closest.count > Self.keptMisses { closest.removeLast() }
    }

    private mutating func advance(to position: EventPosition) {
        read += 1
        next = EventPosition(rawValue: position.rawValue + 1)
    }
}

extension QuestionValue {
    /// The value, cut where it is long: for a person to see, many of which are kept.
    fileprivate var shortened: QuestionValue {
        let longest = 200
        return switch self {
        case .text(let bytes) where bytes.count > longest: .text(bytes.prefix(longest) + Array("…".utf8))
        case .structure(let bytes) where bytes.count > longest: .text(bytes.prefix(longest) + Array("…".utf8))
        case .text, .structure, .number, .boolean: self
        }
    }
}
