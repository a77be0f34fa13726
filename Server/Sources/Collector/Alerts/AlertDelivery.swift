// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// One message about an alert, which is told until it is taken, or given up.
public struct AlertDelivery: Sendable, Hashable {
    /// Names the message for ever, in every attempt: what `webhook-id` says.
    public var id: String
    /// What it tells: `firing`, `reminder`, `resolved`, `unknown`, `known`.
    public var kind: AlertMachine.Action
    /// The body, the same in every attempt.
    public var body: String
    /// When it was made.
    public var created: Timestamp
    /// How many attempts have failed.
    public var failures = 0
    /// When the next attempt is due by the wall clock; nil for at once.
    public var next: Timestamp?

    /// A message.
    public init(
        id: String,
        kind: AlertMachine.Action,
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

    /// How long to wait after so many failures: Standard Webhooks' example up to ten hours, so that a message is given up after
    /// seven attempts in 17 h 35 min, or a quarter more by chance.
    private static let waits: [Duration] = [
        .seconds(5), .seconds(300), .seconds(1_800), .seconds(7_200), .seconds(18_000), .seconds(36_000),
    ]

    /// The longest that a receiver can ask to be left alone.
    private static let longestWait = Duration.seconds(86_400)

    /// How long to wait before the next attempt.
    ///
    /// - Parameters:
    ///   - failures: how many attempts have failed, from 1.
    ///   - asked: how long the receiver asked to be left alone; nil when it did not.
    ///   - jitter: chance, from 0 to below 1, that spreads attempts of many over a quarter of the wait.
    /// - Returns: nil when there is no next attempt.
    public static func wait(after failures: Int, asked: Duration?, jitter: Double) -> Duration? {
        guard failures >= 1, failures <= waits.count else { return nil }
        let wait = waits[failures - 1]
        let spread = wait + wait * (0.25 * min(max(jitter, 0), 1))
        return max(spread, min(asked ?? .zero, longestWait))
    }

    /// How long to wait for the next attempt as it was kept, whatever was done to the wall clock since.
    func wait(at time: Timestamp) -> Duration {
        guard let next, failures > 0 else { return .zero }
        return min(max(.zero, time.duration(to: next)), Self.longestWait)
    }
}

/// What came of one attempt.
public enum AlertResult: Sendable, Hashable {
    /// There was an answer. `asked`: how long its sender wants to be left alone.
    case answered(status: Int, asked: Duration?)
    /// There was none: one sentence why.
    case failed(String)
    /// It may not be sent there: one sentence why.
    case refused(String)

    /// Whether the message was taken.
    public var isTaken: Bool {
        guard case .answered(let status, _) = self else { return false }
        return (200...299).contains(status)
    }

    /// Whether nothing shall be told there any more.
    var isGone: Bool {
        guard case .answered(410, _) = self else { return false }
        return true
    }
}

/// One attempt, for people who look why a message did not come.
public struct AlertAttempt: Sendable, Hashable {
    /// What became of the message with it.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The receiver took it.
        case delivered
        /// It did not, and there will be another attempt.
        case failed
        /// It did not, and there will be none.
        case givenUp = "given_up"
        /// The receiver wants no messages any more.
        case gone
        /// A later message about the alert took its place.
        case superseded
    }

    /// The message's id.
    public var id: String
    /// What it tells: an action's name, or `test`.
    public var kind: String
    /// What became of it.
    public var outcome: Outcome
    /// When the attempt ended.
    public var time: Timestamp
    /// Which attempt it was, from 1.
    public var number: Int
    /// The answer's status; nil when there was no answer.
    public var status: Int?
    /// Why there was no answer; nil when there was one.
    public var message: String?
    /// How long it took, in milliseconds.
    public var took: Int64

    /// An attempt.
    public init(
        id: String,
        kind: String,
        outcome: Outcome,
        at time: Timestamp,
        number: Int,
        status: Int? = nil,
        message: String? = nil,
        took: Int64 = 0
    ) {
        self.id = id
        self.kind = kind
        self.outcome = outcome
        self.time = time
        self.number = number
        self.status = status
        self.message = message
        self.took = took
    }

    /// An attempt with what came of it.
    init(
        of id: String,
        _ kind: String,
        _ result: AlertResult,
        _ outcome: Outcome,
        at time: Timestamp,
        number: Int,
        took: Duration
    ) {
        self.init(id: id, kind: kind, outcome: outcome, at: time, number: number, took: took.wholeMilliseconds)
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
        writer.member("took", took)
        writer.endObject()
    }
}
