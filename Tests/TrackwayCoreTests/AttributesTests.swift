// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Attributes")
struct AttributesTests {
    @Test
    func `a literal keeps its order and its value types`() {
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

    @Test
    func `setting a key replaces it in place, and removes duplicates from a literal`() {
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

    @Test
    func `merging prefers the other attributes' values`() {
        let attributes: Attributes = ["a": 1, "b": 2]
        #expect(attributes.merging(["b": 3, "c": 4]) == ["a": 1, "b": 3, "c": 4])
        #expect(Attributes().merging(attributes) == attributes)
        #expect(attributes.merging([:]) == attributes)
        #expect(Attributes([(key: "a", value: 1), (key: "a", value: 2)]) == ["a": 2])
    }

    @Test
    func `integers of any type stay exact, and become text when out of range`() {
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

    @Test
    func `equal attributes have equal hashes`() {
        let one: Attributes = ["a": 1, "b": ["c": 2.5]]
        var other: Attributes = ["a": 1]
        other["b"] = ["c": 2.5]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["b": ["c": 2.5], "a": 1])
    }

    @Test
    func `attributes print like a literal`() {
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

    @Test(arguments: [0, 1, 2, 15, 16, 17, 40, 200])
    func `a dictionary's pairs are sorted by key, for any number of keys and any characters`(_ count: Int) {
        var seed = SeededRandom(UInt64(count))
        for _ in 0..<20 {
            var dictionary: [String: Int] = [:]
            while dictionary.count < count {
                let letters = ["a", "b", "key", "\u{E9}", "e\u{301}", "z", "_", "0"]
                let key = (0...seed.below(12)).map { _ in letters[seed.below(letters.count)] }.joined()
                dictionary[key] = dictionary.count
            }
            let expected = dictionary.sorted { $0.key < $1.key }
            let attributes = Attributes(dictionary)
            #expect(attributes.keys == expected.map(\.key))
            #expect(attributes.map(\.value) == expected.map { .integer(Int64($0.value)) })
            #expect(Attributes(dictionary.mapValues { $0 as Any }) == attributes)
        }
    }

    @Test(arguments: [2, 16, 17, 64, 65, 66, 200])
    func `a sequence of pairs keeps each key once, for any number of keys`(_ count: Int) {
        let pairs = (0..<count).map { (key: "key_\($0)", value: AttributeValue.integer(Int64($0))) }
        #expect(Attributes(pairs).map(\.key) == pairs.map(\.key))
        let repeated = Attributes(pairs + [(key: "key_1", value: "last")])
        #expect(repeated.keys == pairs.map(\.key))
        #expect(repeated["key_1"] == "last")
    }

    @Test
    func `values of type Any give the same attributes as values of their concrete types`() {
        let optional: String? = "set"
        let values: [String: Any] = [
            "text": "a", "whole": 3, "number": 2.5, "truth": true, "small": Int8(4), "large": UInt64.max,
            "attribute": AttributeValue.date(Timestamp(milliseconds: 5)), "optional": optional as Any,
            "list": [1, "b"] as [Any], "object": ["deep": ["truth": false]] as [String: Any],
        ]
        let expected: [String: AttributeValue] = [
            "text": "a", "whole": 3, "number": 2.5, "truth": true, "small": 4, "large": "18446744073709551615",
            "attribute": .date(Timestamp(milliseconds: 5)), "optional": "set", "list": .array([1, "b"]),
            "object": ["deep": ["truth": false]],
        ]
        #expect(Attributes(values) == Attributes(expected))
    }
}
