// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents

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

    @Test("coded properties become attributes")
    func properties() throws {
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

    @Test("a typed event without properties has no attributes")
    func empty() throws {
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

    @Test("a typed event that is no set of properties, or fails, throws")
    func throwing() {
        #expect(throws: EncodingError.self) { try Single().attributes() }
        #expect(throws: Failing.Reason.self) { try Failing().attributes() }
    }
}
