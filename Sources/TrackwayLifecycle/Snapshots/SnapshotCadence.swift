// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The state machine that decides when to take a snapshot.
///
/// A snapshot is taken when the user arrives, when the screen changes, when the app requests one, and when the last one
/// is too old.
///
/// A token bucket limits the snapshots caused by use, but not those that the app requests or that are due by time. The
/// state outlives the process, so frequent restarts do not bypass the limit.
package struct SnapshotCadence: Sendable, Equatable, Codable {
    /// The reason for a snapshot.
    package enum Trigger: String, Sendable, Hashable, Codable, CaseIterable {
        /// The user opened the app or returned to it.
        case foreground
        /// Another screen was shown.
        case screen
        /// The last snapshot is too old.
        case time
        /// The app requested a snapshot.
        case request
    }

    /// An action for the caller.
    package enum Action: Sendable, Equatable {
        /// Take a snapshot.
        case take(Trigger)
        /// Call `timerFired` at this time, replacing any earlier wake action.
        case wake(at: MonotonicTime)
        /// Cancel the last wake action.
        case cancelWake
    }

    private var policy: SnapshotPolicy
    private var bucket: TokenBucket
    private var isInForeground = false
    private var lastTaken: DeviceTime?

    /// Creates a cadence for which no snapshot has been taken yet.
    package init(policy: SnapshotPolicy = SnapshotPolicy()) {
        self.policy = policy
        bucket = TokenBucket(capacity: policy.atMost, per: policy.per)
    }

    // MARK: Inputs

    /// Handles the start of a process with this policy.
    ///
    /// The process counts as being in the background until the app enters the foreground.
    package mutating func processStarted(policy: SnapshotPolicy) {
        isInForeground = false
        guard policy != self.policy else { return }
        self.policy = policy
        bucket = TokenBucket(capacity: policy.atMost, per: policy.per)
    }

    /// Handles the opening of the app, or the return to it.
    package mutating func appEnteredForeground(at now: DeviceTime) -> [Action] {
        guard !isInForeground else { return [] }
        isInForeground = true
        return appUsed(.foreground, at: now)
    }

    /// Handles the user's departure.
    ///
    /// Snapshots already taken are kept. No further ones are taken automatically until the user returns.
    package mutating func appEnteredBackground() -> [Action] {
        guard isInForeground else { return [] }
        isInForeground = false
        return [.cancelWake]
    }

    /// Handles a change to another screen.
    package mutating func screenChanged(at now: DeviceTime) -> [Action] {
        guard isInForeground else { return [] }  // The user does not see the screen.
        return appUsed(.screen, at: now)
    }

    /// Handles the app's request for a snapshot, possibly in the background.
    package mutating func snapshotRequested(at now: DeviceTime) -> [Action] {
        take(.request, at: now)
    }

    /// Handles the time of the last wake action.
    package mutating func timerFired(at now: DeviceTime) -> [Action] {
        guard isInForeground else { return [] }
        return isDue(at: now) ? take(.time, at: now) : wake(at: now)
    }

    // MARK: Decisions

    private mutating func appUsed(_ trigger: Trigger, at now: DeviceTime) -> [Action] {
        if bucket.take(at: now) { return take(trigger, at: now) }
        // The limit is reached. The last snapshot may still be too old, because the bucket may allow fewer snapshots
        // than the maximum age requires.
        return isDue(at: now) ? take(.time, at: now) : wake(at: now)
    }

    private mutating func take(_ trigger: Trigger, at now: DeviceTime) -> [Action] {
        lastTaken = now
        return [.take(trigger)] + wake(at: now)
    }

    /// Whether the last snapshot is too old, missing, or of unknown age.
    private func isDue(at now: DeviceTime) -> Bool {
        guard policy.atLeastEvery > .zero else { return false }
        guard let age = lastTaken.flatMap({ now.elapsed(since: $0) }) else { return true }
        return age >= pause
    }

    private func wake(at now: DeviceTime) -> [Action] {
        guard isInForeground, policy.atLeastEvery > .zero else { return [] }
        let age = lastTaken.flatMap { now.elapsed(since: $0) } ?? pause
        return [.wake(at: now.monotonic.advanced(by: pause - age))]
    }

    /// The maximum time without a snapshot.
    private var pause: Duration { max(policy.atLeastEvery, .seconds(1)) }
}

/// The frequency of snapshots.
public struct SnapshotPolicy: Sendable, Hashable, Codable {
    /// The maximum number of snapshots caused by use within ``per``.
    public var atMost: Int
    /// The interval that ``atMost`` applies to.
    public var per: Duration
    /// The maximum time between snapshots in the foreground; at least one second.
    ///
    /// It applies with or without use of the app. With zero or less, only use causes snapshots.
    public var atLeastEvery: Duration

    /// Creates a policy.
    ///
    /// By default, up to 30 snapshots per minute, and at least one every two minutes.
    public init(atMost: Int = 30, per: Duration = .seconds(60), atLeastEvery: Duration = .seconds(120)) {
        self.atMost = atMost
        self.per = per
        self.atLeastEvery = atLeastEvery
    }
}
