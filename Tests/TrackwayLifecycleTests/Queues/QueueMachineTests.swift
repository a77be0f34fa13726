// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

extension QueueMachine {
    /// Whether a count triggers an upload.
    fileprivate mutating func requestsTransfer(with waiting: UInt64, at now: DeviceTime) -> Bool {
        updateWaiting(waiting, at: now).contains(.transfer)
    }

    /// Whether a wake-up triggers an upload.
    fileprivate mutating func requestsTransferWhenTimerFires(at now: DeviceTime) -> Bool {
        timerFired(at: now).contains(.transfer)
    }

    /// Returns the queue as the next process restores it, before its first count.
    fileprivate func restarted() throws -> QueueMachine {
        QueueMachine(policy: policy, lastUpload: try lastUpload.map { try reloaded($0) })
    }
}

@Suite("Named queues")
struct QueueMachineTests {
    private static let both = QueuePolicy(uploadWhenMoreThan: 32, uploadWhenOlderThan: .seconds(60))
    private static let timeOnly = QueuePolicy(uploadWhenMoreThan: -1, uploadWhenOlderThan: .seconds(60))

    /// Returns a queue whose last upload was requested at this time.
    private func uploaded(_ policy: QueuePolicy, at now: DeviceTime) -> QueueMachine {
        QueueMachine(policy: policy, lastUpload: now)
    }

    @Test(
        arguments: [
            (32, 31, false), (32, 32, false), (32, 33, true), (0, 0, false), (0, 1, true), (1, 1, false), (1, 2, true),
            (-1, 1000, false), (.max, 1000, false), (.min, 1000, false),
        ] as [(Int, UInt64, Bool)]
    )
    func `a queue is ready with more events than its limit, never with a negative limit, and restarts change nothing`(
        limit: Int,
        events: UInt64,
        isReady: Bool
    ) throws {
        let device = TestDevice()
        var queue = QueueMachine(policy: QueuePolicy(uploadWhenMoreThan: limit))
        var isRequested = false
        for waiting in 0...events {
            queue = try queue.restarted()
            isRequested = queue.requestsTransfer(with: waiting, at: device.now)
        }
        #expect(queue.isReadyForUpload(at: device.now) == isReady)
        #expect(isRequested == isReady)
        #expect(queue.waiting == events)
    }

    @Test(arguments: [(59_999, false), (60_000, false), (60_001, true), (1_000_000, true)] as [(Int, Bool)])
    func `a queue is ready with any event once more than its time limit has passed since the last upload`(
        milliseconds: Int,
        isReady: Bool
    ) throws {
        var device = TestDevice()
        var queue = QueueMachine(policy: Self.both)
        // Without an earlier upload, the first event triggers one immediately.
        expect(queue.requestsTransfer(with: 1, at: device.now), is: true)
        queue.transferFinished()
        device.pass(.milliseconds(milliseconds))
        #expect(!queue.isReadyForUpload(at: device.now))
        queue = try queue.restarted()
        expect(queue.requestsTransfer(with: 0, at: device.now), is: false)
        expect(queue.requestsTransfer(with: 1, at: device.now), is: isReady)
    }

    @Test(arguments: [0, -1])
    func `without a time limit, age does not matter`(seconds: Int) {
        var device = TestDevice()
        let policy = QueuePolicy(uploadWhenMoreThan: 8, uploadWhenOlderThan: .seconds(seconds))
        var queue = QueueMachine(policy: policy)
        for waiting in 1...8 as ClosedRange<UInt64> {
            #expect(queue.updateWaiting(waiting, at: device.now) == [])
            device.pass(.seconds(86_400))
        }
        expect(queue.requestsTransfer(with: 9, at: device.now), is: true)
    }

    @Test
    func `a quiet queue's time limit triggers an upload without another event`() {
        var device = TestDevice()
        var queue = uploaded(Self.both, at: device.now)
        device.pass(.seconds(10))
        let due = device.now.monotonic.advanced(by: .milliseconds(50_001))
        #expect(queue.updateWaiting(1, at: device.now) == [.wake(at: due)])
        device.pass(.milliseconds(50_000))
        #expect(queue.timerFired(at: device.now) == [.wake(at: due)])
        device.pass(.milliseconds(1))
        #expect(queue.timerFired(at: device.now) == [.transfer, .remember(device.now)])
        queue.transferFinished()
        #expect(queue.timerFired(at: device.now) == [])
    }

    @Test
    func `an upload that did not happen is requested again after the time limit, not with every event`() {
        var device = TestDevice()
        var queue = QueueMachine(policy: Self.both)
        expect(queue.requestsTransfer(with: 1, at: device.now), is: true)
        device.pass(.seconds(60))
        expect(queue.requestsTransfer(with: 2, at: device.now), is: false)
        device.pass(.milliseconds(1))
        expect(queue.requestsTransferWhenTimerFires(at: device.now), is: true)
        #expect(queue.waiting == 2)
    }

    @Test
    func `an upload by number restarts the time limit, as one by time does`() {
        var device = TestDevice()
        var queue = uploaded(Self.both, at: device.now)
        device.pass(.seconds(59))
        expect(queue.requestsTransfer(with: 33, at: device.now), is: true)
        queue.transferFinished()
        device.pass(.seconds(60))
        expect(queue.requestsTransfer(with: 1, at: device.now), is: false)
        device.pass(.milliseconds(1))
        expect(queue.requestsTransferWhenTimerFires(at: device.now), is: true)
    }

    @Test
    func `a failed transfer is retried after a while, regardless of new events and requests in the meantime`() {
        var device = TestDevice()
        var queue = QueueMachine(policy: QueuePolicy(uploadWhenMoreThan: 0))
        expect(queue.requestsTransfer(with: 1, at: device.now), is: true)
        let again = device.now.monotonic.advanced(by: .seconds(30))
        #expect(queue.transferFailed(at: device.now) == [.wake(at: again)])
        #expect(queue.triggerCount == nil)
        device.pass(.seconds(29))
        #expect(queue.updateWaiting(500, at: device.now) == [.wake(at: again)])
        device.pass(.seconds(1))
        expect(queue.requestsTransferWhenTimerFires(at: device.now), is: true)
        queue.transferFinished()
        #expect(queue.triggerCount == 1)
    }

    @Test
    func `a transfer triggered by another queue does not restart this queue's time limit`() {
        var device = TestDevice()
        var queue = uploaded(Self.both, at: device.now)
        device.pass(.seconds(59))
        _ = queue.updateWaiting(1, at: device.now)
        queue.transferFinished()
        device.pass(.seconds(2))
        expect(queue.requestsTransfer(with: 1, at: device.now), is: true)
    }

    @Test(arguments: [-86_400, 86_400])
    func `setting the wall clock neither speeds up nor delays a queue`(seconds: Int) {
        var device = TestDevice()
        var queue = uploaded(Self.timeOnly, at: device.now)
        device.wall = device.wall.advanced(by: .seconds(seconds))
        device.pass(.seconds(60))
        expect(queue.requestsTransfer(with: 1, at: device.now), is: false)
        device.pass(.milliseconds(1))
        expect(queue.requestsTransferWhenTimerFires(at: device.now), is: true)
    }

    @Test(arguments: [(60_000, false), (60_001, true), (-1, true)] as [(Int, Bool)])
    func `after a device restart, the wall clock decides, and if it was set back, the queue is ready`(
        milliseconds: Int,
        isReady: Bool
    ) throws {
        var device = TestDevice()
        var queue = uploaded(Self.timeOnly, at: device.now)
        device.restart(takes: .milliseconds(milliseconds))
        queue = try queue.restarted()
        expect(queue.requestsTransfer(with: 1, at: device.now), is: isReady)
    }

    @Test
    func `a new policy applies from the next count`() {
        let device = TestDevice()
        var queue = QueueMachine(policy: QueuePolicy(uploadWhenMoreThan: 10))
        expect(queue.requestsTransfer(with: 6, at: device.now), is: false)
        queue.policy.uploadWhenMoreThan = 5
        #expect(queue.isReadyForUpload(at: device.now))
        expect(queue.requestsTransfer(with: 6, at: device.now), is: true)
    }

    @Test(
        arguments: [
            (32, 0, 0, 33), (32, 0, 1, 32), (32, 0, 32, 1), (0, 0, 0, 1), (-1, 0, 5, nil), (-1, 60, 0, 1),
            (-1, 60, 1, nil), (32, 60, 0, 1), (32, 60, 1, 32),
        ] as [(Int, Int, UInt64, UInt64?)]
    )
    func `a queue requests notifications of events only when an event could fulfill a rule`(
        limit: Int,
        seconds: Int,
        waiting: UInt64,
        expected: UInt64?
    ) {
        let device = TestDevice()
        let policy = QueuePolicy(uploadWhenMoreThan: limit, uploadWhenOlderThan: .seconds(seconds))
        var queue = uploaded(policy, at: device.now)
        _ = queue.updateWaiting(waiting, at: device.now)
        #expect(queue.triggerCount == expected)
    }

    @Test
    func `the largest policy does not overflow`() {
        let device = TestDevice()
        let policy = QueuePolicy(uploadWhenMoreThan: .max, uploadWhenOlderThan: .seconds(Int64.max))
        var queue = uploaded(policy, at: device.now)
        #expect(queue.triggerCount == 1)
        #expect(queue.updateWaiting(.max, at: device.now) == [.transfer, .remember(device.now)])
        queue.transferFinished()
        #expect(queue.updateWaiting(1, at: device.now) == [.wake(at: MonotonicTime(milliseconds: .max))])
    }
}
