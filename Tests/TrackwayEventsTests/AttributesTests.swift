// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents

@Suite("Attributes")
struct AttributesTests {
    @Test("a literal keeps its order and its kinds")
    func literal() {
        let price = 12.5
        let attributes: Attributes = [
            "category": "shoes", "value": 279.9, "first": true, "count": 3, "list": .array([1, "a"]),
            "object": ["k": 1],
            "text": "costs \(price)", "computed": price,
        ]
        #expect(attributes.keys == ["category", "value", "first", "count", "list", "object", "text", "computed"])
        #expect(attributes["category"]?.string == "shoes")
        #expect(attributes["value"]?.double == 279.9)
        #expect(attributes["first"]?.boolean == true)
        #expect(attributes["count"]?.integer == 3)
        #expect(attributes["count"]?.double == 3)
        #expect(attributes["list"]?.array == [1, "a"])
        #expect(attributes["object"]?.object == ["k": 1])
        #expect(attributes["text"]?.string == "costs 12.5")
        #expect(attributes["computed"]?.double == 12.5)
        #expect(attributes["none"] == nil)
        #expect(attributes["category"]?.integer == nil)
    }

    @Test("setting a key replaces it in place, and mends a literal that names it twice")
    func setting() {
        var attributes: Attributes = ["a": 1, "b": 2, "a": 3]
        #expect(attributes["a"] == 3)
        attributes["a"] = 4
        #expect(attributes == ["a": 4, "b": 2])
        attributes["b"] = nil
        #expect(attributes == ["a": 4])
        attributes.set("c", UInt8(7))
        #expect(attributes == ["a": 4, "c": 7])
        var twice: Attributes = ["a": 1, "a": 2]
        twice["a"] = nil
        #expect(twice.isEmpty)
    }

    @Test("merging takes the other's values")
    func merging() {
        let attributes: Attributes = ["a": 1, "b": 2]
        #expect(attributes.merging(["b": 3, "c": 4]) == ["a": 1, "b": 3, "c": 4])
        #expect(Attributes().merging(attributes) == attributes)
        #expect(attributes.merging([:]) == attributes)
        #expect(Attributes([(key: "a", value: 1), (key: "a", value: 2)]) == ["a": 2])
    }

    @Test("whole numbers stay exact whatever their type, and become text beyond the range")
    func integers() {
        #expect(Int8.min.attributeValue == -128)
        #expect(UInt32.max.attributeValue == 4_294_967_295)
        #expect(Int64.min.attributeValue == .integer(.min))
        #expect(UInt64(Int64.max).attributeValue == .integer(.max))
        #expect(UInt64.max.attributeValue == "18446744073709551615")
        #expect(Float(0.1).attributeValue == 0.1)
        #expect(Float.infinity.attributeValue == .double(.infinity))
        #expect(Duration.seconds(2).attributeValue == 2000)
        #expect("abc".dropFirst().attributeValue == "bc")
        #expect([[1, 2], [3]].attributeValue == [[1, 2], [3]])
        #expect(Timestamp(milliseconds: 1).attributeValue?.date == Timestamp(milliseconds: 1))
    }

    @Test("equal attributes hash alike")
    func hashing() {
        let one: Attributes = ["a": 1, "b": ["c": 2.5]]
        var other: Attributes = ["a": 1]
        other["b"] = ["c": 2.5]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["b": ["c": 2.5], "a": 1])
    }

    @Test("they print as one would write them down")
    func description() {
        #expect("\([:] as Attributes)" == "[:]")
        let attributes: Attributes = [
            "sku": "A-\"1", "price": 12.5, "count": 3, "first": true, "list": .array(["a", 1]),
            "nan": .double(.nan), "in": .object(["deep": 1]), "when": .date(Timestamp(milliseconds: 0)),
        ]
        #expect(
            attributes.description
                == #"["sku": "A-\"1", "price": 12.5, "count": 3, "first": true, "list": ["a", 1], "nan": nan, "#
                + #""in": ["deep": 1], "when": 1970-01-01T00:00:00.000Z]"#
        )
    }
}
