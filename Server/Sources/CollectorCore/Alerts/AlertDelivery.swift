// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A notification about an alert.
///
/// The notification is sent repeatedly until the receiver accepts it or no attempts remain.
public struct AlertDelivery: Sendable, Hashable {
    /// A permanent message id, sent as `webhook-id`.
    ///
    /// The id is the same in every attempt.
    public var id: String
    /// The kind of notification: `firing`, `reminder`, `resolved`, `unknown`, or `known`.
    public var kind: AlertStateMachine.Action
    /// The body, which is the same in every attempt.
    public var body: String
    /// The creation time.
    public var created: Timestamp
    /// The number of failed attempts.
    public var failures = 0
    /// The wall-clock time of the next attempt; nil for immediately.
    public var next: Timestamp?

    /// Creates a notification.
    public init(
        id: String,
        kind: AlertStateMachine.Action,
        body: String,
        created: Timestamp,
        failures: Int = 0,
        next: Timestamp? = nil
    ) {
        self.id = id
        self.kind = kind
        self.body = body
        self.created = created
        self.failures = failures
        self.next = next
    }

    /// The delays after each failure, in order.
    ///
    /// The delays follow the example in Standard Webhooks up to ten hours, so a message is abandoned after seven
    /// attempts in 17 h 35 min, or up to a quarter more with jitter.
    private static let retryDelays: [Duration] = [
        .seconds(5), .seconds(300), .seconds(1_800), .seconds(7_200), .seconds(18_000), .seconds(36_000),
    ]

    /// The maximum delay that a receiver can request.
    private static let maximumRetryDelay = Duration.seconds(86_400)

    /// Returns the delay before the next attempt.
    ///
    /// - Parameters:
    ///   - failures: The number of failed attempts, from 1.
    ///   - requested: The delay that the receiver requested; nil if none.
    ///   - jitter: A random number in `0..<1`, which spreads attempts over an additional quarter of the delay.
    /// - Returns: The delay; nil when no further attempt follows.
    public static func retryDelay(after failures: Int, requested: Duration?, jitter: Double) -> Duration? {
        guard failures >= 1, failures <= retryDelays.count else { return nil }
        let delay = retryDelays[failures - 1]
        let spread = delay + delay * (0.25 * min(max(jitter, 0), 1))
        return max(spread, min(requested ?? .zero, maximumRetryDelay))
    }

    /// Returns the remaining delay of a restored message.
    ///
    /// The result is at most one day, regardless of later changes of the wall clock.
    func remainingDelay(at time: Timestamp) -> Duration {
        guard let next, failures > 0 else { return .zero }
        return min(max(.zero, time.duration(to: next)), Self.maximumRetryDelay)
    }
}

/// The result of one attempt.
public enum AlertResult: Sendable, Hashable {
    /// The receiver responded.
    ///
    /// `retryAfter` is the delay that the receiver requested.
    case answered(status: Int, retryAfter: Duration?)
    /// No response arrived.
    ///
    /// The associated value is one sentence with the reason.
    case failed(String)
    /// The policy does not allow the address.
    ///
    /// The associated value is one sentence with the reason.
    case refused(String)

    /// Whether the receiver accepted the message.
    public var isAccepted: Bool {
        guard case .answered(let status, _) = self else { return false }
        return (200...299).contains(status)
    }

    /// Whether the receiver wants no further messages (status 410).
    var isGone: Bool {
        guard case .answered(410, _) = self else { return false }
        return true
    }
}

/// One delivery attempt, for diagnosing undelivered messages.
public struct AlertAttempt: Sendable, Hashable {
    /// The outcome of the attempt for the message.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The receiver accepted the message.
        case delivered
        /// The attempt failed and will be retried.
        case failed
        /// The last attempt failed.
        case givenUp = "given_up"
        /// The receiver wants no further messages.
        case gone
        /// A later message about the same alert replaced this one.
        case superseded
    }

    /// The message's id.
    public var id: String
    /// The kind of notification: the raw value of an action, or `test`.
    public var kind: String
    /// The outcome of the attempt.
    public var outcome: Outcome
    /// When the attempt ended.
    public var time: Timestamp
    /// The attempt number, from 1.
    public var number: Int
    /// The HTTP status; nil without a response.
    public var status: Int?
    /// The reason why no response arrived; nil if one did.
    public var message: String?
    /// The duration in milliseconds.
    public var durationMilliseconds: Int64

    /// Creates an attempt.
    public init(
        id: String,
        kind: String,
        outcome: Outcome,
        at time: Timestamp,
        number: Int,
        status: Int? = nil,
        message: String? = nil,
        durationMilliseconds: Int64 = 0
    ) {
        self.id = id
        self.kind = kind
        self.outcome = outcome
        self.time = time
        self.number = number
        self.status = status
        self.message = message
        self.durationMilliseconds = durationMilliseconds
    }

    /// Creates an attempt from its result.
    init(
        of id: String,
        _ kind: String,
        _ result: AlertResult,
        _ outcome: Outcome,
        at time: Timestamp,
        number: Int,
        duration: Duration
    ) {
        self.init(
            id: id,
            kind: kind,
            outcome: outcome,
            at: time,
            number: number,
            durationMilliseconds: duration.wholeMilliseconds
        )
        switch result {
        case .answered(let status, _): self.status = status
        case .failed(let reason), .refused(let reason): message = String(reason.prefix(200))
        }
    }

    /// Writes the attempt.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("kind", kind)
        writer.member("outcome", outcome.rawValue)
        writer.member("time", time)
        writer.member("number", Int64(number))
        if let status { writer.member("status", Int64(status)) }
        if let message { writer.member("message", message) }
        writer.member("took", durationMilliseconds)
        writer.endObject()
    }
}
