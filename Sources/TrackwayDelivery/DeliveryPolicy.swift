// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
package import TrackwayEvents
package import TrackwayWire

/// How eagerly one destination is served, and how patiently.
public struct DeliveryPolicy: Sendable, Hashable {
    /// An upload starts at the latest this long after an event began to wait. 10 s by default: soon enough for a person who
    /// watches, seldom enough for a radio.
    public var flushInterval: Duration
    /// An upload starts at once when this many events wait. 30 by default. While events come fast, uploads keep up to half a
    /// second apart, so that each carries more of them; with 1, each event leaves at once.
    public var flushEvents: Int
    /// The longest a request may take. 30 s by default; a request that takes longer is asked again with fewer events.
    public var requestTimeout: Duration
    /// How long to wait between failures.
    public var retry: RetrySchedule
    /// After this many failures in a row the destination is taken for down, and only single probes are sent until one
    /// succeeds. 5 by default.
    public var breakerThreshold: Int
    /// The longest wait a back-end can ask for (`Retry-After`). 1 hour by default: longer wishes are asked again hourly.
    public var longestRetryAfter: Duration
    /// After this many events in a row were refused while none was accepted, at most one becomes a dead letter per retry delay, so
    /// that a misconfigured back-end cannot eat the queue. 8 by default.
    public var deadLetterThreshold: Int
    /// Makes the destination a queue: its events wait until they are worth an upload by these rules, and then travel at
    /// once; ``flushInterval`` and ``flushEvents`` do not count. nil by default.
    public var queue: QueuePolicy?
    /// When a batch is given up, which loses its events on purpose; nil, the default, for never.
    public var attempts: AttemptLimit?

    /// Makes a policy; counts below 1 are raised to 1, negative times to zero, and a request gets at least 1 ms.
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

/// One destination and how it is served.
package struct DeliveryRoute: Sendable {
    /// The destination.
    package var destination: any Destination
    /// How eagerly and how patiently.
    package var policy: DeliveryPolicy
    /// What may leave for the destination; nil when everything may. Asked anew whenever events are read, and once more
    /// before they are sent. Tell the service when its answers change (``DeliveryService/admissionChanged(for:)``).
    package var admission: Admission.Rule?
    /// What leaves for the destination, and how.
    package var rules: DestinationRules

    /// Makes a route.
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
