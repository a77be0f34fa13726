// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Skipping an unreadable JSON value")
struct JSONUnreadableTests {
    static let found: [(text: String, value: String)] = [
        ("[NaN]", "NaN"), ("[ NaN , 1]", "NaN"), ("[{\"a\":NaN},1]", "{\"a\":NaN}"), ("[1 2\n]", "1 2"),
        ("[\"a,]}\\\"\\\\\" x,1]", "\"a,]}\\\"\\\\\" x"), ("[[{}]x]", "[{}]x"),
        ("[\"\u{1}\"]", "\"\u{1}\""),
    ]

    @Test(arguments: found)
    func `quotation marks and brackets determine the end of an unreadable value, and parsing continues after it`(
        _ text: String,
        _ value: String
    ) throws {
        try Array(text.utf8).withUnsafeBytes { bytes in
            var scanner = try JSONScanner(bytes)
            try scanner.enterArray()
            let hasElement = try scanner.nextElement()
            #expect(hasElement)
            let passed = scanner.skipUnreadableValue()
            let range = try #require(passed)
            #expect(String(decoding: bytes[range], as: UTF8.self) == value)
            while try scanner.nextElement() { try scanner.skipValue() }
            try scanner.finish()
        }
    }

    static let lost = [
        "[", "[ ", "[x", "[\"x]", "[\"x\\\"]", "[[}]", "[{]]", "[{\"a\":[}]}]", "[,1]", "[ ]", "[}", "[{\"a\\",
    ]

    @Test(arguments: lost)
    func `if the end of an unreadable value is unclear, the scanner does not move`(_ text: String) throws {
        try Array(text.utf8).withUnsafeBytes { bytes in
            var scanner = try JSONScanner(bytes)
            try scanner.enterArray()
            let passed = scanner.skipUnreadableValue()
            #expect(passed == nil)
            #expect(bytes[1..<scanner.offset].allSatisfy { $0 == 0x20 } && scanner.depth == 1)
        }
    }

    @Test
    func `a member's unreadable value ends with its object`() throws {
        try Array(#"{"a":NaN}"#.utf8).withUnsafeBytes { bytes in
            var scanner = try JSONScanner(bytes)
            try scanner.enterObject()
            _ = try scanner.nextKey()
            let passed = scanner.skipUnreadableValue()
            #expect(passed == 5..<8)
            let next = try scanner.nextKey()
            #expect(next == nil)
            try scanner.finish()
        }
    }
}
