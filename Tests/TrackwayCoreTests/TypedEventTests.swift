// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Typed events")
struct TypedEventTests {
    enum Size: String, Codable, Sendable {
        case small
        case large
    }

    struct Address: Codable, Sendable {
        var street: String
        var number: Int?
    }

    struct Purchase: TypedEvent {
        static let name = "purchase"
        var total = 12.5
        var count = 3
        var isFirst = true
        var coupon: String?
        var size = Size.large
        var address = Address(street: "Main", number: nil)
        var tags = ["a", "b"]
        var ratings: [Int?] = [1, nil, 3]
        var at = Timestamp(milliseconds: 5)
        var hash = UInt64.max
        var share: Float = 0.1
        var options = ["gift": true]
        var attributes: AttributesBox = AttributesBox()
        var items: [Item] { [Item(id: "1")] }
    }

    struct AttributesBox: Encodable, Sendable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(1)
            var nested = container.nestedContainer(keyedBy: Key.self)
            try nested.encode("v", forKey: .first)
            var inner = nested.nestedUnkeyedContainer(forKey: .second)
            try inner.encode(Int16(2))
            try inner.encode(contentsOf: [true, false])
        }

        enum Key: String, CodingKey {
            case first
            case second
        }
    }

    @Test
    func `encoded properties become attributes`() throws {
        let attributes = try Purchase().attributes()
        #expect(
            attributes == [
                "total": 12.5, "count": 3, "isFirst": true, "size": "large", "address": ["street": "Main"],
                "tags": ["a", "b"], "ratings": [1, 3], "at": .date(Timestamp(milliseconds: 5)),
                "hash": "18446744073709551615", "share": 0.1, "options": ["gift": true],
                "attributes": .array([1, ["first": "v", "second": [2, true, false]]]),
            ]
        )
        #expect(Purchase().items == [Item(id: "1")])
    }

    struct Empty: TypedEvent {
        static let name = "empty"
    }

    @Test
    func `a typed event without properties has no attributes`() throws {
        #expect(try Empty().attributes().isEmpty)
        #expect(Empty().items.isEmpty)
    }

    struct Single: TypedEvent {
        static let name = "single"
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(7)
        }
    }

    struct Failing: TypedEvent {
        static let name = "failing"
        struct Reason: Error {}
        func encode(to encoder: any Encoder) throws { throw Reason() }
    }

    @Test
    func `a typed event that does not encode properties, or fails to encode, throws`() {
        #expect(throws: EncodingError.self) { try Single().attributes() }
        #expect(throws: Failing.Reason.self) { try Failing().attributes() }
    }

    /// An event that uses several containers alternately, some twice or not at all.
    struct Interleaved: TypedEvent {
        static let name = "interleaved"

        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }

            init(_ key: String) { stringValue = key }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        func encode(to encoder: any Encoder) throws {
            var outer = encoder.container(keyedBy: Key.self)
            var first = outer.nestedContainer(keyedBy: Key.self, forKey: Key("first"))
            var list = outer.nestedUnkeyedContainer(forKey: Key("list"))
            try outer.encode(1, forKey: Key("one"))
            _ = outer.superEncoder(forKey: Key("nothing"))
            try list.encode(1)
            _ = list.superEncoder()
            try first.encode("a", forKey: Key("text"))
            var nested = list.nestedUnkeyedContainer()
            try list.encode("last")
            try nested.encode(2.5)
            try outer.encode("again", forKey: Key("one"))
            try outer.encodeNil(forKey: Key("nil"))
            var second = encoder.container(keyedBy: Key.self)
            try second.encode(true, forKey: Key("second"))
            #expect(list.count == 4)
        }
    }

    @Test
    func `containers may be used alternately; positions without a value are omitted, and a key's last value wins`()
        throws
    {
        #expect(
            try Interleaved().attributes() == [
                "first": ["text": "a"], "list": .array([1, [2.5], "last"]), "one": "again", "second": true,
            ]
        )
    }
}
