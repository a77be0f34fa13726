// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Descriptions of events")
struct DescriptionTests {
    private static let days = CatalogDays(around: Timestamp(milliseconds: 1_700_000_000_000), in: .utc)

    private static func described(_ lines: [String], _ name: String = "buy") async throws -> EventDescription {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1)
        batch.lines = lines
        try environment.append(batch)
        try await environment.index()
        let days = try #require(Self.days)
        return try #require(try await environment.store.description(of: name, days: days))
    }

    private static func tally(_ bodies: [String], _ change: (inout EventDescription.Limits) -> Void = { _ in })
        -> EventDescription
    {
        var limits = EventDescription.Limits()
        change(&limits)
        var tally = DescriptionTally(EventDescription(name: "buy"), limits: limits)
        for body in bodies {
            Array(body.utf8).withUnsafeBytes { tally.add($0, received: Timestamp(milliseconds: 5)) }
        }
        return tally.description()
    }

    @Test
    func `types, fill, bounds, values, versions and platforms match the events`() async throws {
        let context = #"{"context":{"app":{"version":"2.1"},"device":{"platform":"iOS"},"global":{"channel":"store"}}}"#
        let description = try await Self.described([
            line(1, "buy", attributes: #"{"total":5,"currency":"EUR","first":true}"#),
            context,
            line(2, "buy", attributes: #"{"total":7.5,"currency":"EUR","tags":[1],"first":null}"#),
            line(3, "buy", attributes: #"{"total":"7.5","currency":"CNY","extra":{"a":1}}"#),
            line(4, "other", attributes: #"{"secret":1}"#),
            line(5, "buy"),
        ])
        #expect(description.read == 4 && description.entry?.events == 4 && description.maximumAttributes == 4)
        #expect(description.versions == [ValueCount(value: .text(Array("2.1".utf8)), events: 3)])
        #expect(description.platforms == [ValueCount(value: .text(Array("iOS".utf8)), events: 3)])
        let names = description.attributes.map { "\($0.name) \($0.scope.rawValue) \($0.events)" }
        #expect(
            names == [
                "channel global 3", "currency event 3", "total event 3", "extra event 1", "first event 1",
                "tags event 1",
            ]
        )
        let total = try #require(description.attributes.first { $0.name == "total" })
        #expect(total.kinds == [.integer: 1, .double: 1, .string: 1] && total.isConflicting)
        #expect(total.numbers == .init(least: .integer(5), greatest: .double(7.5)))
        let currency = try #require(description.attributes.first { $0.name == "currency" })
        #expect(currency.values.map(\.events) == [2, 1] && currency.distinct == 2 && !currency.hasMore)
        let first = try #require(description.attributes.first { $0.name == "first" })
        #expect(first.kinds == [.boolean: 1, .null: 1] && !first.isConflicting)
        let tags = try #require(description.attributes.first { $0.name == "tags" })
        #expect(tags.kinds == [.list: 1] && tags.hasMore && tags.values.isEmpty)
    }

    @Test
    func `a name that was never sent has no description`() async throws {
        let environment = try IndexEnvironment()
        let days = try #require(Self.days)
        #expect(try await environment.store.description(of: "never", days: days) == nil)
    }

    @Test
    func `integers and fractions are one type; a number and a string are two`() {
        #expect(!Self.tally([#"{"attributes":{"n":1}}"#, #"{"attributes":{"n":1.5}}"#]).attributes[0].isConflicting)
        #expect(!Self.tally([#"{"attributes":{"n":1}}"#, #"{"attributes":{"n":null}}"#]).attributes[0].isConflicting)
        #expect(Self.tally([#"{"attributes":{"n":1}}"#, #"{"attributes":{"n":"1"}}"#]).attributes[0].isConflicting)
        #expect(Self.tally([#"{"attributes":{"n":1.0}}"#]).attributes[0].kinds == [.integer: 1])
    }

    @Test
    func `attributes, values and bytes stay within their limits, and omissions are reported`() {
        let names = (0..<50).map { "\"a\($0)\":\($0)" }.joined(separator: ",")
        let many = Self.tally(["{\"attributes\":{\(names)}}", "{\"attributes\":{\(names)}}"]) { $0.attributes = 20 }
        #expect(many.attributes.count == 20 && many.omitted == 60 && many.maximumAttributes == 50)
        #expect(many.attributes.allSatisfy { $0.events == 2 })
        let values = Self.tally((0..<40).map { "{\"attributes\":{\"v\":\($0 % 30)}}" }) { limits in
            limits.values = 12
            limits.shown = 3
        }
        let attribute = values.attributes[0]
        #expect(attribute.distinct == 12 && attribute.hasMore && attribute.events == 40)
        #expect(attribute.values.map(\.events) == [2, 2, 2] && attribute.values.count == 3)
        #expect(attribute.numbers == .init(least: .integer(0), greatest: .integer(29)))
        let long = String(repeating: "\u{1F600}", count: 16_000)
        let texts = Self.tally(["{\"attributes\":{\"t\":\"\(long)\"}}", #"{"attributes":{"t":"x"}}"#])
        #expect(texts.attributes[0].distinct == 1 && texts.attributes[0].hasMore)
        #expect(texts.attributes[0].longestBytes == 64_000 && texts.attributes[0].longestUnits == 32_000)
        let few = Self.tally((0..<40).map { "{\"attributes\":{\"v\":\"\($0)\"}}" }) { $0.keptBytes = 500 }
        #expect(few.attributes[0].distinct == 10 && few.attributes[0].hasMore)
    }

    @Test
    func `an event counts once for a repeated attribute, and escapes are decoded`() {
        let twice = Self.tally([#"{"attributes":{"a":1,"\u0061":2},"items":[{},{}]}"#])
        #expect(twice.attributes.count == 1 && twice.attributes[0].events == 1)
        #expect(twice.itemEvents == 1 && twice.maximumItems == 2)
        #expect(Self.tally(["[]", "{", #"{"attributes":5}"#, #"{"items":"x"}"#]).attributes.isEmpty)
    }

    @Test
    func `only the latest events within the limits are read, and the answer states their number`() async throws {
        let environment = try IndexEnvironment()
        var limits = EventDescription.Limits()
        limits.events = 3
        for number in UInt64(1)...5 {
            var batch = Batch(1, 1)
            batch.received += Int64(number)
            batch.lines = [line(number, "buy", time: Int64(100 - number), attributes: "{\"n\":\(number)}")]
            try environment.append(batch)
        }
        try await environment.index()
        let days = try #require(Self.days)
        let description = try await environment.store.database.pool.read { [limits] db in
            try CatalogRows.description(of: "buy", days: days, limits: limits, clock: SystemClock(), db)
        }
        #expect(description?.read == 3 && description?.entry?.events == 5)
        #expect(description?.attributes.first?.numbers == .init(least: .integer(3), greatest: .integer(5)))
        #expect(description?.since == Timestamp(milliseconds: 1_700_000_000_003))
        limits.bytes = 1
        let short = try await environment.store.database.pool.read { [limits] db in
            try CatalogRows.description(of: "buy", days: days, limits: limits, clock: SystemClock(), db)
        }
        #expect(short?.read == 1)
    }
}
