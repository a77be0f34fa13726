// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing

@testable import TrackwayCore

@Suite("Limits")
struct LimitTests {
    /// Characters of one, three and four bytes.
    static let characters = ["a", "中", "😀"]

    /// Returns a text of exactly `bytes` bytes.
    ///
    /// It repeats the character while it fits and fills the rest with `x`.
    static func text(_ character: String, bytes: Int) -> String {
        let count = bytes / character.utf8.count
        return String(repeating: character, count: count)
            + String(repeating: "x", count: bytes - count * character.utf8.count)
    }

    static func decoded(_ json: String) throws -> Event { try Event(json: Array(json.utf8)) }

    @Test(arguments: characters)
    func `a name may be as long as the limit, and a longer one is truncated between characters`(_ character: String)
        throws
    {
        for bytes in [127, 128] {
            let name = Self.text(character, bytes: bytes)
            let encoded = CanonicalJSONTests.encode(name)
            #expect(encoded.diagnostics.isEmpty)
            #expect(try Self.decoded(encoded.json).name == name)
        }
        let name = String(repeating: character, count: 129 / character.utf8.count + 1)
        let encoded = CanonicalJSONTests.encode(name)
        #expect(encoded.diagnostics.map(\.code) == [.nameTooLong])
        let event = try Self.decoded(encoded.json)
        #expect(event.name == String(repeating: character, count: 128 / character.utf8.count))
        #expect(event.attributes["_error_code"] == "name_too_long")
    }

    @Test(arguments: characters)
    func `a key may be as long as the limit`(_ character: String) throws {
        for bytes in [127, 128, 129] {
            let key = Self.text(character, bytes: bytes)
            let encoded = CanonicalJSONTests.encode("e", [.init(key): 1, "other": 2])
            let event = try Self.decoded(encoded.json)
            #expect((event.attributes[key] == 1) == (bytes <= 128))
            #expect(event.attributes["other"] == 2)
            #expect(encoded.diagnostics.map(\.code) == (bytes <= 128 ? [] : [.keyTooLong]))
        }
    }

    @Test(arguments: [nil, 0, 5_000, 9_998])
    func `ten thousand attributes are written if the limits allow them, each key once`(repeated: Int?) throws {
        var limits = EventLimits()
        limits.attributes = 10_000
        limits.eventBytes = 1 << 20
        var pairs = (0..<10_000).map { ("a\($0)", AttributeValue.integer(1)) }
        if let repeated { pairs[9_999] = ("a\(repeated)", .integer(2)) }
        // The pairs include duplicates, as in a literal.
        let attributes = pairs.reduce(into: Attributes()) { $0.pairs.append($1) }
        let encoded = CanonicalJSONTests.encode("e", attributes, limits: limits)
        let event = try Event(json: Array(encoded.json.utf8))
        #expect(event.attributes["a\(repeated ?? 0)"] == (repeated == nil ? 1 : 2))
        #expect(event.attributes.keys.filter { $0.hasPrefix("a") }.count == (repeated == nil ? 10_000 : 9_999))
        #expect(encoded.diagnostics.map(\.code) == (repeated == nil ? [] : [.keyDuplicate]))
    }

    @Test(arguments: characters)
    func `a string may be as long as the limit`(_ character: String) throws {
        for bytes in [8191, 8192, 8193] {
            let text = Self.text(character, bytes: bytes)
            let encoded = CanonicalJSONTests.encode("e", ["long": .string(text), "list": [.string(text)], "other": 2])
            let event = try Self.decoded(encoded.json)
            #expect((event.attributes["long"] == .string(text)) == (bytes <= 8192))
            #expect((event.attributes["list"] == [.string(text)]) == (bytes <= 8192))
            #expect(event.attributes["other"] == 2)
            #expect(encoded.diagnostics.map(\.code) == (bytes <= 8192 ? [] : [.valueTooLong, .valueTooLong]))
        }
    }

    @Test(arguments: characters)
    func `an item's id and name may be as long as the limit`(_ character: String) throws {
        for (bytes, isAccepted) in [(0, false), (1, true), (255, true), (256, true), (257, false)] {
            let items = [Item(id: Self.text(character, bytes: bytes)), Item(id: "other")]
            let encoded = CanonicalJSONTests.encode("e", items: items)
            #expect(try Self.decoded(encoded.json).items == (isAccepted ? items : [items[1]]))
            #expect(encoded.diagnostics.map(\.code) == (isAccepted ? [] : [.itemInvalid]))
            #expect(encoded.diagnostics.allSatisfy { $0.field == "items[0].id" })
        }
        let named = [Item(id: "1", name: Self.text(character, bytes: 8193), ["a": 1])]
        let encoded = CanonicalJSONTests.encode("e", items: named)
        #expect(try Self.decoded(encoded.json).items == [Item(id: "1", ["a": 1])])
        #expect(encoded.diagnostics.map(\.field) == ["items[0].name"])
    }

    @Test(arguments: [255, 256, 257, 1000])
    func `the number of attributes may be as high as the limit`(_ count: Int) throws {
        var attributes: Attributes = [:]
        for index in 0..<count { attributes["k\(index)"] = .integer(Int64(index)) }
        let encoded = CanonicalJSONTests.encode("e", attributes)
        let event = try Self.decoded(encoded.json)
        #expect(event.attributes.count == min(count, 256) + (count > 256 ? 2 : 0))
        #expect(encoded.diagnostics.map(\.code) == (count <= 256 ? [] : [.tooManyAttributes]))
        #expect(throws: Never.self) { try Array(encoded.json.utf8).withUnsafeBytes { try EventScan($0) } }
    }

    @Test(arguments: [99, 100, 101])
    func `the number of items may be as high as the limit`(_ count: Int) throws {
        let items = (0..<count).map { Item(id: "\($0)") }
        let encoded = CanonicalJSONTests.encode("e", items: items)
        #expect(try Self.decoded(encoded.json).items == Array(items.prefix(100)))
        #expect(encoded.diagnostics.map(\.code) == (count <= 100 ? [] : [.tooManyItems]))
    }

    @Test(arguments: [1, 2, 7, 8, 9, 40])
    func `values may be nested as deeply as the limit`(_ depth: Int) throws {
        var array: AttributeValue = 1
        var object: AttributeValue = 1
        for _ in 1..<depth {
            array = .array([array])
            object = .object(["o": object])
        }
        let encoded = CanonicalJSONTests.encode("e", ["array": array, "object": object, "other": 2])
        let event = try Self.decoded(encoded.json)
        #expect((event.attributes["array"] == array) == (depth <= 8))
        #expect((event.attributes["object"] == object) == (depth <= 8))
        #expect(event.attributes["other"] == 2)
        #expect(encoded.diagnostics.map(\.code) == (depth <= 8 ? [] : [.tooDeep, .tooDeep]))
        // A receiver with the same limits accepts the event.
        #expect(throws: Never.self) { try Array(encoded.json.utf8).withUnsafeBytes { try EventScan($0) } }
    }

    @Test
    func `a depth limit beyond the parser's maximum is reduced to that maximum`() throws {
        var limits = EventLimits()
        limits.depth = .max
        var value: AttributeValue = 1
        for _ in 0..<200 { value = .array([value]) }
        let encoded = CanonicalJSONTests.encode("e", ["deep": value, "other": 2], limits: limits)
        #expect(try Self.decoded(encoded.json).attributes["other"] == 2)
        #expect(encoded.diagnostics.map(\.code) == [.tooDeep])
    }

    @Test(arguments: [2048, 3000, 4096, 65_536])
    func `an event never exceeds the size limit and keeps the attributes that fit`(_ bytes: Int) throws {
        var limits = EventLimits()
        limits.eventBytes = bytes
        var attributes: Attributes = ["first": 1]
        for index in 0..<20 { attributes["k\(index)"] = .string(String(repeating: "\u{1}", count: bytes / 60)) }
        attributes["last"] = 2
        let items = (0..<50).map { Item(id: "\($0)", ["text": .string(String(repeating: "x", count: bytes / 50))]) }
        let encoded = CanonicalJSONTests.encode(
            String(repeating: "\"", count: 128),
            attributes,
            items: items,
            limits: limits
        )
        #expect(encoded.json.utf8.count <= bytes)
        let event = try Self.decoded(encoded.json)
        #expect(event.attributes["first"] == 1)
        #expect(event.attributes["last"] == 2)
        #expect(event.attributes["_error_code"] == "event_too_large")
        #expect(encoded.diagnostics.allSatisfy { $0.code == .eventTooLarge })
    }

    @Test(arguments: [Int.min, -1, 0, 1])
    func `extreme limits never trap`(_ limit: Int) throws {
        var limits = EventLimits()
        limits.nameBytes = limit
        limits.keyBytes = limit
        limits.stringBytes = limit
        limits.attributes = limit
        limits.items = limit
        limits.itemIDBytes = limit
        limits.depth = limit
        limits.eventBytes = limit
        let encoded = CanonicalJSONTests.encode("中文", ["k": "text", "l": [1]], items: [Item(id: "1")], limits: limits)
        #expect(throws: Never.self) { try Self.decoded(encoded.json) }
        #expect(throws: EventFault.self) {
            try Array(encoded.json.utf8).withUnsafeBytes { try EventScan($0, limits: limits) }
        }
    }
}
