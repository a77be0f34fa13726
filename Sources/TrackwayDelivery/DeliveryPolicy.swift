// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
package import TrackwayDestinationKit
public import TrackwayLifecycle

/// The settings for sending events to a destination and retrying them.
public struct DeliveryPolicy: Sendable, Hashable {
    /// The maximum time from an event becoming pending to an upload.
    ///
    /// 10 s by default: short enough for live monitoring, and long enough to limit the use of a phone's radio.
    public var flushInterval: Duration
    /// The number of pending events at which an upload starts immediately.
    ///
    /// 30 by default. While events are recorded in quick succession, uploads are spaced up to half a second apart, so
    /// that each one contains more events. With 1, each event is sent immediately.
    public var flushEvents: Int
    /// The maximum duration of a request.
    ///
    /// 30 s by default. A request that takes longer is retried with fewer events.
    public var requestTimeout: Duration
    /// The schedule of delays after failed requests.
    public var retry: RetrySchedule
    /// The number of consecutive failures after which a destination counts as down.
    ///
    /// While a destination counts as down, only single events are sent to it until one is accepted. 5 by default.
    public var breakerThreshold: Int
    /// The longest delay that a back end can request with `Retry-After`.
    ///
    /// 1 hour by default: after a longer `Retry-After`, the back end is tried every hour.
    public var longestRetryAfter: Duration
    /// The number of consecutive refused events after which sending slows down.
    ///
    /// After that, at most one event becomes a dead letter per retry delay until one is accepted, so that a
    /// misconfigured back end cannot refuse the whole queue. 8 by default.
    public var deadLetterThreshold: Int
    /// The rules of a queue; setting them makes the destination a queue.
    ///
    /// The destination's events stay pending until an upload is due under these rules, and are then sent at once. For a
    /// queue, ``flushInterval`` and ``flushEvents`` have no effect. nil by default.
    public var queue: QueuePolicy?
    /// The number of attempts after which a batch is dropped.
    ///
    /// If nil (the default), no batch is dropped because of failed attempts.
    public var attempts: AttemptLimit?

    /// Creates a policy.
    ///
    /// Counts below 1 are raised to 1, negative times to zero, and the request timeout to at least 1 ms.
    public init(
        flushInterval: Duration = .seconds(10),
        flushEvents: Int = 30,
        requestTimeout: Duration = .seconds(30),
        retry: RetrySchedule = RetrySchedule(),
        breakerThreshold: Int = 5,
        longestRetryAfter: Duration = .seconds(3_600),
        deadLetterThreshold: Int = 8,
        queue: QueuePolicy? = nil,
        attempts: AttemptLimit? = nil
    ) {
        self.flushInterval = max(.zero, flushInterval)
        self.flushEvents = max(1, flushEvents)
        self.requestTimeout = max(.milliseconds(1), requestTimeout)
        self.retry = retry
        self.breakerThreshold = max(1, breakerThreshold)
        self.longestRetryAfter = max(.zero, longestRetryAfter)
        self.deadLetterThreshold = max(1, deadLetterThreshold)
        self.queue = queue
        self.attempts = attempts
    }
}

/// A destination with the settings for delivering to it.
package struct DeliveryRoute: Sendable {
    /// The destination.
    package var destination: any Destination
    /// The delivery policy of the destination.
    package var policy: DeliveryPolicy
    /// The destination's admission rule; nil if all events may be sent.
    ///
    /// The rule is evaluated whenever events are read and again before they are sent. When its results change, call
    /// ``DeliveryService/admissionChanged(for:)``.
    package var admission: Admission.Rule?
    /// The rules that filter and change the destination's events.
    package var rules: DestinationRules

    /// Creates a route.
    package init(
        destination: any Destination,
        policy: DeliveryPolicy = DeliveryPolicy(),
        admission: Admission.Rule? = nil,
        rules: DestinationRules = []
    ) {
        self.destination = destination
        self.policy = policy
        self.admission = admission
        self.rules = rules
    }
}
