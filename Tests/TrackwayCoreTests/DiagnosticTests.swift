// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore

@Suite("Diagnostics")
struct DiagnosticTests {
    struct InvalidInput: Sendable, CustomTestStringConvertible {
        var name = "e"
        var attributes: Attributes = [:]
        var items: [Item] = []
        var code: Diagnostic.Code
        var field: String
        var value: String
        var testDescription: String { "\(code.rawValue) in \(field)" }
    }

    static let inputs: [InvalidInput] = [
        InvalidInput(name: "", code: .nameEmpty, field: "name", value: ""),
        InvalidInput(name: "a\nb\u{7F}", code: .nameInvalid, field: "name", value: "a_b_"),
        InvalidInput(attributes: ["": 1], code: .keyEmpty, field: "attributes", value: ""),
        InvalidInput(attributes: ["a": 1, "b": 2, "a": 3], code: .keyDuplicate, field: "attributes.a", value: "a"),
        InvalidInput(attributes: ["a": .double(.nan)], code: .numberNotFinite, field: "attributes.a", value: "nan"),
        InvalidInput(
            attributes: ["a": .double(-.infinity)],
            code: .numberNotFinite,
            field: "attributes.a",
            value: "-inf"
        ),
        InvalidInput(
            attributes: ["a": .array([1, .double(.infinity)])],
            code: .numberNotFinite,
            field: "attributes.a",
            value: "an array of 2"
        ),
        InvalidInput(
            attributes: ["a": ["b": ["c": .double(.nan)]]],
            code: .numberNotFinite,
            field: "attributes.a.b.c",
            value: "nan"
        ),
        InvalidInput(
            attributes: ["a": [["b": .double(.nan)]]],
            code: .numberNotFinite,
            field: "attributes.a.b",
            value: "nan"
        ),
        InvalidInput(
            attributes: ["a": .date(Timestamp(milliseconds: .max))],
            code: .dateOutOfRange,
            field: "attributes.a",
            value: "9223372036854775807 ms since 1970"
        ),
        InvalidInput(
            items: [Item(id: "1"), Item(id: "2", ["x": ["y": .double(.nan)]])],
            code: .numberNotFinite,
            field: "items[1].attributes.x.y",
            value: "nan"
        ),
        InvalidInput(items: [Item(id: "")], code: .itemInvalid, field: "items[0].id", value: ""),
    ]

    @Test(arguments: inputs)
    func `an invalid input is reported with field, value, message and suggestion, and in the event's attributes`(
        _ input: InvalidInput
    ) throws {
        let encoded = CanonicalJSONTests.encode(input.name, input.attributes, items: input.items)
        let diagnostic = try #require(encoded.diagnostics.first)
        #expect(encoded.diagnostics.count == 1)
        #expect(diagnostic.code == input.code)
        #expect(diagnostic.field == input.field)
        #expect(diagnostic.value == input.value)
        #expect(diagnostic.severity == .warning)
        #expect(diagnostic.message.hasSuffix("."))
        #expect(diagnostic.recoverySuggestion?.hasSuffix(".") == true)
        #expect(diagnostic.description.hasPrefix("\(input.field): warning: \(diagnostic.message) "))
        #expect(diagnostic.description.hasSuffix(" [\(input.code.rawValue)]"))
        let event = try Event(json: Array(encoded.json.utf8))
        #expect(event.attributes["_error_code"] == .string(input.code.rawValue))
        // The message does not include the value, which stays on the device.
        let statement = diagnostic.message.replacing(": \"\(diagnostic.value)\".", with: ".")
        #expect(event.attributes["_error_message"] == .string("\(input.field): \(statement)"))
    }

    @Test
    func `the rest of the event survives every invalid input`() throws {
        let attributes: Attributes = [
            "a": 1, "": 2, "b": .double(.nan), "c": "text", "d": .array([.double(.nan)]),
            "e": .object(["bad": .double(.nan), "good": 1]),
            "a": 7, "f": true,
        ]
        let items = [Item(id: "1"), Item(id: ""), Item(id: "2", name: "two", ["bad": .double(.infinity), "good": 2])]
        let encoded = CanonicalJSONTests.encode("", attributes, items: items)
        let event = try Event(json: Array(encoded.json.utf8))
        #expect(event.name == "_unnamed")
        #expect(event.attributes.dropLast(2).map(\.key) == ["a", "c", "e", "f"])
        #expect(event.attributes["a"] == 7)
        #expect(event.attributes["e"] == ["good": 1])
        #expect(event.items == [Item(id: "1"), Item(id: "2", name: "two", ["good": 2])])
        #expect(encoded.diagnostics.count == 8)
        #expect(event.attributes["_error_code"] == "name_empty")
        #expect(event.attributes["_error_message"]?.string?.hasSuffix("And 7 more.") == true)
    }

    @Test
    func `an event with only invalid attributes still has the error attributes, before its items`() throws {
        let encoded = CanonicalJSONTests.encode("e", ["a": .double(.nan)], items: [Item(id: "1")])
        let event = try Event(json: Array(encoded.json.utf8))
        #expect(event.attributes.keys == ["_error_code", "_error_message"])
        #expect(event.items == [Item(id: "1")])
    }

    @Test
    func `an error code that the app records itself is not overwritten`() throws {
        let encoded = CanonicalJSONTests.encode("e", ["_error_code": 3001, "a": .double(.nan)])
        #expect(try Event(json: Array(encoded.json.utf8)).attributes == ["_error_code": 3001])
        #expect(encoded.diagnostics.count == 1)
    }

    @Test
    func `a report of hundreds of errors stays short`() throws {
        var attributes: Attributes = [:]
        for index in 0..<250 { attributes[String(repeating: "\"\\", count: 60) + "\(index)"] = .double(.nan) }
        let encoded = CanonicalJSONTests.encode("e", attributes)
        #expect(encoded.diagnostics.count == 32)
        #expect(encoded.json.utf8.count < 1000)
        let message = try Event(json: Array(encoded.json.utf8)).attributes["_error_message"]?.string
        #expect(message?.contains("And 249 more.") == true)
    }

    @Test
    func `similar keys stay distinct, and equal keys are found among many`() throws {
        var seed = SeededRandom(9)
        for _ in 0..<50 {
            var keys: [String] = []
            for _ in 0..<seed.below(200) {
                keys.append(
                    String((0..<seed.below(4) + 1).map { _ in "abcdefgh".dropFirst(seed.below(8)).first ?? "x" })
                )
            }
            let pairs = keys.enumerated().map { ($0.element, AttributeValue.integer(Int64($0.offset))) }
            var expected: Attributes = [:]
            for (key, value) in pairs { expected[key] = value }
            // The JSON may contain a key twice; the decoded attributes contain it once.
            let text = pairs.map { "\"\($0.0)\":\($0.1.integer ?? 0)" }.joined(separator: ",")
            #expect(try Event(json: RoundTripTests.event(attributes: "{\(text)}")).attributes == expected)
        }
    }

    @Test
    func `a composed and a decomposed character are two different keys, because their bytes differ`() throws {
        let encoded = CanonicalJSONTests.encode("e", ["\u{E9}": 1, "e\u{301}": 2])
        #expect(encoded.json.contains("\"\u{E9}\":1,\"e\u{301}\":2"))
        #expect(encoded.diagnostics.isEmpty)
    }

    @Test
    func `values in messages are truncated between characters`() {
        #expect("abc".truncated(toUTF8Count: 3) == "abc")
        #expect("abc".truncated(toUTF8Count: 2) == "ab")
        #expect("中文".truncated(toUTF8Count: 5) == "中")
        #expect("😀".truncated(toUTF8Count: 3) == "")
        #expect("é".truncated(toUTF8Count: 0) == "")
        #expect("é".truncated(toUTF8Count: -1) == "")
        let diagnostic = Diagnostic(
            code: .malformed,
            field: "f",
            value: String(repeating: "中", count: 100),
            message: "M."
        )
        #expect(diagnostic.value.utf8.count == 126)
        #expect(diagnostic.recoverySuggestion == nil)
        #expect(String(repeating: "中", count: 100).quoted == "\"\(String(repeating: "中", count: 42))…\"")
        #expect("ann".quoted == "\"ann\"")
    }

    @Test
    func `_error_message does not contain the value`() throws {
        let secret = String(repeating: "secret ", count: 2_000)
        let encoded = CanonicalJSONTests.encode("e", ["a": .string(secret)])
        #expect(encoded.diagnostics.first?.message.contains("secret") == true)
        #expect(!encoded.json.contains("secret"))
        let message = try Event(json: Array(encoded.json.utf8)).attributes["_error_message"]?.string
        #expect(message?.contains("\(secret.utf8.count) bytes") == true)
    }

    @Test
    func `the description has the format of a compiler diagnostic`() {
        var diagnostic = Diagnostic(
            code: .nameEmpty,
            field: "name",
            value: "",
            message: "The event has no name.",
            recoverySuggestion: "Give the event a name."
        )
        #expect("\(diagnostic)" == "name: warning: The event has no name. Give the event a name. [name_empty]")
        diagnostic.code = .malformed
        diagnostic.field = ""
        diagnostic.recoverySuggestion = nil
        #expect("\(diagnostic)" == "error: The event has no name. [malformed]")
    }

    @Test
    func `the severity belongs to the code, and codes are compared and encoded by name`() throws {
        let code = Diagnostic.Code(rawValue: "unheard_of")
        #expect(code.severity == .warning)
        #expect(code == Diagnostic.Code(rawValue: "unheard_of", severity: .error))
        #expect(Set([code, Diagnostic.Code(rawValue: "unheard_of", severity: .info)]).count == 1)
        #expect(Diagnostic.Severity.allCases.sorted() == [.info, .warning, .error])
        let coded = try JSONEncoder().encode([Diagnostic.Code.malformed])
        #expect(String(decoding: coded, as: UTF8.self) == "[\"malformed\"]")
        #expect(try JSONDecoder().decode([Diagnostic.Code].self, from: coded) == [.malformed])
    }
}
