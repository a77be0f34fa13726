// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a ``SensorsAnalyticsDestination`` does beside its address.
public struct SensorsAnalyticsOptions: Sendable, Hashable {
    /// Which answers let go of events.
    public enum AnswerRule: Sendable, Hashable {
        /// Only a success of the back-end's own. Everything else is kept, split or made a dead letter, as for every back-end.
        case careful
        /// As the format's first client did: whatever answers, the events are gone, unless the status is 403, 404 or 5xx.
        /// Without a success they are counted as rejected, not as delivered. Only for a back-end that answers events it
        /// has taken with an error.
        case asTheFirstClient
    }

    /// Whether events go to the place where they are looked at one by one. Off by default. Counts for events that do not
    /// say themselves in which mode they were recorded.
    public var debugMode = SensorsAnalyticsDebugMode.off
    /// Sent as the `Cookie` field with every request; nil for none.
    public var cookie: String?
    /// Whether each event names its session as `$event_session_id`. False by default, as in the format's first client.
    public var namesSession = false
    /// Which answers let go of events. Careful by default: nothing is lost to a wrong address or a broken proxy.
    public var answerRule = AnswerRule.careful
    /// What `$lib_version` says: this SDK's version by default.
    public var libraryVersion = "0.1.0"
    /// What the `User-Agent` field says: by default the name that back-ends know the format's first client by.
    public var userAgent = "SensorsAnalytics iOS SDK"

    /// The usual options. Change those that should differ.
    public init() {}
}

/// Whether events go where people look at them one by one while an app is being made.
public enum SensorsAnalyticsDebugMode: String, Sendable, Hashable, CaseIterable {
    /// Events go to the back-end as usual.
    case off
    /// Events are checked one by one, and not kept by the back-end.
    case only
    /// Events are checked one by one, and kept.
    case andTrack
}
