// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// The status of one alert: state, pending message, and past attempts.
public struct AlertStatus: Sendable, Hashable {
    /// The alert's state.
    public var machine = AlertStateMachine()
    /// The undelivered message.
    ///
    /// There is at most one: a later message replaces it.
    public private(set) var waiting: AlertDelivery?
    /// The latest attempts, oldest first.
    public private(set) var attempts: [AlertAttempt] = []
    /// When the receiver asked for no further messages.
    ///
    /// Nil while it accepts them.
    public private(set) var gone: Timestamp?

    /// Creates the status of a new alert.
    public init() {}

    /// Restores a status.
    init(machine: AlertStateMachine, waiting: AlertDelivery?, attempts: [AlertAttempt], gone: Timestamp?) {
        self.machine = machine
        self.waiting = waiting
        self.attempts = attempts.suffix(AlertLimits.attempts)
        self.gone = gone
    }

    /// Enqueues a message, replacing the pending one.
    ///
    /// A receiver that becomes reachable again gets the current state, not an outdated one. A reminder is dropped while
    /// another message is pending.
    public mutating func tell(_ delivery: AlertDelivery) {
        // The message that a reminder would repeat has not been delivered yet.
        if waiting != nil, delivery.kind == .remind { return }
        if let waiting {
            remember(
                AlertAttempt(
                    id: waiting.id,
                    kind: waiting.kind.rawValue,
                    outcome: .superseded,
                    at: delivery.created,
                    number: waiting.failures
                )
            )
        }
        waiting = delivery
    }

    /// Handles the end of an attempt.
    ///
    /// - Parameters:
    ///   - delivery: the message; a different one may be pending by now.
    ///   - result: the result of the attempt.
    ///   - time: the wall clock.
    ///   - took: the duration of the attempt.
    ///   - jitter: a random number from 0 to below 1.
    /// - Returns: the delay before the next attempt; nil if none follows.
    public mutating func sent(
        _ delivery: AlertDelivery,
        _ result: AlertResult,
        at time: Timestamp,
        took: Duration,
        jitter: Double
    ) -> Duration? {
        let number = delivery.failures + 1
        let isCurrent = waiting?.id == delivery.id
        var asked: Duration?
        if case .answered(let status, let wait) = result, status == 429 || status == 503 { asked = wait }
        let wait = isCurrent ? AlertDelivery.wait(after: number, asked: asked, jitter: jitter) : nil
        let outcome: AlertAttempt.Outcome =
            if result.isTaken { .delivered } else if result.isGone { .gone } else {
                wait != nil ? .failed : (isCurrent ? .givenUp : .superseded)
            }
        remember(
            AlertAttempt(of: delivery.id, delivery.kind.rawValue, result, outcome, at: time, number: number, took: took)
        )
        if result.isGone {
            gone = time
            waiting = nil
            return nil
        }
        guard isCurrent else { return nil }
        guard let wait, !result.isTaken else {
            waiting = nil
            return nil
        }
        waiting?.failures = number
        waiting?.next = time.advanced(by: wait)
        return wait
    }

    /// Handles the end of a test delivery.
    public mutating func tested(_ id: String, _ result: AlertResult, at time: Timestamp, took: Duration) {
        let outcome: AlertAttempt.Outcome = result.isTaken ? .delivered : .givenUp
        remember(AlertAttempt(of: id, "test", result, outcome, at: time, number: 1, took: took))
    }

    /// Handles a change of the settings.
    ///
    /// The receiver is assumed to accept messages again. Without a webhook, the pending message is dropped.
    public mutating func decided(isTold: Bool) {
        gone = nil
        if !isTold { waiting = nil }
    }

    private mutating func remember(_ attempt: AlertAttempt) {
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
    public var former: FormerSecret?

    /// A secret that was replaced.
    public struct FormerSecret: Sendable, Hashable {
        /// The secret.
        public var secret: WebhookSecret
        /// When the secret stops signing.
        public var until: Timestamp

        /// Creates a former secret.
        public init(_ secret: WebhookSecret, until: Timestamp) {
            self.secret = secret
            self.until = until
        }
    }

    /// Creates an alert with its secrets.
    public init(_ alert: Alert, secret: WebhookSecret, former: FormerSecret? = nil) {
        self.alert = alert
        self.secret = secret
        self.former = former
    }

    /// Returns the secrets that sign at a given time, current one first.
    public func secrets(at time: Timestamp) -> [WebhookSecret] {
        [secret] + (former.map { $0.until > time ? [$0.secret] : [] } ?? [])
    }
}
