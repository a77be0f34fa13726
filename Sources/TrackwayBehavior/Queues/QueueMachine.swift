// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides when a named queue of events is ready for an upload: by number, and by the time since the last one.
///
/// It is told how many events wait, by whoever can count them; it counts nothing itself, so that a restart, an age limit or
/// a forgotten message cannot make it wrong for long. The time is watched by a clock: what came late to a quiet queue does
/// not wait for the next event. The first event ever is ready at once when time matters, for there was no upload before it.
package struct QueueMachine: Sendable, Hashable {
    /// An order to the driver. Orders of one input are carried out one after the other.
    package enum Action: Sendable, Hashable {
        /// Hand what waits over to delivery, and answer with `transferred` or `transferFailed`.
        case transfer
        /// Keep this time of the last upload beyond the process.
        case remember(DeviceTime)
        /// Call `timeCame` at this time; replaces any earlier such order.
        case wake(at: MonotonicTime)
    }

    /// What the queue is held to; a process may begin with another one than the last had.
    package var policy: QueuePolicy
    /// How many events wait.
    package private(set) var waiting: UInt64 = 0
    /// When an upload was last asked for; nil before the first.
    package private(set) var lastUpload: DeviceTime?
    /// Until when nothing is asked for, because the journal failed.
    private var pause: MonotonicTime?

    /// A queue of which nothing was counted yet.
    ///
    /// - Parameter lastUpload: What an earlier process remembered.
    package init(policy: QueuePolicy, lastUpload: DeviceTime? = nil) {
        self.policy = policy
        self.lastUpload = lastUpload
    }

    /// True when the queue, as counted last, is worth an upload.
    package func isReadyForUpload(at now: DeviceTime) -> Bool {
        isReadyForUpload(with: waiting, at: now)
    }

    /// True when the queue would be worth an upload if so many events waited.
    package func isReadyForUpload(with waiting: UInt64, at now: DeviceTime) -> Bool {
        guard waiting > 0 else { return false }
        if policy.uploadWhenMoreThan >= 0, waiting > UInt64(policy.uploadWhenMoreThan) { return true }
        guard policy.uploadWhenOlderThan > .zero else { return false }
        // When nobody can tell how long ago the last one was, it was too long ago: better early than never.
        guard let age = lastUpload.flatMap({ now.elapsed(since: $0) }) else { return true }
        return age > policy.uploadWhenOlderThan
    }

    /// After how many more events a rule may come true that no wake order watches; nil when none can.
    package var triggerCount: UInt64? {
        guard pause == nil else { return nil }
        if policy.uploadWhenOlderThan > .zero, waiting == 0 { return 1 }
        guard policy.uploadWhenMoreThan >= 0 else { return nil }
        let enough = UInt64(policy.uploadWhenMoreThan) + 1
        return enough > waiting ? enough - waiting : 1
    }

    // MARK: Inputs

    /// This process delivers from here on. Another one may have done so meanwhile, and remembered an upload.
    package mutating func began(lastUpload: DeviceTime?) {
        self.lastUpload = lastUpload
    }

    /// So many events wait: after the start, after a trigger, or because somebody counted.
    package mutating func counted(_ waiting: UInt64, at now: DeviceTime) -> [Action] {
        self.waiting = waiting
        return decide(at: now)
    }

    /// What waited changed hands: it is delivery's now.
    ///
    /// That somebody else brought this about, a flush or another queue, does not renew this one's time.
    package mutating func transferred() {
        waiting = 0
        pause = nil
    }

    /// The journal could not hand over what waits. It is asked again after a while, so that nothing spins.
    package mutating func transferFailed(at now: DeviceTime) -> [Action] {
        let until = now.monotonic.advanced(by: Self.timeout)
        pause = until
        return [.wake(at: until)]
    }

    /// The time of the last wake order came.
    package mutating func timeCame(at now: DeviceTime) -> [Action] {
        decide(at: now)
    }

    // MARK: Decisions

    private mutating func decide(at now: DeviceTime) -> [Action] {
        if let pause, now.monotonic < pause {
            // Never longer than it can be: a clock may go back within a boot.
            let until = min(pause, now.monotonic.advanced(by: Self.timeout))
            self.pause = until
            return [.wake(at: until)]
        }
        pause = nil
        guard waiting > 0 else { return [] }
        if isReadyForUpload(at: now) {
            // Asking counts, whatever comes of it: a queue that cannot be uploaded does not ask with every event.
            lastUpload = now
            return [.transfer, .remember(now)]
        }
        guard policy.uploadWhenOlderThan > .zero, let age = lastUpload.flatMap({ now.elapsed(since: $0) }) else {
            return []
        }
        // More than that time, and time is counted in milliseconds.
        return [.wake(at: now.monotonic.advanced(by: policy.uploadWhenOlderThan - age + .milliseconds(1)))]
    }

    /// How long a journal that failed is left alone.
    private static let timeout = Duration.seconds(30)
}

/// When a named queue takes events, and when it is worth an upload.
public struct QueuePolicy: Sendable, Hashable, Codable {
    /// An event like the one before it is taken only after this time; without any, always.
    public var acceptSameEventAfter: Duration
    /// With more events than this the queue is ready. Below none, the number does not matter.
    public var uploadWhenMoreThan: Int
    /// With any event, and more time than this since the last upload, the queue is ready. Without any, time does not matter.
    public var uploadWhenOlderThan: Duration

    /// A policy of these parts; by default every event is taken, and is worth an upload.
    public init(
        acceptSameEventAfter: Duration = .zero,
        uploadWhenMoreThan: Int = 0,
        uploadWhenOlderThan: Duration = .zero
    ) {
        self.acceptSameEventAfter = acceptSameEventAfter
        self.uploadWhenMoreThan = uploadWhenMoreThan
        self.uploadWhenOlderThan = uploadWhenOlderThan
    }
}
