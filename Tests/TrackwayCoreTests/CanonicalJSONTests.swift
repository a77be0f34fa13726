// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Canonical JSON")
struct CanonicalJSONTests {
    static let id = EventID(high: 0x0190_a5d0_ac96_774b, low: 0xbcce_b302_099a_8057)
    static let moment = DualTimestamp(
        wall: Timestamp(milliseconds: 1_700_000_000_000),
        monotonic: MonotonicTime(milliseconds: 123_456)
    )

    static func encode(
        _ name: String = "e",
        _ attributes: Attributes = [:],
        items: [Item] = [],
        limits: EventLimits = EventLimits()
    ) -> (json: String, diagnostics: [Diagnostic]) {
        var diagnostics: [Diagnostic] = []
        let json = JSONWriter.withThreadBuffer { writer in
            EventEncoder.encode(
                id: id,
                name: name,
                moment: moment,
                attributes: attributes,
                items: items,
                limits: limits,
                into: &writer,
                report: { diagnostics.append($0) }
            )
            return writer.array()
        }
        return (String(decoding: json, as: UTF8.self), diagnostics)
    }

    static let head = #"{"id":"0190a5d0-ac96-774b-bcce-b302099a8057","name":"e","time":1700000000000,"mono":123456"#

    @Test
    func `an event without attributes and items has neither member`() {
        #expect(Self.encode().json == Self.head + "}")
    }

    @Test(
        arguments: [
            ("text", "plain", #""plain""#),
            ("text", "", #""""#),
            (
                "escapes", "a\"b\\c/d\u{8}\u{9}\u{A}\u{C}\u{D}\u{0}\u{1F}\u{7F}",
                #""a\"b\\c/d\b\t\n\f\r\u0000\u001f"# + "\u{7F}\""
            ),
            ("beyond ASCII", "中文 😀 é \u{2028}", "\"中文 😀 é \u{2028}\""),
            ("integer", 0, "0"),
            ("integer", -1, "-1"),
            ("integer", .integer(.max), "9223372036854775807"),
            ("integer", .integer(.min), "-9223372036854775808"),
            ("double", 19.99, "19.99"),
            ("double", 3.0, "3.0"),
            ("double", -0.0, "-0.0"),
            ("double", 0.0, "0.0"),
            ("double", 1e300, "1e+300"),
            ("double", .double(.leastNonzeroMagnitude), "5e-324"),
            ("double", 0.1, "0.1"),
            ("double", 279.9, "279.9"),
            ("double", 123_456.789, "123456.789"),
            ("double", 31.230416, "31.230416"),
            ("double", .double(1.0 / 3), "0.3333333333333333"),
            ("boolean", true, "true"),
            ("boolean", false, "false"),
            ("date", .date(Timestamp(milliseconds: 1_700_000_000_000)), #""2023-11-14T22:13:20.000Z""#),
            ("array", [1, "a", true, [2.5]], #"[1,"a",true,[2.5]]"#),
            ("array", [], "[]"),
            ("object", ["a": 1, "b": ["c": []]], #"{"a":1,"b":{"c":[]}}"#),
            ("object", .object([:]), "{}"),
        ] as [(String, AttributeValue, String)]
    )
    func `every kind of value has exactly one form`(_ kind: String, _ value: AttributeValue, _ json: String) {
        let encoded = Self.encode("e", ["k": value])
        #expect(encoded.json == Self.head + #","attributes":{"k":\#(json)}}"#)
        #expect(encoded.diagnostics.isEmpty)
    }

    @Test
    func `items follow the attributes, with only the members that are set`() {
        let items = [Item(id: "123", name: "Nature", ["publisher": "Nature Research"]), Item(id: "4")]
        #expect(
            Self.encode("e", ["value": 99.9], items: items).json == Self.head
                + #","attributes":{"value":99.9},"items":[{"id":"123","name":"Nature","attributes":{"publisher":"Nature Research"}},{"id":"4"}]}"#
        )
        #expect(Self.encode("e", items: [Item(id: "4")]).json == Self.head + #","items":[{"id":"4"}]}"#)
    }

    @Test
    func `strings of every length around the word size are escaped at every position`() throws {
        for length in 0...40 {
            let plain = String(repeating: "x", count: length)
            #expect(Self.encode("e", ["k": .string(plain)]).json.hasSuffix(#"{"k":"\#(plain)"}}"#))
            for place in 0..<length {
                for special in ["\"", "\\", "\n", "\u{1}"] {
                    let text = plain.prefix(place) + special + plain.dropFirst(place + 1)
                    let json = Self.encode("e", ["k": .string(String(text))]).json
                    let event = try Event(json: Array(json.utf8))
                    #expect(event.attributes["k"] == .string(String(text)))
                }
            }
        }
    }

    @Test
    func `an event written while another is being written is complete`() {
        let outer = JSONWriter.withThreadBuffer { outer in
            outer.beginArray()
            #expect(Self.encode("e", ["k": 1]).json == Self.head + #","attributes":{"k":1}}"#)
            outer.endArray()
            return outer.array()
        }
        #expect(outer == Array("[]".utf8))
    }
}
