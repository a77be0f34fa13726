// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Numbers")
struct NumberTests {
    static func written(_ value: Double) -> String {
        var writer = JSONWriter()
        writer.double(value)
        return String(decoding: writer.array(), as: UTF8.self)
    }

    static func read(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

    static let doubles: [Double] = [
        0, -0.0, 1, -1, 0.1, 0.2, 0.3, 0.1 + 0.2, 19.99, 99.9, 1e15, 1e15 - 1, 999_999_999_999_999, 1e16, 1e21, 1e22,
        1e23,
        123_456_789.123, 1e-3, 1e-4, 1.5e-4, 1e-5, 1e-6, 1e-7, 1.0 / 3, .pi, .ulpOfOne, 1e300, -1e300, 9007199254740991,
        9007199254740992, 9007199254740994, 0.000001, 123456.123456, 999999999.999999, 0.999999999999, 4.35, 2.675,
        .greatestFiniteMagnitude, .leastNormalMagnitude, .leastNonzeroMagnitude, -Double.leastNonzeroMagnitude,
        .leastNormalMagnitude.nextDown, 1.0.nextUp, 1.0.nextDown, 0.001.nextUp, 19.99.nextUp, 19.99.nextDown,
    ]

    @Test(arguments: doubles)
    func `a double reads back exactly, bit for bit`(_ value: Double) throws {
        let text = Self.written(value)
        #expect(try Self.read(text).double?.bitPattern == value.bitPattern)
        #expect(text.contains { ".e".contains($0) }, "must not look like an integer")
        #expect(Double(text)?.bitPattern == value.bitPattern, "must match the standard library's parser")
    }

    @Test(arguments: 0..<8)
    func `random doubles read back exactly and are never longer than their description`(_ seed: Int) throws {
        var seed = SeededRandom(UInt64(seed) + 100)
        for round in 0..<5000 {
            let value: Double =
                switch round % 4 {
                case 0: Double(bitPattern: seed.next())
                case 1: Double(seed.below(1_000_000_000)) / [10, 100, 1000, 1e4, 1e6][seed.below(5)]
                case 2: (Double(seed.below(1_000_000)) / 1000).nextUp
                default: Double(seed.next() >> 11) * 0x1p-53
                }
            guard value.isFinite else { continue }
            let text = Self.written(value)
            #expect(try Self.read(text).double?.bitPattern == value.bitPattern)
            #expect(text.utf8.count <= value.description.utf8.count)
        }
    }

    @Test(arguments: [
        ("9223372036854775807", JSONValue.integer(.max)), ("9223372036854775808", .string("9223372036854775808")),
        ("18446744073709551615", .string("18446744073709551615")),
        ("18446744073709551616", .string("18446744073709551616")),
        ("-9223372036854775808", .integer(.min)), ("-9223372036854775809", .string("-9223372036854775809")),
        ("123456789012345678901234567890", .string("123456789012345678901234567890")),
        ("18446744073709551615.0", .double(0x1p64)), ("1e19", .double(1e19)),
        ("1234567890123456789e1", .double(1.2345678901234567e19)),
    ])
    func `an integer beyond Int64 stays exact as text, and other numbers stay numbers`(text: String, value: JSONValue)
        throws
    {
        #expect(try Self.read(text) == value)
        let attribute = try #require(AttributeValue(value))
        #expect(AttributeValue(decimal: text) == attribute || text.contains { ".e".contains($0) })
        let event =
            #"{"id":"018bcfe568007000800000000000000a","name":"e","attributes":{"n":\#(text),"list":[\#(text)]}}"#
        let attributes = try #require(try Self.read(event).object?["attributes"].flatMap { AttributeValue($0) })
        #expect(attributes == .object(["n": attribute, "list": .array([attribute])]))
    }

    @Test
    func `integers are exact over their whole range`() throws {
        var values: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        var power: Int64 = 1
        while true {
            values += [power - 1, power, power + 1, -power, -power - 1]
            let (next, overflow) = power.multipliedReportingOverflow(by: 10)
            if overflow { break }
            power = next
        }
        for value in values {
            var writer = JSONWriter()
            writer.integer(value)
            #expect(String(decoding: writer.array(), as: UTF8.self) == String(value))
            #expect(try Self.read(String(value)) == .integer(value))
        }
        var writer = JSONWriter()
        writer.integer(UInt64.max)
        #expect(writer.array() == Array("18446744073709551615".utf8))
    }

    @Test(
        arguments: [
            ("-0", .integer(0)),
            ("-0.0", .double(-0.0)),
            ("1.0", .double(1)),
            ("1e2", .double(100)),
            ("1E+2", .double(100)),
            ("1e-2", .double(0.01)),
            ("123456789012345678901234567890.0", .double(0x1.8ee90ff6c373ep+96)),
            ("0.1e1", .double(1)),
            ("1e-400", .double(0)),
            ("0e99999999999999999999", .double(0)),
            ("0." + String(repeating: "0", count: 400) + "1", .double(0)),
            ("2.4703282292062327208e-324", .double(0)),
            ("2.4703282292062327209e-324", .double(.leastNonzeroMagnitude)),
            ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
            ("9007199254740993.0", .double(9007199254740992)),
            ("9007199254740993.00000000000000001", .double(9007199254740994)),
        ] as [(String, JSONValue)]
    )
    func `numbers are parsed exactly`(_ text: String, _ value: JSONValue) throws {
        #expect(try Self.read(text) == value)
    }

    @Test(arguments: [
        Double.infinity, -.infinity, .nan, -.nan, .signalingNaN,
    ])
    func `non-finite numbers are written as null, so that the text stays valid JSON`(_ value: Double) {
        #expect(Self.written(value) == "null")
    }
}
