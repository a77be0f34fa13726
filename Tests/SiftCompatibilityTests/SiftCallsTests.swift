// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations
internal import TrackwayTesting

@Suite("Documented Sift calls")
struct SiftCallsTests {
    private let app = SiftApp()

    // MARK: Account

    @Test
    func `the account ID and beacon key survive restarts, and pending events are sent with them`() async throws {
        var sift = try await app.launch()
        #expect(sift.accountId == nil)
        #expect(sift.beaconKey == nil)
        sift.setAccountId("acct_1")
        sift.setBeaconKey("beacon123")
        #expect(sift.append(SiftEvent(type: "first")))
        sift = try await app.launch()
        #expect(sift.accountId == "acct_1")
        #expect(sift.beaconKey == "beacon123")
        await sift.deliverAll()
        let request = try #require(app.network.requests.first)
        #expect(request.method == "PUT")
        #expect(request.url == "https://api3.siftscience.com/v3/accounts/acct_1/mobile_events")
        #expect(request.headers["Authorization"] == "Basic YmVhY29uMTIz")
        #expect(try app.distinctTypes == ["first"])
        sift.accountId = nil
        sift = try await app.launch()
        #expect(sift.accountId == nil)
    }

    @Test
    func `the address has the documented default and is not saved, and pending events go to the new one`() async throws
    {
        var sift = try await app.launchWithAccount()
        #expect(sift.serverUrlFormat == "https://api3.siftscience.com/v3/accounts/%@/mobile_events")
        // Without rules, the event waits. In another queue, the first event is sent immediately, possibly before the
        // address changes.
        sift.addEventQueue("q", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        #expect(sift.append(SiftEvent(type: "first"), toQueue: "q"))
        sift.serverUrlFormat = "http://127.0.0.1:8787/v3/accounts/%@/mobile_events"
        await sift.deliverAll()
        #expect(app.network.requests.map(\.url) == ["http://127.0.0.1:8787/v3/accounts/acct_1/mobile_events"])
        sift = try await app.launch()
        #expect(sift.serverUrlFormat == SiftDestination.defaultServerURLFormat)
    }

    /// An invalid setting.
    struct Bad: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var field: String
        var apply: @Sendable (Sift) -> Void

        init(_ field: String, _ description: String, _ apply: @escaping @Sendable (Sift) -> Void) {
            self.field = field
            testDescription = description
            self.apply = apply
        }
    }

    static let bad: [Bad] = [
        Bad("accountId", "no account") { $0.accountId = nil },
        Bad("accountId", "an empty account") { $0.accountId = "" },
        Bad("beaconKey", "no key") { $0.beaconKey = nil },
        Bad("beaconKey", "an empty key") { $0.beaconKey = "" },
        Bad("serverUrlFormat", "no address") { $0.serverUrlFormat = nil },
        Bad("serverUrlFormat", "an empty address") { $0.serverUrlFormat = "" },
        Bad("serverUrlFormat", "an address without a placeholder for the account") {
            $0.serverUrlFormat = "https://a.test/v3"
        },
        Bad("serverUrlFormat", "not an http address") { $0.serverUrlFormat = "ftp://a.test/%@" },
        Bad("serverUrlFormat", "no address at all") { $0.serverUrlFormat = "%@" },
    ]

    @Test(arguments: bad)
    func `an invalid setting makes upload() fail, and events are kept until it is corrected`(bad: Bad) async throws {
        let sift = try await app.launchWithAccount()
        bad.apply(sift)
        sift.addEventQueue("q", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        #expect(sift.append(SiftEvent(type: "kept"), toQueue: "q"))
        #expect(!sift.upload(true))
        let diagnostic = try #require(app.diagnostics.first { $0.code == .accountIncomplete })
        #expect(diagnostic.field == bad.field)
        #expect(diagnostic.severity == .error && diagnostic.recoverySuggestion != nil)
        #expect(app.network.requests.isEmpty)
        sift.accountId = "acct_1"
        sift.beaconKey = "beacon123"
        sift.serverUrlFormat = SiftDestination.defaultServerURLFormat
        #expect(sift.upload(true))
        await sift.deliverAll()
        #expect(try app.types == ["kept"])
    }

    @Test
    func `the version is that of the client whose keys are sent`() async throws {
        let sift = try await app.launch()
        #expect(sift.sdkVersion == "v2.1.0")
        sift.edition = .current
        #expect(sift.sdkVersion == "v2.2.5")
    }

    // MARK: Users

    @Test
    func `the user survives restarts, can be unset, and changes cause no event`() async throws {
        var sift = try await app.launchWithAccount()
        #expect(sift.userId == nil)
        sift.setUserId("user-42")
        sift = try await app.launch()
        #expect(sift.userId == "user-42")
        sift.unsetUserId()
        #expect(sift.userId == nil)
        sift = try await app.launch()
        #expect(sift.userId == nil)
        sift.userId = "user-43"
        sift.userId = ""
        #expect(sift.userId == nil)
        await sift.deliverAll()
        #expect(app.network.requests.isEmpty)
    }

    @Test
    func `an event without a user gets the current user when it is appended, and others keep theirs`() async throws {
        let sift = try await app.launchWithAccount()
        let anonymousEvent = SiftEvent(type: "nobody")
        sift.append(anonymousEvent)
        sift.userId = "user-42"
        let event = SiftEvent(type: "user")
        sift.append(event)
        #expect(event.userId == "user-42")
        let ownUserEvent = SiftEvent(type: "own")
        ownUserEvent.userId = "somebody"
        sift.append(ownUserEvent)
        sift.userId = "user-43"
        await sift.deliverAll()
        #expect(try app.received.map { $0["user_id"]?.string } == [nil, "user-42", "somebody"])
    }

    // MARK: Queues

    @Test
    func `queues are added, found and removed, and repeated calls are rejected and reported`() async throws {
        let sift = try await app.launchWithAccount()
        #expect(sift.hasEventQueue("sift-default"))
        #expect(!sift.hasEventQueue("orders"))
        #expect(sift.addEventQueue("orders", config: SiftQueueConfig()))
        #expect(sift.hasEventQueue("orders"))
        #expect(!sift.addEventQueue("orders", config: SiftQueueConfig()))
        #expect(!sift.addEventQueue("sift-default", config: SiftQueueConfig()))
        #expect(sift.removeEventQueue("orders"))
        #expect(!sift.hasEventQueue("orders"))
        #expect(!sift.removeEventQueue("orders"))
        #expect(
            app.diagnostics.filter { $0.code == .queueInvalid }.map(\.value) == ["orders", "sift-default", "orders"]
        )
    }

    @Test
    func `a missing name or a missing event is rejected and reported`() async throws {
        let sift = try await app.launchWithAccount()
        #expect(!sift.hasEventQueue(nil))
        #expect(sift.eventQueue(nil) == nil)
        #expect(app.diagnostics.isEmpty)
        #expect(!sift.addEventQueue(nil, config: SiftQueueConfig()))
        #expect(!sift.removeEventQueue(nil))
        #expect(!sift.append(SiftEvent(type: "lost"), toQueue: nil))
        #expect(app.diagnostics.map(\.code) == [.queueInvalid, .queueInvalid, .queueInvalid])
        #expect(!sift.append(nil))
        #expect(!sift.append(nil, toQueue: "sift-default"))
        #expect(!sift.appendDevicePropertiesEvent(nil))
        #expect(app.diagnostics.dropFirst(3).map(\.code) == Array(repeating: .eventRefusedByFormat, count: 3))
        #expect(!sift.uploader.upload(nil))
        #expect(!SiftEvent(type: nil).isEssentiallyEqual(to: nil))
        #expect(String(decoding: SiftEvent.listRequest(nil), as: UTF8.self) == #"{"data":[]}"#)
    }

    @Test
    func `of thousands of faults in one event, only the first few are reported`() async throws {
        let sift = try await app.launchWithAccount()
        let fields = Dictionary(uniqueKeysWithValues: (0..<5_000).map { ("k\($0)", $0) })
        #expect(!sift.append(SiftEvent(type: "lost", path: nil, fields: fields)))
        #expect(app.diagnostics.map(\.code) == Array(repeating: .eventRefusedByFormat, count: 8))
    }

    @Test
    func `an event for an unknown queue is rejected, and the default queue can be chosen`() async throws {
        let sift = try await app.launchWithAccount()
        #expect(sift.defaultQueueIdentifier == "sift-default")
        #expect(!sift.append(SiftEvent(type: "lost"), toQueue: "orders"))
        sift.defaultQueueIdentifier = "orders"
        #expect(!sift.append(SiftEvent(type: "lost")))
        sift.defaultQueueIdentifier = nil
        #expect(!sift.append(SiftEvent(type: "lost")))
        #expect(app.diagnostics.map(\.code) == [.queueInvalid, .queueInvalid, .queueInvalid])
        sift.addEventQueue("orders", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        sift.defaultQueueIdentifier = "orders"
        #expect(sift.append(SiftEvent(type: "kept")))
        #expect(sift.eventQueue("orders")?.queue.map(\.type) == ["kept"])
    }

    @Test
    func `an event with names or values that are not text is rejected, with the fault's location`() async throws {
        let sift = try await app.launchWithAccount()
        #expect(!sift.append(SiftEvent(type: "order", path: nil, fields: ["price": 9.5])))
        #expect(!sift.append(SiftEvent(type: "order", path: nil, fields: [1: "one"])))
        #expect(app.diagnostics.map(\.code) == [.eventRefusedByFormat, .eventRefusedByFormat])
        #expect(app.diagnostics.map(\.field) == ["fields.price", "fields"])
        #expect(sift.eventQueue("sift-default")?.queue.isEmpty == true)
    }

    @Test(arguments: ["orders", "sift-default"])
    func `a removed queue keeps its pending events and continues with them when it is added again`(identifier: String)
        async throws
    {
        let sift = try await app.launchWithAccount()
        let config = SiftQueueConfig(uploadWhenMoreThan: -1)
        if identifier != "sift-default" { sift.addEventQueue(identifier, config: config) }
        #expect(sift.append(SiftEvent(type: "first"), toQueue: identifier))
        #expect(sift.append(SiftEvent(type: "second"), toQueue: identifier))
        // It does not matter whether the first event was due for upload; only the others matter.
        #expect(sift.removeEventQueue(identifier))
        #expect(!sift.append(SiftEvent(type: "lost"), toQueue: identifier))
        #expect(sift.eventQueue(identifier) == nil)
        #expect(sift.addEventQueue(identifier, config: config))
        #expect(sift.append(SiftEvent(type: "third"), toQueue: identifier))
        await sift.deliverAll()
        #expect(try app.types == ["first", "second", "third"])
    }

    @Test
    func `a removed built-in queue sends nothing, and when added again it uses the current settings`() async throws {
        let sift = try await app.launchWithAccount()
        sift.append(SiftEvent(type: "first"))
        await app.network.untilRequested(1)
        sift.append(SiftEvent(type: "waits"))
        #expect(sift.removeEventQueue("sift-default"))
        sift.accountId = "acct_2"
        app.clock.advance(by: .seconds(600))
        #expect(!sift.upload(true))
        // If a later event in another queue is sent automatically, this event would have been sent, too.
        sift.addEventQueue("at once", config: SiftQueueConfig())
        sift.append(SiftEvent(type: "later"), toQueue: "at once")
        await app.network.untilRequested(2)
        #expect(try app.types == ["first", "later"])
        sift.addEventQueue("sift-default", config: SiftQueueConfig())
        await app.network.untilRequested(3)
        #expect(try app.types == ["first", "later", "waits"])
        #expect(app.network.requests.last?.url == "https://api3.siftscience.com/v3/accounts/acct_2/mobile_events")
    }

    @Test
    func `upload() sends queues that are due, upload(true) all queues, and both fail without events`() async throws {
        let sift = try await app.launchWithAccount()
        #expect(!sift.upload())
        #expect(!sift.upload(true))
        sift.addEventQueue("never", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        sift.append(SiftEvent(type: "waits"), toQueue: "never")
        #expect(!sift.upload())
        #expect(!sift.upload(false))
        #expect(sift.upload(true))
        await sift.deliverAll()
        #expect(try app.types == ["waits"])
        #expect(!sift.upload(true))
    }

    @Test
    func `the app's own device properties go to their queue, which is created on demand`() async throws {
        let app = SiftApp(collects: true)
        let sift = try await app.launchWithAccount()
        #expect(!sift.hasEventQueue("sift-devprops"))
        let event = SiftEvent(type: nil)
        event.iosDeviceProperties = ["device_name": "iPhone"]
        #expect(sift.appendDevicePropertiesEvent(event))
        #expect(sift.hasEventQueue("sift-devprops"))
        await sift.deliverAll()
        let properties = try app.received.compactMap { $0["ios_device_properties"] }
        #expect(properties.map { $0["device_name"]?.string } == ["iPhone"])
    }

    @Test
    func `dropping after three failures is an option that survives restarts and applies to later queues`() async throws
    {
        app.network.always(.respond(WireResponse(status: 503, headers: [:], body: [])))
        var sift = try await app.launchWithAccount()
        #expect(!sift.dropsAfterThreeStrikes)
        sift.dropsAfterThreeStrikes = true
        sift = try await app.launch()
        #expect(sift.dropsAfterThreeStrikes)
        sift.addEventQueue("q", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        sift.append(SiftEvent(type: "refused"), toQueue: "q")
        #expect(sift.upload(true))
        try await app.advanceTime(untilRequestCount: 3)
        app.network.always(.accept)
        sift.append(SiftEvent(type: "later"), toQueue: "q")
        #expect(sift.upload(true))
        try await app.advanceTime(untilRequestCount: 4)
        #expect(try app.types.last == "later")
        #expect(try app.types.count { $0 == "refused" } == 3)
    }

    // MARK: A removed queue

    @Test(arguments: [true, false])
    func `events handed over from a removed queue are delivered, and its pending events are not`(isKilled: Bool)
        async throws
    {
        var sift = try await app.launchWithAccount()
        sift.addEventQueue("q", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        app.network.always(.status(503))
        #expect(sift.append(SiftEvent(type: "handed over"), toQueue: "q"))
        #expect(sift.upload(true))
        await app.network.untilRequested(1)
        #expect(sift.append(SiftEvent(type: "waits"), toQueue: "q"))
        #expect(sift.removeEventQueue("q"))
        #expect(!sift.hasEventQueue("q"))
        #expect(!sift.append(SiftEvent(type: "lost"), toQueue: "q"))
        app.network.always(.accept)
        // A process that is killed before it has read the response saves no delay, so the next one retries immediately.
        let before = app.network.requests.count
        if isKilled { sift = try await app.launch() }
        try await app.advanceTime(untilRequestCount: before + 1)
        #expect(try app.distinctTypes == ["handed over"])
        sift.addEventQueue("q", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        #expect(sift.eventQueue("q")?.queue.map(\.type) == ["waits"])
        await sift.deliverAll()
        #expect(try app.distinctTypes == ["handed over", "waits"])
    }

    @Test
    func `a queue removed during its request delivers once, and its name can be reused`() async throws {
        let sift = try await app.launchWithAccount()
        for round in 1...20 {
            sift.addEventQueue("q", config: SiftQueueConfig())
            app.network.hold()
            #expect(sift.append(SiftEvent(type: "\(round)"), toQueue: "q"))
            await app.network.untilRequested(round)
            #expect(sift.removeEventQueue("q"))
            #expect(!sift.removeEventQueue("q"))
            if round.isMultiple(of: 2) { #expect(sift.addEventQueue("q", config: SiftQueueConfig())) }
            app.network.release()
            await sift.deliverAll()
        }
        #expect(try app.types == (1...20).map { "\($0)" })
    }
}
