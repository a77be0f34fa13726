// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Pausing")
struct SiftPauseTests {
    private let app = SiftApp()

    @Test
    func `a pause stops collecting and uploading with diagnostics, and appended events are kept and sent later`()
        async throws
    {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        #expect(sift.append(SiftEvent(type: "before"), toQueue: "q"))
        sift.pause()
        #expect(sift.append(SiftEvent(type: "meanwhile"), toQueue: "q"))
        #expect(sift.eventQueue("q")?.queue.map(\.type) == ["before", "meanwhile"])
        await sift.analytics?.delivery.control.waitUntilIdle()
        #expect(sift.eventQueue("q")?.queue.map(\.type) == ["before", "meanwhile"])
        #expect(sift.eventQueue("q")?.lastEvent?.type == "meanwhile")
        #expect(!sift.upload())
        #expect(!sift.upload(true))
        #expect(sift.eventQueue("q")?.transfer().isEmpty == true)
        sift.collect()
        sift.updateAccelerometerData(
            SensorReading(time: Timestamp(milliseconds: 1), values: Vector3(x: 1, y: 2, z: 3))
        )
        await sift.deliverAll()
        #expect(app.network.requests.isEmpty)
        #expect(app.diagnostics.filter { $0.code == .calledWhilePaused }.count == 5)
        #expect(sift.addEventQueue("another", config: SiftQueueConfig()))
        #expect(sift.append(SiftEvent(type: "at once"), toQueue: "another"))
        sift.resume()
        #expect(sift.append(SiftEvent(type: "after"), toQueue: "q"))
        #expect(sift.upload(true))
        await sift.deliverAll()
        #expect(try app.types.filter { $0 != "at once" } == ["before", "meanwhile", "after"])
        #expect(try app.types.count == 4)
    }

    @Test
    func `a pause stops automatic collection until it ends`() async throws {
        let app = SiftApp(collects: true)
        app.sensors.deviceProperties[.deviceName] = "iPhone"
        let sift = try await app.launchWithAccount()
        sift.removeEventQueue("sift-default")
        sift.addEventQueue("sift-default", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        let queue = try #require(sift.eventQueue("sift-default"))
        sift.pause()
        let before = queue.queue.count
        app.clock.advance(by: .seconds(600))
        sift.collect()
        sift.appStateCollector.collectWithTitle("Cart", 0)
        #expect(queue.queue.count == before)
        sift.resume()
        sift.collect()
        #expect(queue.queue.count > before)
        #expect(queue.lastEvent?.iosAppState != nil)
    }

    // MARK: Running requests

    @Test(arguments: [true, false])
    func `a pause lets a running request finish, and its event arrives once`(resumesBefore: Bool) async throws {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig())
        app.network.hold()
        #expect(sift.append(SiftEvent(type: "first"), toQueue: "q"))
        await app.network.untilRequested(1)
        sift.pause()
        await sift.analytics?.delivery.control.waitUntilSettled()
        #expect(sift.append(SiftEvent(type: "second"), toQueue: "q"))
        if resumesBefore {
            sift.resume()
            app.network.release()
        } else {
            app.network.release()
            await sift.analytics?.delivery.control.waitUntilIdle()
            // The running request's response counts: its event was accepted, and no other was sent.
            #expect(sift.analytics?.ledger().destinations["sift.q"]?.delivered == 1)
            #expect(app.network.requests.count == 1)
            sift.resume()
        }
        await app.network.untilRequested(2)
        await sift.deliverAll()
        #expect(try app.types == ["first", "second"])
    }

    @Test
    func `pauses during running requests deliver every event once`() async throws {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig())
        for round in 1...3 {
            app.network.hold()
            #expect(sift.append(SiftEvent(type: "\(round)"), toQueue: "q"))
            await app.network.untilRequested(round)
            for _ in 0..<5 {
                sift.pause()
                await sift.analytics?.delivery.control.waitUntilSettled()
                sift.resume()
                await sift.analytics?.delivery.control.waitUntilSettled()
            }
            app.network.release()
            await sift.deliverAll()
        }
        #expect(try app.types == ["1", "2", "3"])
    }

    @Test
    func `no request starts after a pause while one is in flight, no matter what is appended or due`() async throws {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig())
        app.network.hold()
        #expect(sift.append(SiftEvent(type: "first"), toQueue: "q"))
        await app.network.untilRequested(1)
        sift.pause()
        await sift.analytics?.delivery.control.waitUntilSettled()
        #expect(sift.addEventQueue("late", config: SiftQueueConfig()))
        for name in ["q", "late", "sift-default"] {
            for number in 0..<40 { #expect(sift.append(SiftEvent(type: "\(name)\(number)"), toQueue: name)) }
        }
        app.clock.advance(by: .seconds(600))
        for _ in 0..<200 { await Task.yield() }
        #expect(app.network.requests.count == 1)
        app.network.release()
        await sift.analytics?.delivery.control.waitUntilIdle()
        #expect(app.network.requests.count == 1)
        sift.resume()
        await sift.deliverAll()
        #expect(try app.types.count == 121)
        #expect(try Set(app.types).count == 121)
    }

    @Test
    func `a process killed during a pause leaves all events to the next process`() async throws {
        var sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig())
        app.network.hold()
        #expect(sift.append(SiftEvent(type: "on its way"), toQueue: "q"))
        await app.network.untilRequested(1)
        sift.pause()
        #expect(sift.append(SiftEvent(type: "kept"), toQueue: "q"))
        sift = try await app.launch()
        app.network.release()
        sift.addEventQueue("q", config: SiftQueueConfig())
        await sift.deliverAll()
        // The first event may arrive twice: the process that sent it never received the response.
        #expect(try app.distinctTypes == ["on its way", "kept"])
    }

    // MARK: Rules

    @Test
    func `a pause delays timed uploads until it ends`() async throws {
        let sift = try await app.launchWithAccount()
        sift.append(SiftEvent(type: "first"))
        await app.network.untilRequested(1)
        sift.append(SiftEvent(type: "second"))
        sift.pause()
        await sift.analytics?.delivery.control.waitUntilSettled()
        app.clock.advance(by: .seconds(600))
        #expect(app.network.requests.count == 1)
        sift.resume()
        await app.network.untilRequested(2)
        await sift.deliverAll()
        #expect(try app.types == ["first", "second"])
    }

    @Test
    func `repeated pauses have no further effect, and a pause ends with the process`() async throws {
        var sift = try await app.launchWithAccount()
        sift.resume()
        #expect(sift.append(SiftEvent(type: "one")))
        sift.pause()
        sift.pause()
        #expect(sift.append(SiftEvent(type: "in the pause")))
        sift.resume()
        #expect(sift.append(SiftEvent(type: "two")))
        sift.resume()
        sift.pause()
        sift = try await app.launch()
        #expect(sift.append(SiftEvent(type: "three")))
        await sift.deliverAll()
        #expect(try app.distinctTypes == ["one", "in the pause", "two", "three"])
    }
}
