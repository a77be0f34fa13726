// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Decides how a record is published until its sender has an answer.
///
/// Covers the number of attempts, their servers, and when to give up. A value type.
struct HeldRecord: Sendable {
    /// How long a record is held, and the pauses between attempts.
    struct Times: Sendable, Hashable {
        /// The maximum time.
        var limit: Duration = .seconds(10)
        /// The pause between attempts while the stream has no leader.
        var pause: Duration = .milliseconds(150)
        /// The pause between attempts while the first one is in progress.
        var inProcess: Duration = .milliseconds(100)
        /// The time without a leader after which to switch servers.
        ///
        /// This one may be cut off from the others.
        var elsewhere: Duration = .seconds(3)
    }

    /// The next step.
    enum Step: Sendable, Hashable {
        /// Wait, then publish again under the same id.
        ///
        /// If `elsewhere`, switch to another server first.
        case again(after: Duration, elsewhere: Bool)
        /// The record is stored.
        case stored(sequence: UInt64, isRepeated: Bool)
        /// Give up; the sender retries.
        case refuse(HeldRefusal)
    }

    private let times: Times
    private let end: MonotonicTime
    /// When to switch servers; postponed after each switch.
    private var move: MonotonicTime
    /// Whether the record may be stored even though no attempt was acknowledged.
    private var isUnknown = false

    /// Creates the state of a record that has just arrived.
    init(times: Times = Times(), at now: MonotonicTime) {
        self.times = times
        end = now.advanced(by: times.limit)
        move = now.advanced(by: times.elsewhere)
    }

    /// Handles that the cluster is not proven durable, or not connected.
    mutating func publishBlocked(_ reason: String, at now: MonotonicTime) -> Step {
        guard now < end else { return .refuse(HeldRefusal(reason: reason, isUnknown: isUnknown)) }
        return .again(after: wait(times.pause, now), elsewhere: false)
    }

    /// Handles the outcome of an attempt.
    mutating func published(_ outcome: PublishOutcome, at now: MonotonicTime) -> Step {
        switch outcome {
        case .stored(let sequence, let isRepeated):
            // Even after the time limit: report success rather than make the sender repeat the record.
            return .stored(sequence: sequence, isRepeated: isRepeated)
        case .full(let reason):
            return .refuse(HeldRefusal(kind: .full, reason: reason, isUnknown: isUnknown))
        case .misconfigured(let reason):
            return .refuse(HeldRefusal(kind: .misconfigured, reason: reason, isUnknown: isUnknown))
        case .notStored(let reason):
            return again(reason, after: times.pause, elsewhere: now >= move, at: now)
        case .inProcess:
            isUnknown = true
            return again("the NATS cluster is still processing it", after: times.inProcess, elsewhere: false, at: now)
        case .unknown(let reason):
            isUnknown = true
            return again(reason, after: times.pause, elsewhere: true, at: now)
        }
    }

    private mutating func again(_ reason: String, after pause: Duration, elsewhere: Bool, at now: MonotonicTime) -> Step
    {
        guard now < end else { return .refuse(HeldRefusal(reason: reason, isUnknown: isUnknown)) }
        if elsewhere { move = now.advanced(by: times.elsewhere) }
        return .again(after: wait(pause, now), elsewhere: elsewhere)
    }

    private func wait(_ pause: Duration, _ now: MonotonicTime) -> Duration {
        min(pause, now.duration(to: end))
    }
}

/// Why a record was given up.
struct HeldRefusal: Sendable, Hashable {
    /// The kind of obstacle.
    enum Kind: Sendable, Hashable {
        /// The cluster did not accept it in time.
        case unavailable
        /// The stream is full.
        case full
        /// The stream is misconfigured.
        case misconfigured
    }

    var kind = Kind.unavailable
    /// The reason, as a clause for a sentence.
    var reason: String
    /// Whether the record may be stored.
    ///
    /// The sender repeats it either way; it is stored once.
    var isUnknown: Bool
}
