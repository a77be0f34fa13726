// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What became of one alert: where it stands, what is still to be told, and what was told.
public struct AlertStatus: Sendable, Hashable {
    /// Where it stands.
    public var machine = AlertMachine()
    /// The message that is not delivered yet. One at most: a later one takes its place.
    public private(set) var waiting: AlertDelivery?
    /// The latest attempts, the earliest first.
    public private(set) var attempts: [AlertAttempt] = []
    /// When the receiver said that it wants no messages any more; nil while it takes them.
    public private(set) var gone: Timestamp?

    /// Nothing has happened yet.
    public init() {}

    /// A status as it was kept.
    init(machine: AlertMachine, waiting: AlertDelivery?, attempts: [AlertAttempt], gone: Timestamp?) {
        self.machine = machine
        self.waiting = waiting
        self.attempts = attempts.suffix(AlertLimits.attempts)
        self.gone = gone
    }

    /// A message is to be told. What waits gives way to it: a receiver that comes back hears how things are, not how they were.
    public mutating func tell(_ delivery: AlertDelivery) {
        // What a reminder would repeat has not been heard yet.
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

    /// An attempt has ended.
    ///
    /// - Parameters:
    ///   - delivery: the message; another one may wait by now.
    ///   - result: what came of it.
    ///   - time: the wall clock.
    ///   - took: how long it took.
    ///   - jitter: chance, from 0 to below 1.
    /// - Returns: how long to wait for the next attempt; nil when there is none.
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

    /// A trial has ended.
    public mutating func tested(_ id: String, _ result: AlertResult, at time: Timestamp, took: Duration) {
        let outcome: AlertAttempt.Outcome = result.isTaken ? .delivered : .givenUp
        remember(AlertAttempt(of: id, "test", result, outcome, at: time, number: 1, took: took))
    }

    /// Somebody has decided about the alert anew: where it is told counts as there.
    public mutating func decided(isTold: Bool) {
        gone = nil
        if !isTold { waiting = nil }
    }

    private mutating func remember(_ attempt: AlertAttempt) {
        attempts.append(attempt)
        if attempts.count > AlertLimits.attempts { attempts.removeFirst(attempts.count - AlertLimits.attempts) }
    }
}

/// An alert with the secrets that sign what is told about it, as it is kept.
public struct StoredAlert: Sendable, Hashable {
    /// The alert.
    public var alert: Alert
    /// The secret that signs.
    public var secret: WebhookSecret
    /// The one before it, which signs as well until a moment.
    public var former: FormerSecret?

    /// A secret that was replaced.
    public struct FormerSecret: Sendable, Hashable {
        /// The secret.
        public var secret: WebhookSecret
        /// From when on it signs no more.
        public var until: Timestamp

        /// A former secret.
        public init(_ secret: WebhookSecret, until: Timestamp) {
            self.secret = secret
            self.until = until
        }
    }

    /// An alert with its secrets.
    public init(_ alert: Alert, secret: WebhookSecret, former: FormerSecret? = nil) {
        self.alert = alert
        self.secret = secret
        self.former = former
    }

    /// The secrets that sign at a moment, the current one first.
    public func secrets(at time: Timestamp) -> [WebhookSecret] {
        [secret] + (former.map { $0.until > time ? [$0.secret] : [] } ?? [])
    }
}
