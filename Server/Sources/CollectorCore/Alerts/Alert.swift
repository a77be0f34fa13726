// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A condition that the collector evaluates periodically, and the webhook to notify.
public struct Alert: Sendable, Hashable {
    /// A permanent identifier.
    ///
    /// The collector generates it and never reuses it.
    public var id: String
    /// The user's settings: title, condition, evaluation interval, and webhook.
    public var settings: AlertSettings
    /// The revision number, counting changes from 1.
    ///
    /// A request that changes an alert states the version it is based on.
    public var version: Int64
    /// The creation time.
    public var created: Timestamp
    /// The time of the last change.
    public var changed: Timestamp

    /// Creates an alert.
    public init(id: String, settings: AlertSettings, version: Int64, created: Timestamp, changed: Timestamp) {
        self.id = id
        self.settings = settings
        self.version = version
        self.created = created
        self.changed = changed
    }
}

/// The user-defined settings of an alert.
public struct AlertSettings: Sendable, Hashable {
    /// The title.
    public var title: String
    /// The condition to evaluate.
    public var condition: AlertCondition
    /// The evaluation interval.
    public var interval: Duration
    /// The time that the condition must hold before the alert fires.
    public var pendingFor: Duration
    /// The time that the condition must be over before the alert resolves.
    public var resolveAfter: Duration
    /// The interval between reminders while the alert fires; nil for no reminders.
    public var repeatInterval: Duration?
    /// The webhook URL.
    ///
    /// If nil, the alert shows only in the web UI and in the metrics.
    public var webhook: String?
    /// Whether evaluation is paused.
    public var isPaused: Bool

    /// Creates settings.
    public init(
        title: String,
        condition: AlertCondition,
        interval: Duration = AlertLimits.defaultInterval,
        pendingFor: Duration = .zero,
        resolveAfter: Duration = .zero,
        repeatInterval: Duration? = nil,
        webhook: String? = nil,
        isPaused: Bool = false
    ) {
        self.title = title
        self.condition = condition
        self.interval = interval
        self.pendingFor = pendingFor
        self.resolveAfter = resolveAfter
        self.repeatInterval = repeatInterval
        self.webhook = webhook
        self.isPaused = isPaused
    }
}

/// A number to evaluate, and the threshold that it is compared with.
public struct AlertCondition: Sendable, Hashable {
    /// The kind of number to evaluate.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The total of a trend over its whole time range.
        case trends
        /// The conversion from a funnel's first step to its last, in percent.
        case funnels
        /// The number of events that devices recorded but that did not arrive.
        case missing
        /// The percentage of arrived events that were rejected.
        case failed
        /// The number of arrived events; the alert fires at zero.
        case silence
        /// The free space of the disk that holds the collector's folder.
        case disk
        /// The lag of the index behind the intake log, in seconds.
        case lag
    }

    /// The comparison of the number with the threshold.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// The number is greater than the threshold.
        case above = ">"
        /// The number is less than the threshold.
        case below = "<"
        /// The number is greater than or equal to the threshold.
        case atLeast = ">="
        /// The number is less than or equal to the threshold.
        case atMost = "<="
    }

    /// The form in which the number is compared.
    public enum Measure: String, Sendable, Hashable, CaseIterable {
        /// The number itself.
        case value
        /// The change from the previous period, in percent.
        case change
        /// Free space as a percentage of the disk.
        case share
        /// Free space in bytes.
        case bytes
    }

    /// The kind of number to evaluate.
    public var kind: Kind
    /// The query parameters as in a URL, without the question mark.
    ///
    /// Empty for kinds without a query.
    public var query: String
    /// The comparison of the number with the threshold.
    public var comparison: Comparison
    /// The threshold.
    public var threshold: Double
    /// The form in which the number is compared.
    public var measure: Measure
    /// The time range that `failed` and `silence` cover.
    public var within: Duration
    /// The minimum number of events in the time range ``within``.
    ///
    /// Below this number, `failed` yields no value.
    public var minimumCount: Int64

    /// Creates a condition.
    public init(
        _ kind: Kind,
        query: String = "",
        is comparison: Comparison = .above,
        _ threshold: Double = 0,
        of measure: Measure = .value,
        within: Duration = AlertLimits.defaultWindow,
        minimumCount: Int64 = AlertLimits.defaultMinimumCount
    ) {
        self.kind = kind
        self.query = query
        self.comparison = comparison
        self.threshold = threshold
        self.measure = measure
        self.within = within
        self.minimumCount = minimumCount
    }

    /// Whether the condition holds for a number.
    public func holds(for value: Double) -> Bool {
        switch comparison {
        case .above: value > threshold
        case .below: value < threshold
        case .atLeast: value >= threshold
        case .atMost: value <= threshold
        }
    }
}

/// The result of evaluating a condition.
public enum AlertOutcome: Sendable, Hashable {
    /// A number, and whether the condition holds for it.
    case measured(value: Double, holds: Bool)
    /// No number, for example because there is nothing to count.
    ///
    /// The associated value is one sentence with the reason.
    case unknown(String)
    /// The condition could not be evaluated.
    ///
    /// The associated value is one sentence with the reason.
    case notEvaluated(String)
}

/// Limits and defaults of alerts.
public enum AlertLimits {
    /// The maximum number of alerts per collector.
    public static let alerts = 100
    /// The maximum length of a webhook URL in bytes.
    public static let addressBytes = 2_048
    /// The allowed evaluation intervals.
    public static let intervals: ClosedRange<Duration> = .seconds(60)...(.seconds(86_400))
    /// The default evaluation interval.
    public static let defaultInterval = Duration.seconds(60)
    /// The allowed durations for which a condition must hold or be over.
    public static let pendingDurations: ClosedRange<Duration> = .zero...(.seconds(7 * 86_400))
    /// The allowed intervals between reminders.
    public static let repeatIntervals: ClosedRange<Duration> = .seconds(300)...(.seconds(30 * 86_400))
    /// The allowed time ranges of `failed` and `silence`.
    public static let windows: ClosedRange<Duration> = .seconds(60)...(.seconds(7 * 86_400))
    /// The default time range of `failed` and `silence`.
    public static let defaultWindow = Duration.seconds(3_600)
    /// The allowed time ranges of a query.
    public static let queryWindows: ClosedRange<Duration> = .seconds(60)...(.seconds(366 * 86_400))
    /// The default minimum number of arrived events.
    public static let defaultMinimumCount: Int64 = 100
    /// The default threshold of free space, in percent of the disk.
    public static let defaultFreeShare = 10.0
    /// The default threshold of the index's lag, in seconds.
    public static let defaultLag = 300.0
    /// The maximum size of the alerts file in bytes.
    ///
    /// It also limits the size of a request that changes an alert.
    public static let bytes = 1 << 20
    /// The maximum size of the status file in bytes.
    public static let statusBytes = 4 << 20
    /// The time for which evaluation may fail before a notification is sent.
    public static let evaluationGracePeriod = Duration.seconds(3_600)
    /// The number of recent delivery attempts kept for each alert.
    public static let attempts = 50
    /// The allowed durations for which a replaced secret continues to sign.
    public static let overlaps: ClosedRange<Duration> = .zero...(.seconds(30 * 86_400))
    /// The default duration for which a replaced secret continues to sign.
    public static let defaultOverlap = Duration.seconds(86_400)
}
