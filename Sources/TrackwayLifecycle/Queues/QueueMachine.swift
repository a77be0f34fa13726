// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The state machine that decides when a named queue is uploaded.
///
/// A queue becomes ready by its number of events or by the time since its last upload. The caller passes in the number
/// of pending events; the machine does not count them, so a restart, an age limit, or a lost message cannot make the
/// number wrong for long. A timer covers the time rule, so a late event in a quiet queue does not wait for the next
/// event. With a time rule, the first event ever makes the queue ready at once, because no upload preceded it.
package struct QueueMachine: Sendable, Equatable {
    /// An action for the caller.
    ///
    /// The actions of one input are performed in order.
    package enum Action: Sendable, Equatable {
        /// Hand the pending events over to delivery, then call `transferFinished` or `transferFailed`.
        case transfer
        /// Persist this time of the last upload.
        case remember(DeviceTime)
        /// Call `timerFired` at this time, replacing any earlier wake action.
        case wake(at: MonotonicTime)
    }

    /// The queue's policy, which may differ from the previous process's policy.
    package var policy: QueuePolicy
    /// The number of pending events.
    package private(set) var waiting: UInt64 = 0
    /// The time of the last upload request; nil before the first.
    package private(set) var lastUpload: DeviceTime?
    /// The time before which no upload is requested, because the journal failed.
    private var pause: MonotonicTime?

    /// Creates a queue whose events have not been counted yet.
    ///
    /// - Parameter lastUpload: The value persisted by an earlier process.
    package init(policy: QueuePolicy, lastUpload: DeviceTime? = nil) {
        self.policy = policy
        self.lastUpload = lastUpload
    }

    /// Returns whether the queue, as last counted, is ready for an upload.
    package func isReadyForUpload(at now: DeviceTime) -> Bool {
        isReadyForUpload(with: waiting, at: now)
    }

    /// Returns whether the queue would be ready with this many pending events.
    package func isReadyForUpload(with waiting: UInt64, at now: DeviceTime) -> Bool {
        guard waiting > 0 else { return false }
        if policy.uploadWhenMoreThan >= 0, waiting > UInt64(policy.uploadWhenMoreThan) { return true }
        guard policy.uploadWhenOlderThan > .zero else { return false }
        // If the age of the last upload is unknown, upload now: an early upload is better than none.
        guard let age = lastUpload.flatMap({ now.elapsed(since: $0) }) else { return true }
        return age > policy.uploadWhenOlderThan
    }

    /// The number of further events that may make the queue ready.
    ///
    /// This covers the rules that no wake action covers; nil if no such rule can apply.
    package var triggerCount: UInt64? {
        guard pause == nil else { return nil }
        if policy.uploadWhenOlderThan > .zero, waiting == 0 { return 1 }
        guard policy.uploadWhenMoreThan >= 0 else { return nil }
        let enough = UInt64(policy.uploadWhenMoreThan) + 1
        return enough > waiting ? enough - waiting : 1
    }

    // MARK: Inputs

    /// Handles the start of delivery in this process.
    ///
    /// Another process may have delivered events and persisted the time of an upload before that.
    package mutating func deliveryBegan(lastUpload: DeviceTime?) {
        self.lastUpload = lastUpload
    }

    /// Sets the number of pending events.
    ///
    /// Call after the start, after a trigger, and whenever events were counted.
    package mutating func updateWaiting(_ waiting: UInt64, at now: DeviceTime) -> [Action] {
        self.waiting = waiting
        return decide(at: now)
    }

    /// Handles the handover of the pending events to delivery.
    ///
    /// A handover caused by a flush or another queue does not restart this queue's time.
    package mutating func transferFinished() {
        waiting = 0
        pause = nil
    }

    /// Handles the journal's failure to hand over the pending events.
    ///
    /// The next attempt is made after 30 seconds, so that a failing journal is not retried in a tight loop.
    package mutating func transferFailed(at now: DeviceTime) -> [Action] {
        let until = now.monotonic.advanced(by: Self.timeout)
        pause = until
        return [.wake(at: until)]
    }

    /// Handles the arrival of the time set by the last wake action.
    package mutating func timerFired(at now: DeviceTime) -> [Action] {
        decide(at: now)
    }

    // MARK: Decisions

    private mutating func decide(at now: DeviceTime) -> [Action] {
        if let pause, now.monotonic < pause {
            // Limit the pause to the timeout: the clock may go back within a boot.
            let until = min(pause, now.monotonic.advanced(by: Self.timeout))
            self.pause = until
            return [.wake(at: until)]
        }
        pause = nil
        guard waiting > 0 else { return [] }
        if isReadyForUpload(at: now) {
            // The request is recorded regardless of its result: a queue that cannot be uploaded must not request an
            // upload for every event.
            lastUpload = now
            return [.transfer, .remember(now)]
        }
        guard policy.uploadWhenOlderThan > .zero, let age = lastUpload.flatMap({ now.elapsed(since: $0) }) else {
            return []
        }
        // The age must exceed the limit, and time is counted in milliseconds.
        return [.wake(at: now.monotonic.advanced(by: policy.uploadWhenOlderThan - age + .milliseconds(1)))]
    }

    /// The pause after a journal failure.
    private static let timeout = Duration.seconds(30)
}

/// The rules for when a named queue accepts events and is uploaded.
public struct QueuePolicy: Sendable, Hashable, Codable {
    /// The time after which a repeated event is accepted again.
    ///
    /// With zero or less, every event is accepted.
    public var acceptSameEventAfter: Duration
    /// The number of pending events above which the queue is ready.
    ///
    /// If negative, the number of events is ignored.
    public var uploadWhenMoreThan: Int
    /// The time since the last upload that makes a nonempty queue ready.
    ///
    /// With zero or less, the time is ignored.
    public var uploadWhenOlderThan: Duration

    /// Creates a policy.
    ///
    /// By default, every event is accepted and makes the queue ready.
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
