// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides when a snapshot is taken: when the user comes, when the screen changes, when the app asks, and when the last one
/// was too long ago.
///
/// Use is limited by a token bucket. What the app asks for is not, nor is what time brings about. The state outlives the
/// process, so that an app that is started often is no exception.
package struct SnapshotCadence: Sendable, Hashable, Codable {
    /// Why a snapshot is taken.
    package enum Trigger: String, Sendable, Hashable, Codable, CaseIterable {
        /// The user opened the app, or came back.
        case foreground
        /// Another screen is shown.
        case screen
        /// The last one was too long ago.
        case time
        /// The app asked.
        case request
    }

    /// An order to the driver.
    package enum Action: Sendable, Hashable {
        /// Take a snapshot.
        case take(Trigger)
        /// Call `timeCame` at this time; replaces any earlier such order.
        case wake(at: MonotonicTime)
        /// Forget the last such order.
        case rest
    }

    private var policy: SnapshotPolicy
    private var bucket: TokenBucket
    private var isInForeground = false
    private var lastTaken: DeviceTime?

    /// Nothing was taken yet.
    package init(policy: SnapshotPolicy = SnapshotPolicy()) {
        self.policy = policy
        bucket = TokenBucket(capacity: policy.atMost, per: policy.per)
    }

    // MARK: Inputs

    /// A process began, with this policy. Until the user comes it is in the background.
    package mutating func processStarted(policy: SnapshotPolicy) {
        isInForeground = false
        guard policy != self.policy else { return }
        self.policy = policy
        bucket = TokenBucket(capacity: policy.atMost, per: policy.per)
    }

    /// The user opened the app, or came back.
    package mutating func enteredForeground(at now: DeviceTime) -> [Action] {
        guard !isInForeground else { return [] }
        isInForeground = true
        return used(.foreground, at: now)
    }

    /// The user left. What was taken stays; nothing is taken by itself until they are back.
    package mutating func enteredBackground() -> [Action] {
        guard isInForeground else { return [] }
        isInForeground = false
        return [.rest]
    }

    /// Another screen is shown.
    package mutating func screenChanged(at now: DeviceTime) -> [Action] {
        guard isInForeground else { return [] }  // Nobody sees it.
        return used(.screen, at: now)
    }

    /// The app asks for one, in the background too.
    package mutating func requested(at now: DeviceTime) -> [Action] {
        take(.request, at: now)
    }

    /// The time of the last wake order came.
    package mutating func timeCame(at now: DeviceTime) -> [Action] {
        guard isInForeground else { return [] }
        return isDue(at: now) ? take(.time, at: now) : wake(at: now)
    }

    // MARK: Decisions

    private mutating func used(_ trigger: Trigger, at now: DeviceTime) -> [Action] {
        if bucket.take(at: now) { return take(trigger, at: now) }
        // Too often. That the last one is too long ago all the same can be: the bucket may allow less than that.
        return isDue(at: now) ? take(.time, at: now) : wake(at: now)
    }

    private mutating func take(_ trigger: Trigger, at now: DeviceTime) -> [Action] {
        lastTaken = now
        return [.take(trigger)] + wake(at: now)
    }

    /// True when there was none, or one that nobody can tell the age of.
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

    /// How long there may be none.
    private var pause: Duration { max(policy.atLeastEvery, .seconds(1)) }
}

/// How often the state of a device and an app is worth a snapshot.
public struct SnapshotPolicy: Sendable, Hashable, Codable {
    /// At most so many that the app's use brings about…
    public var atMost: Int
    /// …in so long.
    public var per: Duration
    /// In the foreground a snapshot is taken at least so often, use or not; a second at the least. Without any time, use
    /// alone brings snapshots about.
    public var atLeastEvery: Duration

    /// A policy of these parts; by default thirty a minute, and one in two minutes.
    public init(atMost: Int = 30, per: Duration = .seconds(60), atLeastEvery: Duration = .seconds(120)) {
        self.atMost = atMost
        self.per = per
        self.atLeastEvery = atLeastEvery
    }
}
