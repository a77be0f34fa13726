// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents

extension QueueMachine {
    /// True when an append brings an upload about.
    fileprivate mutating func asksWhenAppended(_ events: Int = 1, at now: DeviceTime) -> Bool {
        appended(events, at: now).contains(.requestUpload)
    }

    /// True when time does.
    fileprivate mutating func asksWhenTimeCame(at now: DeviceTime) -> Bool {
        timeCame(at: now).contains(.requestUpload)
    }
}

@Suite("Named queues")
struct QueueMachineTests {
    @Test(
        "By number a queue is ready with more events than that, and never below none",
        arguments: [
            (32, 31, false), (32, 32, false), (32, 33, true), (0, 0, false), (0, 1, true), (1, 1, false), (1, 2, true),
            (-1, 1000, false), (.max, 1000, false), (.min, 1000, false),
        ] as [(Int, Int, Bool)]
    )
    func number(limit: Int, events: Int, isReady: Bool) throws {
        let device = TestDevice()
        var queue = QueueMachine(policy: QueuePolicy(uploadWhenMoreThan: limit))
        var asked = false
        for _ in 0..<events {
            queue = try kept(queue)
            asked = queue.asksWhenAppended(at: device.now)
        }
        #expect(queue.isReadyForUpload(at: device.now) == isReady)
        #expect(asked == isReady)
        #expect(queue.waiting == events)
    }

    @Test(
        "By time a queue is ready with any event, once more time than that is over since the last upload",
        arguments: [(59_999, false), (60_000, false), (60_001, true), (1_000_000, true)] as [(Int, Bool)]
    )
    func time(milliseconds: Int, isReady: Bool) throws {
        var device = TestDevice()
        var queue = QueueMachine(policy: QueuePolicy(uploadWhenMoreThan: 32, uploadWhenOlderThan: .seconds(60)))
        // There was no upload before the first event: it is one at once.
        expect(queue.asksWhenAppended(at: device.now), is: true)
        queue.transferred()
        device.pass(.milliseconds(milliseconds))
        #expect(!queue.isReadyForUpload(at: device.now))
        queue = try kept(queue)
        expect(queue.asksWhenAppended(at: device.now), is: isReady)
    }

    @Test("Time is watched: what came to a quiet queue is asked for without another event")
    func watched() {
        var device = TestDevice()
        var queue = QueueMachine(policy: QueuePolicy(uploadWhenMoreThan: 32, uploadWhenOlderThan: .seconds(60)))
        _ = queue.appended(at: device.now)
        queue.transferred()
        device.pass(.seconds(10))
        let due = device.now.monotonic.advanced(by: .milliseconds(50_001))
        #expect(queue.appended(at: device.now) == [.wake(at: due)])
        device.pass(.milliseconds(50_000))
        #expect(queue.timeCame(at: device.now) == [.wake(at: due)])
        device.pass(.milliseconds(1))
        expect(queue.asksWhenTimeCame(at: device.now), is: true)
        queue.transferred()
        #expect(queue.timeCame(at: device.now) == [])
    }

    @Test("An upload that nothing came of is asked for again when the time is over, not with every event")
    func refused() {
        var device = TestDevice()
        var queue = QueueMachine(policy: QueuePolicy(uploadWhenMoreThan: 32, uploadWhenOlderThan: .seconds(60)))
        expect(queue.asksWhenAppended(at: device.now), is: true)
        device.pass(.seconds(60))
        expect(queue.asksWhenAppended(at: device.now), is: false)
        device.pass(.milliseconds(1))
        expect(queue.asksWhenTimeCame(at: device.now), is: true)
        #expect(queue.waiting == 2)
    }

    @Test("What another queue brings about does not renew this one's time")
    func transferByAnother() {
        var device = TestDevice()
        var queue = QueueMachine(policy: QueuePolicy(uploadWhenMoreThan: 32, uploadWhenOlderThan: .seconds(60)))
        _ = queue.appended(at: device.now)
        queue.transferred()
        device.pass(.seconds(59))
        _ = queue.appended(at: device.now)
        queue.transferred()
        device.pass(.seconds(2))
        expect(queue.asksWhenAppended(at: device.now), is: true)
    }

    @Test("Setting the clock neither hurries nor holds up a queue", arguments: [-86_400, 86_400])
    func clocks(seconds: Int) {
        var device = TestDevice()
        var queue = QueueMachine(policy: QueuePolicy(uploadWhenMoreThan: -1, uploadWhenOlderThan: .seconds(60)))
        _ = queue.appended(at: device.now)
        queue.transferred()
        device.wall = device.wall.advanced(by: .seconds(seconds))
        device.pass(.seconds(60))
        expect(queue.asksWhenAppended(at: device.now), is: false)
        device.pass(.milliseconds(1))
        expect(queue.asksWhenTimeCame(at: device.now), is: true)
    }

    @Test("After a restart of the device the wall clock counts; when it went back, the queue is ready")
    func acrossBoots() throws {
        for (seconds, isReady) in [(60, false), (61, true), (-1, true)] as [(Int, Bool)] {
            var device = TestDevice()
            var queue = QueueMachine(policy: QueuePolicy(uploadWhenMoreThan: -1, uploadWhenOlderThan: .seconds(60)))
            _ = queue.appended(at: device.now)
            device.restart(takes: .seconds(seconds))
            queue = try kept(queue)
            expect(queue.asksWhenTimeCame(at: device.now), is: isReady)
        }
    }

    @Test("Another policy holds from the next event on")
    func otherPolicy() {
        let device = TestDevice()
        var queue = QueueMachine(policy: QueuePolicy(uploadWhenMoreThan: 10))
        expect(queue.asksWhenAppended(5, at: device.now), is: false)
        queue.policy.uploadWhenMoreThan = 5
        expect(queue.asksWhenAppended(at: device.now), is: true)
        expect(queue.asksWhenAppended(-7, at: device.now), is: true)
        #expect(queue.waiting == 6)
    }
}
