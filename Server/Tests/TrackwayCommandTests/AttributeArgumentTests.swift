// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Attribute arguments")
struct AttributeArgumentTests {
    @Test(
        arguments: [
            ("total=12.5", "total", .double(12.5)),
            ("count=3", "count", .integer(3)),
            ("count=-3", "count", .integer(-3)),
            ("first=true", "first", .boolean(true)),
            ("first=false", "first", .boolean(false)),
            ("currency=CNY", "currency", .string("CNY")),
            ("empty=", "empty", .string("")),
            ("formula=a=b", "formula", .string("a=b")),
            ("zip:=0815", "zip", .string("0815")),
            ("truth:=true", "truth", .string("true")),
            ("phone=0815", "phone", .string("0815")),
            ("day=2026-11-21", "day", .string("2026-11-21")),
            ("minus=-", "minus", .string("-")),
            ("quoted=\"3\"", "quoted", .string("3")),
            ("tags=[\"a\",2]", "tags", .array([.string("a"), .integer(2)])),
            ("size={\"w\":1}", "size", .object(["w": 1])),
            ("at=\"2023-11-14T22:13:20.000Z\"", "at", .date(Timestamp(milliseconds: 1_700_000_000_000))),
        ] as [(String, String, AttributeValue)]
    )
    func `a value's type is inferred from its text`(argument: String, key: String, value: AttributeValue) throws {
        let attribute = try AttributeArgument(argument)
        #expect(attribute.key == key)
        #expect(attribute.value == value)
    }

    @Test(arguments: ["total", "=3", ":=3", "", "a=[1,", "a={x}"])
    func `an invalid attribute is rejected with a remedy`(argument: String) {
        let failure = #expect(throws: CommandFailure.self) { try AttributeArgument(argument) }
        #expect(failure?.status == .usage)
        #expect(failure?.remedy.isEmpty == false)
    }
}
