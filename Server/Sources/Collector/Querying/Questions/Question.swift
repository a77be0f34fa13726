// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A question about stored events: which, when, how divided, and what is counted.
///
/// It holds everything an answer depends on, and no calendar, clock or SQL: every store that answers it gives the same answer.
public struct Question: Sendable, Hashable {
    /// What is counted.
    public enum Measure: Sendable, Hashable {
        /// Events.
        case events
        /// People: the user who was signed in, else the installation. Events of neither count nobody.
        case users
        /// Installations. Events of clients that tell none count nobody.
        case installations
        /// The sum of a field's numbers.
        case sum(QuestionField)
        /// The mean of a field's numbers.
        case average(QuestionField)
        /// The least of a field's numbers that 95 % of them do not exceed (the nearest rank), exactly.
        case p95(QuestionField)

        /// The field whose numbers it takes; nil for counts.
        public var field: QuestionField? {
            switch self {
            case .events, .users, .installations: nil
            case .sum(let field), .average(let field), .p95(let field): field
            }
        }
    }

    /// By what events are divided: the values with most events each, and all others together.
    public struct Grouping: Sendable, Hashable {
        /// The field whose values make the groups.
        public var field: QuestionField
        /// How many values are told apart, from 1 to ``QuestionLimits/groups``.
        public var top: Int
        /// Whether values with the same text are one group, such as `1` and `"1"`, or `é` composed and decomposed.
        public var readsValuesAsTexts: Bool

        /// A grouping.
        public init(
            by field: QuestionField,
            top: Int = QuestionLimits.usualGroups,
            readsValuesAsTexts: Bool = false
        ) {
            self.field = field
            self.top = top
            self.readsValuesAsTexts = readsValuesAsTexts
        }
    }

    /// Which events.
    public var filter: QuestionFilter
    /// When, and in which intervals.
    public var time: QuestionTime
    /// What is counted.
    public var measure: Measure
    /// By what it is divided; nil for not at all.
    public var grouping: Grouping?
    /// Whether a measure's field takes texts such as "12.50" as the numbers they spell.
    public var readsTextsAsNumbers: Bool

    /// A question.
    public init(
        _ filter: QuestionFilter = QuestionFilter(),
        in time: QuestionTime,
        measure: Measure = .events,
        grouping: Grouping? = nil,
        readsTextsAsNumbers: Bool = false
    ) {
        self.filter = filter
        self.time = time
        self.measure = measure
        self.grouping = grouping
        self.readsTextsAsNumbers = readsTextsAsNumbers
    }
}

/// Which events a question is about. Everything that is set narrows it.
public struct QuestionFilter: Sendable, Hashable {
    /// Names, one of which the event has; empty for any.
    public var names: [String]
    /// What must hold of attributes and context, all of it.
    public var conditions: [QuestionCondition]
    /// The user who was signed in.
    public var user: String?
    /// The installation that recorded it.
    public var installation: InstallationID?

    /// A filter.
    public init(
        names: [String] = [],
        conditions: [QuestionCondition] = [],
        user: String? = nil,
        installation: InstallationID? = nil
    ) {
        self.names = names
        self.conditions = conditions
        self.user = user
        self.installation = installation
    }
}

/// How much a question may ask for.
public enum QuestionLimits {
    /// Names of events.
    public static let names = 10
    /// Conditions.
    public static let conditions = 10
    /// Bytes of an event's name, of a field's name, or of each part of its path.
    public static let nameBytes = 128
    /// Parts of a path into the context.
    public static let pathParts = 8
    /// Bytes of a value that is compared, and of a user's id.
    public static let valueBytes = 1_024
    /// Intervals: the minutes of a day, and some.
    public static let intervals = 1_500
    /// Groups that are told apart when nothing is said.
    public static let usualGroups = 10
    /// Groups that are told apart.
    public static let groups = 25
    /// Steps of a funnel or a path.
    public static let steps = 10
    /// Intervals of a question about people who come back.
    public static let cohorts = 100
    /// Names that are told apart at one step of a path.
    public static let pathNames = 20
}

/// What is wrong with a question.
public struct QuestionError: Error, Hashable {
    /// The parameter at fault.
    public var field: String
    /// One sentence with the value, and what helps.
    public var message: String

    /// An error.
    public init(_ field: String, _ message: String) {
        self.field = field
        self.message = message
    }
}

/// What one question may cost. A question that costs more ends with an error that says what to narrow.
public struct QuestionBudget: Sendable, Hashable {
    /// Events that are looked at.
    public var events = 5_000_000
    /// How long it may take.
    public var time = Duration.seconds(10)
    /// Sums that are kept: one for each group and interval that has events.
    public var sums = 250_000
    /// People or installations that are told apart, counted once for each sum they are in.
    public var people = 2_000_000
    /// Events that are kept to be put in the order of each person's, or each session's.
    public var kept = 3_000_000
    /// Numbers that are kept to be sorted.
    public var numbers = 1_000_000
    /// Events that a search goes through before it says how far it came.
    public var searched = 200_000
    /// How long a search takes before it says how far it came.
    public var searchTime = Duration.seconds(1)
    /// Bytes of the groups' values.
    public var groupBytes = 16 << 20

    /// The usual budget.
    public init() {}
}
