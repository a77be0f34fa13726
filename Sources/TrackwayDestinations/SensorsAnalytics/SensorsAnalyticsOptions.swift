// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The options of a ``SensorsAnalyticsDestination``.
public struct SensorsAnalyticsOptions: Sendable, Hashable {
    /// The responses that remove events from the queue.
    public enum ResponsePolicy: Sendable, Hashable {
        /// Only a success response from the back end itself.
        ///
        /// After any other response, the events are kept, split or made dead letters, as for all other destinations.
        case careful
        /// The behavior of the format's first client.
        ///
        /// Any response removes the events, unless its status is 403, 404 or 5xx. After a response other than success,
        /// the events count as rejected, not as delivered. Use this policy only for a back end that returns an error
        /// for events that it accepted.
        case asTheFirstClient
    }

    /// The debug mode, in which events are sent for individual inspection.
    ///
    /// Off by default. This setting applies to events that were recorded with no mode.
    public var debugMode = SensorsAnalyticsDebugMode.off
    /// The value of the `Cookie` field of every request; nil for none.
    public var cookie: String?
    /// Whether each event contains its session as `$event_session_id`.
    ///
    /// False by default, as in the format's first client.
    public var namesSession = false
    /// The responses that remove events from the queue.
    ///
    /// Careful by default: a wrong address or a broken proxy loses no events.
    public var answerRule = ResponsePolicy.careful
    /// The value of `$lib_version`: this SDK's version by default.
    public var libraryVersion = "0.1.0"
    /// The value of the `User-Agent` field.
    ///
    /// By default, this is the name of the format's first client, which back ends know.
    public var userAgent = "SensorsAnalytics iOS SDK"

    /// Creates the default options.
    public init() {}
}

/// Whether events are sent for individual inspection while an app is being developed.
public enum SensorsAnalyticsDebugMode: String, Sendable, Hashable, CaseIterable {
    /// Events are sent to the back end as usual.
    case off
    /// Events are checked individually, and not stored by the back end.
    case only
    /// Events are checked individually, and stored.
    case andTrack
}
