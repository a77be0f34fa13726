// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("JSON conformance")
struct JSONConformanceTests {
    static let valid: [String] = [
        "null", "true", "false", "0", "-0", "1", "-1", "10", "1.5", "1e1", "1E1", "1e+1", "1e-1", "0.0", "0e0", "0E+00",
        "-1.5e-3", "\"\"", "\" \"", "\"\u{7F}\"", "\"\\u0000\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\uD83D\\uDE00\"",
        "\"\\ud7ff\\ue000\\uffff\"", "\"é\"", "\"中\"", "\"😀\"", "\"\u{10FFFF}\"", "\"\u{FFFE}\"", "[]", "[ ]", "[1]",
        "[1 , 2]", "[[]]", "[[],[[]]]", "{}", "{ }", "{\"a\":1}", "{\"\":1}", "{ \"a\" : { } , \"b\" : [ ] }",
        "{\"a\":1,\"a\":2}", " \t\r\n1\n ", "\"abcdefgh\"", "\"abcdefghi\"", "\"abcdefg\"", "[\"a\",1,true,null,{},[]]",
        "\"" + String(repeating: "x", count: 1000) + "\"", String(repeating: "9", count: 308), "1e308",
        String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
    ]

    static let invalid: [(String, JSONError.Code)] = [
        ("", .unexpectedEnd), (" ", .unexpectedEnd), ("nul", .unexpectedEnd), ("nulL", .unexpectedByte),
        ("True", .unexpectedByte), ("truefalse", .trailingBytes), ("NaN", .unexpectedByte),
        ("Infinity", .unexpectedByte),
        ("-Infinity", .invalidNumber), ("+1", .unexpectedByte), (".5", .unexpectedByte), ("1.", .unexpectedEnd),
        ("1.e1", .invalidNumber), ("1e", .unexpectedEnd), ("1e+", .unexpectedEnd), ("1ex", .invalidNumber),
        ("01", .invalidNumber), ("-01", .invalidNumber), ("00", .invalidNumber), ("-", .unexpectedEnd),
        ("--1", .invalidNumber),
        ("0x10", .trailingBytes), ("1_000", .trailingBytes), ("1 2", .trailingBytes), ("[1", .unexpectedEnd),
        ("[1,", .unexpectedEnd), ("[1,]", .unexpectedByte), ("[,1]", .unexpectedByte), ("[1 2]", .unexpectedByte),
        ("[1}", .unexpectedByte), ("]", .unexpectedByte), ("[]]", .trailingBytes), ("{", .unexpectedEnd),
        ("{]", .unexpectedByte), ("{\"a\"}", .unexpectedByte), ("{\"a\":}", .unexpectedByte),
        ("{\"a\":1,}", .unexpectedByte),
        ("{,\"a\":1}", .unexpectedByte), ("{a:1}", .unexpectedByte), ("{1:1}", .unexpectedByte),
        ("{'a':1}", .unexpectedByte),
        ("{\"a\":1 \"b\":2}", .unexpectedByte), ("{\"a\" 1}", .unexpectedByte), ("{\"a\"::1}", .unexpectedByte),
        ("{\"a\":1}}", .trailingBytes), ("// x\n1", .unexpectedByte), ("1 // x", .trailingBytes),
        ("\"", .unexpectedEnd),
        ("\"a", .unexpectedEnd), ("\"a\nb\"", .controlCharacter), ("\"\t\"", .controlCharacter),
        ("\"\u{0}\"", .controlCharacter), ("\"abcdefgh\u{1F}\"", .controlCharacter), ("\"\\x\"", .invalidEscape),
        ("\"\\'\"", .invalidEscape), ("\"\\u\"", .unexpectedEnd), ("\"\\u12\"    ", .invalidEscape),
        ("\"\\u12G4\"", .invalidEscape), ("\"\\", .unexpectedEnd), ("\"\\\"", .unexpectedEnd),
        ("\"\\ud800\"", .loneSurrogate),
        ("\"\\udc00\"", .loneSurrogate), ("\"\\ud800\\ud800\"", .loneSurrogate), ("\"\\ud800\\n____\"", .loneSurrogate),
        ("\"\\udc00\\ud800\"", .loneSurrogate), ("\"\\ud800x\\udc00\"", .loneSurrogate), ("1e309", .numberOutOfRange),
        ("-1e999999999999999999999", .numberOutOfRange), (String(repeating: "9", count: 400), .numberOutOfRange),
        ("\u{FEFF}1", .unexpectedByte), ("\u{A0}1", .unexpectedByte), ("\u{0}", .unexpectedByte),
        ("1\u{0}", .trailingBytes),
        (String(repeating: "[", count: 65) + String(repeating: "]", count: 65), .tooDeep),
        (String(repeating: "[", count: 100_000), .tooDeep),
        (String(repeating: "{\"a\":", count: 100_000), .tooDeep),
    ]

    static let notUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x20], [0xC2, 0xC2], [0xE0, 0x80, 0x80],
        [0xE0, 0x9F, 0xBF], [0xE1, 0x80], [0xE1, 0x80, 0x20], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
        [0xF0, 0x80, 0x80, 0x80],
        [0xF0, 0x8F, 0xBF, 0xBF], [0xF1, 0x80, 0x80], [0xF1, 0x80, 0x80, 0x20], [0xF4, 0x90, 0x80, 0x80],
        [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ]

    @Test(arguments: valid)
    func `valid texts are parsed and skipped`(_ text: String) throws {
        _ = try JSONValue.parse(Array(text.utf8))
        #expect(Self.skips(Array(text.utf8)) == nil)
    }

    @Test(arguments: invalid)
    func `invalid texts are rejected with the right reason, whether parsed or skipped`(
        _ text: String,
        _ code: JSONError.Code
    ) {
        let error = #expect(throws: JSONError.self) { try JSONValue.parse(Array(text.utf8)) }
        #expect(error?.code == code)
        #expect(Self.skips(Array(text.utf8)) == error)
    }

    @Test(arguments: notUTF8)
    func `bytes that are not UTF-8 are rejected at any position`(_ bytes: [UInt8]) {
        for before in 0...9 {
            for after in [0, 1, 9] {
                let text =
                    [0x22] + [UInt8](repeating: 0x61, count: before) + bytes + [UInt8](repeating: 0x61, count: after)
                    + [0x22]
                let error = #expect(throws: JSONError.self) { try JSONValue.parse(text) }
                #expect(error?.code == .invalidUTF8)
                #expect(Self.skips(text) == error)
            }
        }
    }

    @Test
    func `every Unicode character is accepted, plain or escaped`() throws {
        var plain = String.UnicodeScalarView()
        for value in UInt32(0x20)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
            // All characters of the basic plane, and every 17th beyond it.
            if value < 0x10000 || value % 17 == 0 { plain.append(scalar) }
        }
        let text = String(plain)
        #expect(try JSONValue.parse(Array("\"\(text)\"".utf8)) == .string(text))
        let escaped = text.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        let decoded = try JSONValue.parse(Array("\"\(escaped.joined())\"".utf8))
        #expect(decoded.string.map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test
    func `escapes are decoded`() throws {
        let value = try JSONValue.parse(Array(#""\"\\\/\b\f\n\r\tA\u0041\u00e9\u4e2d\ud83d\ude00\u0000""#.utf8))
        #expect(value == .string("\"\\/\u{8}\u{C}\n\r\tAAé中😀\u{0}"))
    }

    @Test
    func `the reader's limits for size and depth apply`() {
        let text = Array("[[1]]".utf8)
        #expect(throws: JSONError(.tooLarge, at: 4)) { try JSONValue.parse(text, limits: JSONLimits(bytes: 4)) }
        #expect(throws: JSONError(.tooDeep, at: 1)) { try JSONValue.parse(text, limits: JSONLimits(depth: 1)) }
        #expect(throws: Never.self) { try JSONValue.parse(text, limits: JSONLimits(bytes: 5, depth: 2)) }
    }

    @Test
    func `a member is found by its key, in any notation`() throws {
        let text = Array(#"{"x":1, "\u0061" : [1, 2] ,"b":{"a":3}}"#.utf8)
        let range = try text.withUnsafeBytes { try JSONScanner.member("a", of: $0) }
        #expect(range.map { Array(text[$0]) } == Array("[1, 2]".utf8))
        #expect(try text.withUnsafeBytes { try JSONScanner.member("c", of: $0) } == nil)
    }

    /// Returns the error that skipping the text throws, or nil.
    static func skips(_ text: [UInt8]) -> JSONError? {
        text.withUnsafeBytes { bytes in
            do throws(JSONError) {
                var scanner = try JSONScanner(bytes)
                try scanner.skipValue()
                try scanner.finish()
                return nil
            } catch {
                return error
            }
        }
    }
}
