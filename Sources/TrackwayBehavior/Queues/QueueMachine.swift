// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides when a named queue of events is ready for an upload: by number, and by the time since the last one.
///
/// The time is watched by a clock: what came late to a quiet queue does not wait for the next event. The first event ever
/// is ready at once when time matters, for there was no upload before it.
package struct QueueMachine: Sendable, Hashable, Codable {
    /// An order to the driver.
    package enum Action: Sendable, Hashable {
        /// Upload what is ready, of this queue and of others, and answer with `transferred` for each that was taken from.
        case requestUpload
        /// Call `timeCame` at this time; replaces any earlier such order.
        case wake(at: MonotonicTime)
    }

    /// What the queue is held to; a process may begin with another one than the last had.
    package var policy: QueuePolicy
    private var count = 0
    private var lastUpload: DeviceTime?

    /// An empty queue.
    package init(policy: QueuePolicy) {
        self.policy = policy
    }

    /// How many events wait.
    package var waiting: Int { count }

    /// True when the queue is worth an upload.
    package func isReadyForUpload(at now: DeviceTime) -> Bool {
        guard count > 0 else { return false }
        if policy.uploadWhenMoreThan >= 0, count > policy.uploadWhenMoreThan { return true }
        guard policy.uploadWhenOlderThan > .zero else { return false }
        // When nobody can tell how long ago the last one was, it was too long ago: better early than never.
        guard let age = lastUpload.flatMap({ now.elapsed(since: $0) }) else { return true }
        return age > policy.uploadWhenOlderThan
    }

    // MARK: Inputs

    /// Events were taken into the queue.
    package mutating func appended(_ events: Int = 1, at now: DeviceTime) -> [Action] {
        count += max(events, 0)
        return decide(at: now)
    }

    /// The queue's events changed hands: they are somebody else's to deliver.
    ///
    /// That another queue brought this about does not renew the time of this one.
    package mutating func transferred() {
        count = 0
    }

    /// The time of the last wake order came, or the process began.
    package mutating func timeCame(at now: DeviceTime) -> [Action] {
        decide(at: now)
    }

    // MARK: Decisions

    private mutating func decide(at now: DeviceTime) -> [Action] {
        guard count > 0 else { return [] }
        if isReadyForUpload(at: now) {
            // Asking counts, whatever comes of it: a queue that cannot be uploaded does not ask with every event.
            lastUpload = now
            return [.requestUpload] + wake(at: now)
        }
        return wake(at: now)
    }

    private func wake(at now: DeviceTime) -> [Action] {
        guard policy.uploadWhenOlderThan > .zero else { return [] }
        let age = lastUpload.flatMap { now.elapsed(since: $0) } ?? .zero
        // More than that time, and time is counted in milliseconds.
        let rest = policy.uploadWhenOlderThan - age + .milliseconds(1)
        return [.wake(at: now.monotonic.advanced(by: rest))]
    }
}
