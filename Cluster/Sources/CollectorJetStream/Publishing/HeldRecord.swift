// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Decides what is done for one record from its arrival until its sender has an answer: how often it is published, where, and
/// when that is given up. A value.
struct HeldRecord: Sendable {
    /// How long a record is held, and how often it is published meanwhile.
    struct Times: Sendable, Hashable {
        /// So long at most.
        var limit: Duration = .seconds(10)
        /// Between two attempts while the stream has no leader.
        var pause: Duration = .milliseconds(150)
        /// Between two attempts while the first is on its way.
        var inProcess: Duration = .milliseconds(100)
        /// After so long without a leader another server is asked: this one may be cut off from the others.
        var elsewhere: Duration = .seconds(3)
    }

    /// What comes next.
    enum Step: Sendable, Hashable {
        /// Wait, then publish it again under the same id; before that, leave the server for another.
        case again(after: Duration, elsewhere: Bool)
        /// It is stored.
        case stored(sequence: UInt64, isRepeated: Bool)
        /// Its sender comes back.
        case refuse(HeldRefusal)
    }

    private let times: Times
    private let end: MonotonicTime
    /// Another server is asked then, once more each time.
    private var move: MonotonicTime
    /// Whether it may be stored nevertheless.
    private var isUnknown = false

    /// A record that has arrived.
    init(times: Times = Times(), at now: MonotonicTime) {
        self.times = times
        end = now.advanced(by: times.limit)
        move = now.advanced(by: times.elsewhere)
    }

    /// It could not be published, because the engine is not proven now, or not connected.
    mutating func isBarred(_ reason: String, at now: MonotonicTime) -> Step {
        guard now < end else { return .refuse(HeldRefusal(reason: reason, isUnknown: isUnknown)) }
        return .again(after: wait(times.pause, now), elsewhere: false)
    }

    /// It was published, and this has become of it.
    mutating func published(_ outcome: PublishOutcome, at now: MonotonicTime) -> Step {
        switch outcome {
        case .stored(let sequence, let isRepeated):
            // Even when its time is over: the truth is better than a reason to send it again.
            return .stored(sequence: sequence, isRepeated: isRepeated)
        case .full(let reason):
            return .refuse(HeldRefusal(kind: .full, reason: reason, isUnknown: isUnknown))
        case .misconfigured(let reason):
            return .refuse(HeldRefusal(kind: .misconfigured, reason: reason, isUnknown: isUnknown))
        case .notStored(let reason):
            return again(reason, after: times.pause, elsewhere: now >= move, at: now)
        case .inProcess:
            isUnknown = true
            return again("the engine has not decided yet", after: times.inProcess, elsewhere: false, at: now)
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
    /// What stands in the way.
    enum Kind: Sendable, Hashable {
        /// The engine did not take it in time.
        case unavailable
        /// The stream is full.
        case full
        /// The stream is not what it has to be.
        case misconfigured
    }

    var kind = Kind.unavailable
    /// Half a sentence with the reason.
    var reason: String
    /// Whether it may be stored nevertheless. The sender sends it again either way; it is met once.
    var isUnknown: Bool
}
