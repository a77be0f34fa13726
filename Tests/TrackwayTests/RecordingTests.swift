// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayDestinationKit
import TrackwayTesting

@Suite("Recording")
struct RecordingTests {
    @Test
    func `a recorded event is stored, delivered and counted`() async throws {
        let memory = try InMemoryAnalytics()
        let receipt = memory.analytics.record("buy", ["total": 12.5])
        #expect(receipt.durability == .kernel)
        #expect(receipt.sequence == 1)
        #expect(memory.events(named: "buy").map(\.id) == [receipt.id])
        let report = await memory.analytics.flush()
        #expect(report.isComplete)
        #expect(memory.transport.delivered(named: "buy").map(\.id) == [receipt.id])
        let ledger = memory.analytics.ledger()
        #expect(ledger.recorded == 1)
        #expect(ledger.destinations["collector"]?.delivered == 1)
        #expect(ledger.isBalanced)
    }

    @Test
    func `attributes and items arrive exactly as they were recorded, in order`() async throws {
        let memory = try InMemoryAnalytics()
        let attributes: Attributes = [
            "text": "шоп 👟 \"quoted\"", "whole": 9_223_372_036_854_775_807, "fraction": 19.99, "no": false,
            "list": .array([1, 2.5, "three"]), "object": ["inner": ["deep": true]],
            "date": .date(Timestamp(milliseconds: 1_700_000_000_123)),
        ]
        let items = [Item(id: "123", name: "Nature", ["publisher": "Nature Research"]), Item(id: "4")]
        memory.analytics.record("view_item", attributes, items: items)
        let stored = try #require(memory.events(named: "view_item").first)
        #expect(stored.attributes == attributes)
        #expect(stored.items == items)
        #expect(stored.time == memory.clock.now().wall)
        #expect(stored.monotonic == memory.clock.now().monotonic)
        _ = await memory.analytics.flush()
        #expect(memory.transport.delivered.map(\.event) == [stored.event])
    }

    @Test
    func `a typed event's encoded properties are its attributes`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record(AddToCart(sku: "A-1", price: 12.5))
        let stored = try #require(memory.events(named: "add_to_cart").first)
        #expect(stored.attributes == ["sku": "A-1", "price": 12.5])
    }

    @Test
    func `a typed event's date is a date, and nil properties are omitted`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record(Visit(at: Date(timeIntervalSince1970: 1_700_000_000.123), referrer: nil))
        let stored = try #require(memory.events(named: "visit").first)
        #expect(stored.attributes == ["at": .date(Timestamp(milliseconds: 1_700_000_000_123))])
    }

    @Test
    func `a typed event that encodes a key twice is recorded with the last value, and the key is reported`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record(Repeating())
        let stored = try #require(memory.events(named: "repeating").first)
        #expect(Array(stored.attributes.keys.prefix(3)) == ["a", "b", "nested"])
        #expect(stored.attributes["a"] == 3)
        #expect(stored.attributes["b"] == 2)
        #expect(stored.attributes["nested"] == ["c": 5])
        #expect(stored.attributes["_error_code"] == "key_duplicate")
        #expect(memory.diagnostics.map(\.code) == [.keyDuplicate])
        #expect(memory.diagnostics.first?.field == "attributes.a")
        #expect(try Repeating().attributes() == ["a": 3, "b": 2, "nested": ["c": 5]])
    }

    @Test
    func `a typed event that cannot be encoded is recorded with an error`() throws {
        let memory = try InMemoryAnalytics()
        let receipt = memory.analytics.record(Unencodable())
        #expect(receipt.durability == .kernel)
        let stored = try #require(memory.events(named: "unencodable").first)
        #expect(stored.attributes["_error_code"] == "not_encodable")
        #expect(memory.diagnostics.map(\.code) == [.notEncodable])
    }

    @Test
    func `an event is delivered only to the named destinations`() async throws {
        let memory = try InMemoryAnalytics(twoDestinations)
        memory.analytics.record("for_all")
        memory.analytics.record("internal_metric", to: ["audit"])
        memory.analytics.record("for_both", to: ["audit", "collector"])
        #expect(memory.events(named: "internal_metric").first?.route == ["audit"])
        let report = await memory.analytics.flush()
        #expect(report.isComplete)
        let audit = memory.transport.delivered.filter { $0.url.utf8.starts(with: "http://audit".utf8) }
        let collector = memory.transport.delivered.filter { $0.url.utf8.starts(with: "http://collector".utf8) }
        #expect(audit.map(\.event.name) == ["for_all", "internal_metric", "for_both"])
        #expect(collector.map(\.event.name) == ["for_all", "for_both"])
        let ledger = memory.analytics.ledger()
        #expect(ledger.destinations["audit"]?.recorded == 3)
        #expect(ledger.destinations["collector"]?.recorded == 2)
        #expect(ledger.isBalanced)
    }

    @Test
    func `an event for an unknown destination is rejected, is reported with the destination, and is not delivered`()
        throws
    {
        let memory = try InMemoryAnalytics()
        let receipt = memory.analytics.record("secret", to: ["collector", "audit"])
        #expect(receipt.durability == .none)
        #expect(receipt.dropped == .unknownDestination)
        #expect(memory.recorded.isEmpty)
        let diagnostic = try #require(memory.diagnostics.first)
        #expect(diagnostic.code == .unknownDestination)
        #expect(diagnostic.value == "audit")
    }

    @Test
    func `the events of each thread keep their order, none is lost, and no two share an id or a sequence number`()
        async throws
    {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        let receipts = await withTaskGroup(of: [Receipt].self) { group in
            for thread in 0..<8 {
                group.addTask {
                    (0..<250).map { analytics.record("step", ["thread": thread, "n": $0]) }
                }
            }
            return await group.reduce(into: [Receipt]()) { $0 += $1 }
        }
        #expect(Set(receipts.map(\.id)).count == 2_000)
        #expect(Set(receipts.map(\.sequence)) == Set(1...2_000))
        let stored = memory.recorded
        #expect(stored.count == 2_000)
        for thread in 0..<8 {
            let own = stored.filter { $0.attributes["thread"] == .integer(Int64(thread)) }
            #expect(own.map { $0.attributes["n"] } == (0..<250).map { .integer($0) })
        }
    }

    @Test
    func `an object may record while it is deinitialized`() throws {
        let memory = try InMemoryAnalytics()
        do {
            _ = DeinitRecorder(analytics: memory.analytics)
        }
        #expect(memory.events(named: "left").count == 1)
    }

    @Test
    func `a diagnostics handler may record events`() throws {
        let cell = Locked<Analytics?>(nil)
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.onDiagnostic = { diagnostic in
            let analytics = cell.withLock { $0 }
            if diagnostic.code == .nameEmpty { analytics?.record("mistake", ["field": .string(diagnostic.field)]) }
        }
        let memory = try InMemoryAnalytics(configuration)
        cell.withLock { $0 = memory.analytics }
        memory.analytics.record("")
        cell.withLock { $0 = nil }
        #expect(memory.recorded.map(\.name) == ["_unnamed", "mistake"])
    }

    @Test
    func `events are logged as they are stored, and only while logging is enabled`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("quiet")
        memory.analytics.options.logEvents = true
        memory.analytics.record("loud", ["n": 1])
        memory.analytics.options.logEvents = false
        memory.analytics.record("quiet_again")
        #expect(memory.log.count == 1)
        let line = try #require(memory.log.first)
        #expect(try Event(json: Array(line.utf8)) == memory.events(named: "loud").first?.event)
    }
}

/// A collector, and a second one for internal events.
let twoDestinations: Configuration = {
    var configuration = InMemoryAnalytics.usualConfiguration
    configuration.destinations.append(
        DestinationConfiguration(CollectorDestination(id: "audit", url: "http://audit.test", writeKey: "test"))
    )
    return configuration
}()

private struct Visit: TypedEvent {
    static let name = "visit"
    var at: Date
    var referrer: String?
}

private struct Repeating: TypedEvent {
    static let name = "repeating"

    enum CodingKeys: CodingKey {
        case a
        case b
        case c
        case nested
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(1, forKey: .a)
        try container.encode(2, forKey: .b)
        try container.encode(3, forKey: .a)
        var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nested)
        try nested.encode(4, forKey: .c)
        try nested.encode(5, forKey: .c)
    }
}

private struct Unencodable: TypedEvent {
    static let name = "unencodable"

    struct EncodingFailure: Error {}

    func encode(to encoder: any Encoder) throws { throw EncodingFailure() }
}

private final class DeinitRecorder {
    private let analytics: Analytics

    init(analytics: Analytics) { self.analytics = analytics }

    deinit { analytics.record("left") }
}
