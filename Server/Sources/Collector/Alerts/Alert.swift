// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A condition that the collector looks at again and again, and whom it tells.
public struct Alert: Sendable, Hashable {
    /// Names it for ever: made by the collector, never used again.
    public var id: String
    /// What a person calls it, what is looked at, how often, and who is told.
    public var settings: AlertSettings
    /// Counts its changes, from 1: whoever changes an alert says which version they saw.
    public var version: Int64
    /// When it was made.
    public var created: Timestamp
    /// When it was changed last.
    public var changed: Timestamp

    /// An alert.
    public init(id: String, settings: AlertSettings, version: Int64, created: Timestamp, changed: Timestamp) {
        self.id = id
        self.settings = settings
        self.version = version
        self.created = created
        self.changed = changed
    }
}

/// What people decide about an alert.
public struct AlertSettings: Sendable, Hashable {
    /// What a person calls it.
    public var title: String
    /// What is looked at.
    public var condition: AlertCondition
    /// How often it is looked at.
    public var every: Duration
    /// How long the condition must hold before anybody is told.
    public var hold: Duration
    /// How long the condition must be over before it is told that it is.
    public var keep: Duration
    /// After how long somebody is told again while it goes on; nil for never.
    public var again: Duration?
    /// Where it is told; nil for nowhere: it is seen on the page and in the metrics only.
    public var webhook: String?
    /// Whether it is not looked at.
    public var isPaused: Bool

    /// Settings.
    public init(
        title: String,
        condition: AlertCondition,
        every: Duration = AlertLimits.usualInterval,
        hold: Duration = .zero,
        keep: Duration = .zero,
        again: Duration? = nil,
        webhook: String? = nil,
        isPaused: Bool = false
    ) {
        self.title = title
        self.condition = condition
        self.every = every
        self.hold = hold
        self.keep = keep
        self.again = again
        self.webhook = webhook
        self.isPaused = isPaused
    }
}

/// A number, and what it is compared with.
public struct AlertCondition: Sendable, Hashable {
    /// Which number.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The number of a trend over all of its time.
        case trends
        /// How many of those who take a funnel's first step take its last, in percent.
        case funnels
        /// The events that devices recorded and that did not arrive.
        case missing
        /// The share of what arrived that was refused, in percent.
        case failed
        /// The events that arrived, which shall not be none.
        case silence
        /// The free space of the disk below the collector's folder.
        case disk
        /// How far the index is behind what has arrived, in seconds.
        case lag
    }

    /// How the number is compared with the threshold.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// It is more.
        case above = ">"
        /// It is less.
        case below = "<"
        /// It is as much, or more.
        case atLeast = ">="
        /// It is as much, or less.
        case atMost = "<="
    }

    /// Which form of the number is compared.
    public enum Measure: String, Sendable, Hashable, CaseIterable {
        /// The number.
        case value
        /// The change, in percent of the number of the period before.
        case change
        /// Free space in percent of the disk.
        case share
        /// Free space in bytes.
        case bytes
    }

    /// Which number.
    public var kind: Kind
    /// A question's parameters as they stand in an address behind the question mark; empty for other kinds.
    public var query: String
    /// How the number is compared.
    public var comparison: Comparison
    /// What it is compared with.
    public var threshold: Double
    /// The form of the number that is compared.
    public var measure: Measure
    /// The time that `failed` and `silence` look at.
    public var within: Duration
    /// So many events must have arrived within that time before `failed` says anything.
    public var least: Int64

    /// A condition.
    public init(
        _ kind: Kind,
        query: String = "",
        is comparison: Comparison = .above,
        _ threshold: Double = 0,
        of measure: Measure = .value,
        within: Duration = AlertLimits.usualTime,
        least: Int64 = AlertLimits.usualLeast
    ) {
        self.kind = kind
        self.query = query
        self.comparison = comparison
        self.threshold = threshold
        self.measure = measure
        self.within = within
        self.least = least
    }

    /// Whether it holds for a number.
    public func holds(for value: Double) -> Bool {
        switch comparison {
        case .above: value > threshold
        case .below: value < threshold
        case .atLeast: value >= threshold
        case .atMost: value <= threshold
        }
    }
}

/// What came of looking at a condition.
public enum AlertOutcome: Sendable, Hashable {
    /// There is a number, and the condition holds for it or does not.
    case measured(value: Double, holds: Bool)
    /// There is none, as in a time without anything to count: one sentence why.
    case unknown(String)
    /// It could not be looked at: one sentence why.
    case unseen(String)
}

/// How much alerts may ask for.
public enum AlertLimits {
    /// Alerts of a collector.
    public static let alerts = 100
    /// Bytes of an address where it is told.
    public static let addressBytes = 2_048
    /// How often a condition may be looked at.
    public static let intervals: ClosedRange<Duration> = .seconds(60)...(.seconds(86_400))
    /// How often it is looked at when nothing is said.
    public static let usualInterval = Duration.seconds(60)
    /// How long a condition may have to hold, or to be over.
    public static let holds: ClosedRange<Duration> = .zero...(.seconds(7 * 86_400))
    /// After how long it may be told again.
    public static let repeats: ClosedRange<Duration> = .seconds(300)...(.seconds(30 * 86_400))
    /// The time that `failed` and `silence` may look at.
    public static let times: ClosedRange<Duration> = .seconds(60)...(.seconds(7 * 86_400))
    /// The time they look at when nothing is said.
    public static let usualTime = Duration.seconds(3_600)
    /// The longest time that a question may be about.
    public static let questionTimes: ClosedRange<Duration> = .seconds(60)...(.seconds(366 * 86_400))
    /// The events that must have arrived when nothing is said.
    public static let usualLeast: Int64 = 100
    /// The default threshold of free space, in percent of the disk.
    public static let usualFreeShare = 10.0
    /// The default threshold of the index's lag, in seconds.
    public static let usualLag = 300.0
    /// Bytes of the file with all alerts, and of a request that changes one.
    public static let bytes = 1 << 20
    /// Bytes of the file with what became of them.
    public static let statusBytes = 4 << 20
    /// How long nothing may be seen of a condition before that is told.
    public static let longestUnseen = Duration.seconds(3_600)
    /// Attempts to tell that are remembered for each alert.
    public static let attempts = 50
    /// How long a replaced secret may go on signing.
    public static let overlaps: ClosedRange<Duration> = .zero...(.seconds(30 * 86_400))
    /// How long it does when nothing is said.
    public static let usualOverlap = Duration.seconds(86_400)
}
