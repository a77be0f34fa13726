// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

private enum Plan: String, AttributeConvertible {
    case free, pro
}

private enum Level: Int, AttributeConvertible {
    case low = 1
}

private struct Price {}

private struct Recording: AttributeConvertible {
    let analytics: Analytics

    var attributeValue: AttributeValue? {
        analytics.record("inner")
        return "value"
    }
}

@Suite("Attributes from variables")
struct AttributeValueTests {
    private let date = Date(timeIntervalSince1970: 1_700_000_000.25)
    private let uuid = UUID(uuidString: "91DA4BBE-933F-7DFA-A489-8AEFBC7A06D8")
    private let url = URL(string: "https://example.com/a?b=c#d")

    @Test
    func `a literal accepts variables of every supported type`() {
        let (text, part) = ("text", "a text".dropFirst(2))
        let (int, byte, large) = (-1, UInt8(200), UInt64.max)
        let (double, float, decimal) = (1.5, Float(0.1), Decimal(string: "12.10"))
        let (truth, plan, level) = (text.count == 4, Plan.pro, Level.low)
        let (texts, numbers, nested) = (["a", "b"], [1, 2], [[1.5], []])
        let dictionary = ["b": 2, "a": 1]
        let attributes: Attributes = [
            "text": text, "part": part, "int": int, "byte": byte, "large": large, "double": double, "float": float,
            "decimal": decimal, "truth": truth, "plan": plan, "level": level, "texts": texts, "numbers": numbers,
            "nested": nested, "dictionary": dictionary, "date": date, "uuid": uuid, "url": url,
            "duration": Duration.milliseconds(1500), "interpolated": "\(int) of \(byte)",
            "chosen": truth ? "yes" : "no",
            "object": ["eu": 38, "us": "7½"] as Attributes,
        ]
        let expected: [(String, AttributeValue)] = [
            ("text", "text"), ("part", "text"), ("int", -1), ("byte", 200), ("large", "18446744073709551615"),
            ("double", 1.5), ("float", 0.1), ("decimal", 12.1), ("truth", true), ("plan", "pro"), ("level", 1),
            ("texts", ["a", "b"]), ("numbers", [1, 2]), ("nested", [[1.5], []]), ("dictionary", ["a": 1, "b": 2]),
            ("date", .date(Timestamp(milliseconds: 1_700_000_000_250))),
            ("uuid", "91DA4BBE-933F-7DFA-A489-8AEFBC7A06D8"), ("url", "https://example.com/a?b=c#d"),
            ("duration", 1500), ("interpolated", "-1 of 200"), ("chosen", "yes"), ("object", ["eu": 38, "us": "7½"]),
        ]
        #expect(attributes == Attributes(expected.map { (key: $0.0, value: $0.1) }))
    }

    @Test
    func `a nil optional is omitted, and any other optional is unwrapped`() {
        let (text, number, when, place) = (String?.none, Int?.some(3), Date?.none, url)
        let (plan, list, holes) = (Plan?.none, [String]?.some(["a"]), ["a", nil, "b"] as [String?])
        let attributes: Attributes = [
            "text": text, "number": number, "when": when, "place": place, "plan": plan, "list": list, "holes": holes,
            "length": text.map(\.count), "fallback": text ?? "none",
        ]
        #expect(
            attributes == [
                "number": 3, "place": "https://example.com/a?b=c#d", "list": ["a"], "holes": ["a", "b"],
                "fallback": "none",
            ]
        )
    }

    @Test
    func `a long literal is recorded completely, without diagnostics`() throws {
        let value = 1
        let attributes: Attributes = [
            "k0": value, "k1": value, "k2": value, "k3": value, "k4": value, "k5": value, "k6": value,
            "k7": value, "k8": value, "k9": value, "k10": value, "k11": value, "k12": value, "k13": value,
            "k14": value, "k15": value, "k16": value, "k17": value, "k18": value, "k19": value, "k20": value,
            "k21": value, "k22": value, "k23": value, "k24": value, "k25": value, "k26": value, "k27": value,
            "k28": value, "k29": value, "k30": value, "k31": value, "k32": value, "k33": value, "k34": value,
            "k35": value, "k36": value, "k37": value, "k38": value, "k39": value, "k40": value, "k41": value,
            "k42": value, "k43": value, "k44": value, "k45": value, "k46": value, "k47": value, "k48": value,
            "k49": value, "k50": value, "k51": value, "k52": value, "k53": value, "k54": value, "k55": value,
            "k56": value, "k57": value, "k58": value, "k59": value, "k60": value, "k61": value, "k62": value,
            "k63": value, "k64": value, "k65": value, "k66": value, "k67": value, "k68": value, "k69": value,
        ]
        let memory = try InMemoryAnalytics()
        memory.analytics.record("many", attributes)
        #expect(memory.diagnostics.isEmpty)
        #expect(memory.events(named: "many").first?.attributes.count == 70)
    }

    @Test
    func `nil values do not count toward the limit on attributes`() throws {
        let (absent, present) = (Int?.none, Int?.some(1))
        let attributes: Attributes = ["a": absent, "b": present, "c": absent, "d": present]
        var limits = EventLimits()
        limits.attributes = 2
        var diagnostics: [Diagnostic] = []
        let event = Event(
            id: EventID(high: 0, low: 0),
            name: "e",
            time: Timestamp(milliseconds: 0),
            monotonic: MonotonicTime(milliseconds: 0),
            attributes: attributes
        )
        let read = try Event(json: event.json(limits: limits, report: { diagnostics.append($0) }))
        #expect(read.attributes == ["b": 1, "d": 1])
        #expect(diagnostics.isEmpty)
    }

    @Test
    func `items accept variables`() {
        let (id, name, price) = ("1", String?.some("Nature"), Decimal(9))
        let item = Item(id: id, name: name, ["price": price, "publisher": name])
        #expect(item.attributes == ["price": 9, "publisher": "Nature"])
    }

    @Test
    func `a dictionary with values of any type becomes attributes sorted by key`() throws {
        let json = Data(#"{"b":true,"a":1,"c":1.5,"d":"x","e":[1,"y",null],"f":null,"g":{"i":2,"h":false},"z":0}"#.utf8)
        let parsed = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        let expected: Attributes = [
            "a": 1, "b": true, "c": 1.5, "d": "x", "e": AttributeValue.array([1, "y"]),
            "g": ["h": false, "i": 2] as Attributes, "z": 0,
        ]
        #expect(Attributes(parsed) == expected)
        let mixed: [String: Any] = [
            "date": date, "nil": String?.none as Any, "some": Int?.some(1) as Any, "plan": Plan.free,
            "inner": ["list": [1.5, "a"] as [Any], "nil": Int?.none as Any] as [String: Any],
        ]
        let read: Attributes = [
            "date": date, "inner": ["list": AttributeValue.array([1.5, "a"])] as Attributes, "plan": "free", "some": 1,
        ]
        #expect(Attributes(mixed) == read)
    }

    @Test
    func `each value of an unsupported type is reported, and nothing else is lost`() throws {
        let memory = try InMemoryAnalytics()
        let dictionary: [String: Any] = ["sku": "A-1", "price": Price(), "more": ["deep": [1, Price()] as [Any]]]
        memory.analytics.record("imported", Attributes(dictionary))
        let diagnostics = memory.diagnostics.filter { $0.code == .valueUnsupported }
        #expect(diagnostics.map(\.field) == ["attributes.more.deep[1]", "attributes.price"])
        #expect(diagnostics.map(\.value) == ["Price", "Price"])
        let event = try #require(memory.events(named: "imported").first)
        #expect(event.attributes["sku"] == "A-1")
        #expect(event.attributes["price"] == nil)
        #expect(event.attributes["more"] == ["deep": [1]])
    }

    @Test
    func `unsupported values are reported by every call that takes attributes`() async throws {
        let unsupported = Attributes(["price": Price()] as [String: Any])
        let calls: [(String, (Analytics) async throws -> Void)] = [
            ("record", { _ = $0.record("e", unsupported) }),
            ("recordDurably", { _ = try await $0.recordDurably("e", unsupported) }),
            ("screen", { $0.screen("Home", unsupported) }),
            ("setUserAttributes", { $0.setUserAttributes(unsupported) }),
            ("setGlobalAttributes", { $0.setGlobalAttributes(unsupported) }),
            ("items", { _ = $0.record("e", items: [Item(id: "1", unsupported)]) }),
            ("merged", { _ = $0.record("e", (["a": 1] as Attributes).merging(unsupported)) }),
            (
                "endTimer",
                {
                    $0.startTimer("t")
                    $0.endTimer("t", unsupported)
                }
            ),
        ]
        for (name, call) in calls {
            let memory = try InMemoryAnalytics()
            try await call(memory.analytics)
            #expect(memory.diagnostics.map(\.code) == [.valueUnsupported], "\(name)")
        }
    }

    @Test
    func `a computed value that records an event while it is read is recorded too`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("outer", ["a": Recording(analytics: memory.analytics)])
        #expect(memory.events(named: "inner").count == 1)
        #expect(memory.events(named: "outer").map { $0.attributes["a"] } == ["value"])
    }
}
