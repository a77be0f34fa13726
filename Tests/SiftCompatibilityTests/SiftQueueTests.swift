// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Queue rules of the Sift module")
struct SiftQueueTests {
    private let app = SiftApp()

    private func append(_ count: Int, to sift: Sift, _ identifier: String) {
        for number in 0..<count { #expect(sift.append(SiftEvent(type: "e\(number)"), toQueue: identifier)) }
    }

    // MARK: By number

    @Test(arguments: [0, 1, 32])
    func `by number: one event more than the rule's number triggers an upload`(most: Int) async throws {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig(uploadWhenMoreThan: most))
        let queue = try #require(sift.eventQueue("q"))
        append(most, to: sift, "q")
        #expect(!queue.readyForUpload())
        #expect(!queue.requestUpload())
        #expect(queue.queue.count == most)
        #expect(app.network.requests.isEmpty)
        append(1, to: sift, "q")
        await app.network.untilRequested(1)
        await sift.deliverAll()
        #expect(try app.types.count == most + 1)
        #expect(queue.queue.isEmpty)
    }

    @Test
    func `with a negative number, the count does not matter`() async throws {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        append(100, to: sift, "q")
        #expect(sift.eventQueue("q")?.readyForUpload() == false)
        #expect(sift.eventQueue("q")?.queue.map(\.type) == (0..<100).map { "e\($0)" })
    }

    // MARK: By time

    @Test
    func `by time: the first event is sent immediately, later ones after the rule's time since the last upload`()
        async throws
    {
        let sift = try await app.launchWithAccount()
        sift.append(SiftEvent(type: "first"))
        await app.network.untilRequested(1)
        let queue = try #require(sift.eventQueue("sift-default"))
        // The time is saved shortly after the events were handed over.
        try await Deadline.wait(while: queue.lastUploadTimestamp == 0)
        let first = queue.lastUploadTimestamp
        #expect(first == UInt64(app.clock.now().wall.milliseconds))
        sift.append(SiftEvent(type: "second"))
        app.clock.advance(by: .seconds(60))
        #expect(!queue.readyForUpload())
        #expect(queue.queue.map(\.type) == ["second"])
        app.clock.advance(by: .milliseconds(1))
        await app.network.untilRequested(2)
        await sift.deliverAll()
        #expect(try app.types == ["first", "second"])
        #expect(queue.lastUploadTimestamp > first)
    }

    @Test(arguments: [-86_400, 86_400])
    func `setting the clock does not affect the time since the last upload`(seconds: Int) async throws {
        let sift = try await app.launchWithAccount()
        sift.append(SiftEvent(type: "first"))
        await app.network.untilRequested(1)
        app.clock.jumpWall(by: .seconds(seconds))
        sift.append(SiftEvent(type: "second"))
        let queue = try #require(sift.eventQueue("sift-default"))
        app.clock.advance(by: .seconds(60))
        #expect(!queue.readyForUpload())
        app.clock.advance(by: .milliseconds(1))
        await app.network.untilRequested(2)
    }

    // MARK: Repeats

    @Test
    func `a repeat within the window after the last accepted event is dropped, but append returns true`() async throws {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig(acceptSameEventAfter: 3_600, uploadWhenMoreThan: -1))
        func appendEvent(_ type: String) {
            #expect(sift.append(SiftEvent(type: type, fields: ["a": "b"]), toQueue: "q"))
        }
        let queue = try #require(sift.eventQueue("q"))
        appendEvent("same")
        appendEvent("same")
        app.clock.advance(by: .seconds(3_600) - .milliseconds(1))
        appendEvent("same")
        #expect(queue.queue.count == 1)
        app.clock.advance(by: .milliseconds(1))
        appendEvent("same")
        #expect(queue.queue.count == 2)
        // An event is only compared with the one before it.
        appendEvent("other")
        appendEvent("same")
        #expect(queue.queue.map(\.type) == ["same", "same", "other", "same"])
        // Another user makes it a different event.
        sift.userId = "user-42"
        appendEvent("same")
        #expect(queue.queue.count == 5)
    }

    @Test
    func `repeats are detected across uploads and restarts, and without a window none are`() async throws {
        var sift = try await app.launchWithAccount()
        let config = SiftQueueConfig(acceptSameEventAfter: 3_600)
        sift.addEventQueue("q", config: config)
        #expect(sift.append(SiftEvent(type: "same"), toQueue: "q"))
        await sift.deliverAll()
        #expect(sift.append(SiftEvent(type: "same"), toQueue: "q"))
        sift = try await app.launch()
        sift.addEventQueue("q", config: config)
        #expect(sift.append(SiftEvent(type: "same"), toQueue: "q"))
        await sift.deliverAll()
        #expect(try app.types == ["same"])
        #expect(sift.append(SiftEvent(type: "same")))
        #expect(sift.append(SiftEvent(type: "same")))
        await sift.deliverAll()
        #expect(try app.types == ["same", "same", "same"])
    }

    // MARK: The object

    @Test
    func `a queue exposes its name, rules, events, last event and path, and hands over its events`() async throws {
        let sift = try await app.launchWithAccount()
        let config = SiftQueueConfig(uploadWhenMoreThan: -1)
        sift.addEventQueue("q", config: config)
        let queue = try #require(sift.eventQueue("q"))
        #expect(queue.identifier == "q")
        #expect(queue.config == config)
        #expect(queue.lastEvent == nil)
        #expect(queue.lastUploadTimestamp == 0)
        #expect(queue.archivePath == InMemoryAnalytics.usualFolder)
        #expect(queue.transfer().isEmpty)
        #expect(queue.append(SiftEvent(type: "one", path: "/1", fields: ["a": "b"])))
        #expect(queue.append(SiftEvent(type: "two")))
        #expect(queue.lastEvent?.type == "two")
        #expect(queue.queue.map(\.type) == ["one", "two"])
        #expect(queue.queue.first?.fields == ["a": "b"])
        queue.archive()
        queue.unarchive()
        sift.addEventQueue("other", config: config)
        sift.append(SiftEvent(type: "stays"), toQueue: "other")
        let events = queue.transfer()
        #expect(events.map(\.type) == ["one", "two"])
        #expect(queue.queue.isEmpty)
        #expect(queue.lastEvent?.type == "two")
        // Events that were handed over are being sent, so handing them over again sends nothing twice.
        #expect(sift.uploader.upload(events))
        await app.network.untilRequested(1)
        #expect(sift.eventQueue("other")?.queue.map(\.type) == ["stays"])
        await sift.deliverAll()
        #expect(try Set(app.types) == ["one", "two", "stays"])
        #expect(try app.types.count == 3)
    }

    @Test
    func `no events are handed over while they cannot be sent`() async throws {
        let sift = try await app.launch()
        // The queue has no rules, because otherwise it could hand over its first event before the call.
        sift.addEventQueue("q", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        let queue = try #require(sift.eventQueue("q"))
        #expect(queue.append(SiftEvent(type: "waits")))
        #expect(queue.transfer().isEmpty)
        #expect(queue.queue.map(\.type) == ["waits"])
        #expect(app.diagnostics.contains { $0.code == .accountIncomplete })
    }

    @Test
    func `the uploader sends the app's own events immediately and returns false if one was rejected`() async throws {
        let sift = try await app.launchWithAccount()
        let uploader = sift.uploader
        #expect(!uploader.upload([]))
        #expect(uploader.upload([SiftEvent(type: "one"), SiftEvent(type: "two")]))
        #expect(!uploader.upload([SiftEvent(type: "bad", path: nil, fields: ["a": 1]), SiftEvent(type: "three")]))
        await sift.deliverAll()
        #expect(try app.types == ["one", "two", "three"])
        #expect(!uploader.doUpload())
        uploader.archive()
        uploader.unarchive()
    }

    @Test
    func `events passed to the uploader, and no others, are sent even if the queue's rules apply first`() async throws {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("resting", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        sift.append(SiftEvent(type: "rests"), toQueue: "resting")
        sift.addEventQueue("at once", config: SiftQueueConfig())
        sift.defaultQueueIdentifier = "at once"
        for number in 0..<20 {
            #expect(sift.uploader.upload([SiftEvent(type: "\(number)")]))
            // Sometimes the rule comes first, sometimes the call.
            if number.isMultiple(of: 2) { await app.network.untilRequested(app.network.requests.count) }
        }
        #expect(sift.eventQueue("resting")?.queue.map(\.type) == ["rests"])
        sift.accountId = nil
        #expect(!sift.uploader.upload([SiftEvent(type: "waits")]))
        // Delivery also finds that the account is missing if it still has events to send.
        let codes = app.diagnostics.map(\.code).filter { $0 != .destinationParked }
        #expect(codes == [.accountIncomplete])
    }

    @Test
    func `the last event is the one accepted last, from the app or the SDK, even after it was handed over`()
        async throws
    {
        let app = SiftApp(collects: true)
        let sift = try await app.launchWithAccount()
        sift.removeEventQueue("sift-default")
        sift.addEventQueue("sift-default", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        let queue = try #require(sift.eventQueue("sift-default"))
        sift.append(SiftEvent(type: "mine"))
        #expect(queue.lastEvent?.type == "mine")
        sift.appStateCollector.collectWithTitle("Cart", 0)
        #expect(queue.lastEvent?.type == nil)
        #expect(queue.lastEvent?.iosAppState?["window_root_view_controller_titles"] == ["Cart"])
        sift.append(SiftEvent(type: "mine again"))
        #expect(queue.transfer().last?.type == "mine again")
        #expect(queue.lastEvent?.type == "mine again")
    }

    // MARK: Restart

    @Test
    func `pending events survive a kill in order and in their queue, and the next process sends them`() async throws {
        var sift = try await app.launchWithAccount()
        let config = SiftQueueConfig(uploadWhenMoreThan: -1)
        for name in ["a", "B/c"] { sift.addEventQueue(name, config: config) }
        for number in 0..<3 {
            sift.append(SiftEvent(type: "a\(number)"), toQueue: "a")
            sift.append(SiftEvent(type: "b\(number)"), toQueue: "B/c")
        }
        sift = try await app.launch()
        #expect(!sift.hasEventQueue("a"))
        sift.addEventQueue("B/c", config: config)
        let queue = try #require(sift.eventQueue("B/c"))
        #expect(queue.queue.map(\.type) == ["b0", "b1", "b2"])
        #expect(queue.lastEvent?.type == "b2")
        #expect(sift.upload(true))
        await sift.deliverAll()
        #expect(try app.types == ["b0", "b1", "b2"])
        // A queue that is not added yet keeps its events.
        sift.addEventQueue("a", config: config)
        #expect(sift.upload(true))
        await sift.deliverAll()
        #expect(try app.types == ["b0", "b1", "b2", "a0", "a1", "a2"])
    }
}
