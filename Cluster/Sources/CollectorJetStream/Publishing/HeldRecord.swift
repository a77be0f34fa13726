// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Decides how a held record is published until its sender has an answer.
///
/// The decisions cover the number of attempts, the server for each attempt, and when to give up. A value type.
struct HeldRecord: Sendable {
    /// The time limits of a held record, and the pauses between attempts.
    struct Times: Sendable, Hashable {
        /// The maximum time for which a record is held.
        var limit: Duration = .seconds(10)
        /// The pause between attempts while the stream has no leader.
        var pause: Duration = .milliseconds(150)
        /// The pause between attempts while NATS is still processing the first one.
        var inProgress: Duration = .milliseconds(100)
        /// The time without a leader after which to switch servers.
        ///
        /// The current server may be cut off from the others.
        var serverSwitch: Duration = .seconds(3)
    }

    /// The next step.
    enum Step: Sendable, Hashable {
        /// Wait, and publish again under the same id.
        ///
        /// If `onOtherServer` is true, switch to another server first.
        case retry(after: Duration, onOtherServer: Bool)
        /// The record is stored.
        case stored(sequence: UInt64, isRepeated: Bool)
        /// Give up; the sender retries.
        case giveUp(HeldRecordFailure)
    }

    private let times: Times
    private let end: MonotonicTime
    /// The time at which to switch servers; postponed after each switch.
    private var switchTime: MonotonicTime
    /// Whether the record may be stored even though no attempt was acknowledged.
    private var mayBeStored = false

    /// Creates the state of a record that has just arrived.
    init(times: Times = Times(), at now: MonotonicTime) {
        self.times = times
        end = now.advanced(by: times.limit)
        switchTime = now.advanced(by: times.serverSwitch)
    }

    /// Handles a blocked attempt: the cluster is not proven durable or not connected.
    mutating func publishBlocked(_ reason: String, at now: MonotonicTime) -> Step {
        guard now < end else { return .giveUp(HeldRecordFailure(reason: reason, mayBeStored: mayBeStored)) }
        return .retry(after: wait(times.pause, now), onOtherServer: false)
    }

    /// Handles the outcome of an attempt.
    mutating func publishFinished(with outcome: PublishOutcome, at now: MonotonicTime) -> Step {
        switch outcome {
        case .stored(let sequence, let isRepeated):
            // Even after the time limit, report success, so that the sender does not have to resend the record.
            return .stored(sequence: sequence, isRepeated: isRepeated)
        case .full(let reason):
            return .giveUp(HeldRecordFailure(kind: .full, reason: reason, mayBeStored: mayBeStored))
        case .misconfigured(let reason):
            return .giveUp(HeldRecordFailure(kind: .misconfigured, reason: reason, mayBeStored: mayBeStored))
        case .notStored(let reason):
            return retry(reason, after: times.pause, onOtherServer: now >= switchTime, at: now)
        case .inProgress:
            mayBeStored = true
            return retry(
                "the NATS cluster is still processing it",
                after: times.inProgress,
                onOtherServer: false,
                at: now
            )
        case .unknown(let reason):
            mayBeStored = true
            return retry(reason, after: times.pause, onOtherServer: true, at: now)
        }
    }

    private mutating func retry(_ reason: String, after pause: Duration, onOtherServer: Bool, at now: MonotonicTime)
        -> Step
    {
        guard now < end else { return .giveUp(HeldRecordFailure(reason: reason, mayBeStored: mayBeStored)) }
        if onOtherServer { switchTime = now.advanced(by: times.serverSwitch) }
        return .retry(after: wait(pause, now), onOtherServer: onOtherServer)
    }

    private func wait(_ pause: Duration, _ now: MonotonicTime) -> Duration {
        min(pause, now.duration(to: end))
    }
}

/// Why the collector gave up on a record.
struct HeldRecordFailure: Sendable, Hashable {
    /// The kind of failure.
    enum Kind: Sendable, Hashable {
        /// The cluster did not accept the record in time.
        case unavailable
        /// The stream is full.
        case full
        /// The stream is misconfigured.
        case misconfigured
    }

    var kind = Kind.unavailable
    /// The reason, as a clause.
    var reason: String
    /// Whether the record may be stored.
    ///
    /// In either case, the sender resends the record, and it is stored only once.
    var mayBeStored: Bool
}
