// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The status of one alert: state, pending message, and past attempts.
public struct AlertStatus: Sendable, Hashable {
    /// The alert's state.
    public var machine = AlertStateMachine()
    /// The undelivered message.
    ///
    /// There is at most one: a later message replaces it.
    public private(set) var pendingDelivery: AlertDelivery?
    /// The latest attempts, oldest first.
    public private(set) var attempts: [AlertAttempt] = []
    /// When the receiver asked for no further messages.
    ///
    /// Nil while the receiver accepts messages.
    public private(set) var goneSince: Timestamp?

    /// Creates the status of a new alert.
    public init() {}

    /// Restores a status.
    init(machine: AlertStateMachine, pendingDelivery: AlertDelivery?, attempts: [AlertAttempt], goneSince: Timestamp?) {
        self.machine = machine
        self.pendingDelivery = pendingDelivery
        self.attempts = attempts.suffix(AlertLimits.attempts)
        self.goneSince = goneSince
    }

    /// Enqueues a message, replacing the pending one.
    ///
    /// A receiver that becomes reachable again gets the current state, not an outdated one. A reminder is dropped while
    /// another message is pending.
    public mutating func enqueue(_ delivery: AlertDelivery) {
        // The message that a reminder would repeat has not been delivered yet.
        if pendingDelivery != nil, delivery.kind == .remind { return }
        if let pendingDelivery {
            append(
                AlertAttempt(
                    id: pendingDelivery.id,
                    kind: pendingDelivery.kind.rawValue,
                    outcome: .superseded,
                    at: delivery.created,
                    number: pendingDelivery.failures
                )
            )
        }
        pendingDelivery = delivery
    }

    /// Handles the end of an attempt.
    ///
    /// - Parameters:
    ///   - delivery: The message. A different one may have become pending in the meantime.
    ///   - result: The result of the attempt.
    ///   - time: The wall clock.
    ///   - duration: The duration of the attempt.
    ///   - jitter: A random number in `0..<1`.
    /// - Returns: The delay before the next attempt; nil if none follows.
    public mutating func attemptFinished(
        _ delivery: AlertDelivery,
        _ result: AlertResult,
        at time: Timestamp,
        duration: Duration,
        jitter: Double
    ) -> Duration? {
        let number = delivery.failures + 1
        let isCurrent = pendingDelivery?.id == delivery.id
        var requested: Duration?
        if case .answered(let status, let retryAfter) = result, status == 429 || status == 503 {
            requested = retryAfter
        }
        let delay = isCurrent ? AlertDelivery.retryDelay(after: number, requested: requested, jitter: jitter) : nil
        let outcome: AlertAttempt.Outcome =
            if result.isAccepted { .delivered } else if result.isGone { .gone } else {
                delay != nil ? .failed : (isCurrent ? .givenUp : .superseded)
            }
        append(
            AlertAttempt(
                of: delivery.id,
                delivery.kind.rawValue,
                result,
                outcome,
                at: time,
                number: number,
                duration: duration
            )
        )
        if result.isGone {
            goneSince = time
            pendingDelivery = nil
            return nil
        }
        guard isCurrent else { return nil }
        guard let delay, !result.isAccepted else {
            pendingDelivery = nil
            return nil
        }
        pendingDelivery?.failures = number
        pendingDelivery?.next = time.advanced(by: delay)
        return delay
    }

    /// Handles the end of a test delivery.
    public mutating func testFinished(_ id: String, _ result: AlertResult, at time: Timestamp, duration: Duration) {
        let outcome: AlertAttempt.Outcome = result.isAccepted ? .delivered : .givenUp
        append(AlertAttempt(of: id, "test", result, outcome, at: time, number: 1, duration: duration))
    }

    /// Handles a change of the settings.
    ///
    /// The receiver is assumed to accept messages again. Without a webhook, the pending message is dropped.
    public mutating func settingsChanged(hasWebhook: Bool) {
        goneSince = nil
        if !hasWebhook { pendingDelivery = nil }
    }

    private mutating func append(_ attempt: AlertAttempt) {
        attempts.append(attempt)
        if attempts.count > AlertLimits.attempts { attempts.removeFirst(attempts.count - AlertLimits.attempts) }
    }
}

/// An alert as stored, with the secrets that sign its notifications.
public struct StoredAlert: Sendable, Hashable {
    /// The alert.
    public var alert: Alert
    /// The current signing secret.
    public var secret: WebhookSecret
    /// The previous secret, which also signs until it expires.
    public var previousSecret: PreviousSecret?

    /// A secret that was replaced.
    public struct PreviousSecret: Sendable, Hashable {
        /// The secret.
        public var secret: WebhookSecret
        /// When the secret stops signing.
        public var until: Timestamp

        /// Creates a previous secret.
        public init(_ secret: WebhookSecret, until: Timestamp) {
            self.secret = secret
            self.until = until
        }
    }

    /// Creates an alert with its secrets.
    public init(_ alert: Alert, secret: WebhookSecret, previousSecret: PreviousSecret? = nil) {
        self.alert = alert
        self.secret = secret
        self.previousSecret = previousSecret
    }

    /// Returns the secrets that sign at a given time.
    ///
    /// The current secret is first.
    public func secrets(at time: Timestamp) -> [WebhookSecret] {
        [secret] + (previousSecret.map { $0.until > time ? [$0.secret] : [] } ?? [])
    }
}
