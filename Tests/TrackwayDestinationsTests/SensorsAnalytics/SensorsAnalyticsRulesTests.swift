// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinations

@Suite("Sensors Analytics rules")
struct SensorsAnalyticsRulesTests {
    private typealias Rules = SensorsAnalyticsRules
    private static let utc = SensorsAnalyticsZone()

    @Test(arguments: [
        "a", "Z", "_", "$", "$AppStart", "_private", "a1", "A_b$9", "iDs", "timed", "event_name", "usertag",
        "my_user_tag",
    ])
    func `names start with a letter, _ or $, followed by these or digits`(_ name: String) {
        #expect(Rules.fault(inName: name) == nil)
        #expect(Rules.acceptsProperty(named: name))
    }

    @Test(arguments: ["1a", "9", "a-b", "a b", "a.b", "名字", "é", "a😀", "a\u{0}", "\n", "a%", "@a", "-", "a\u{301}"])
    func `other characters are rejected`(_ name: String) {
        #expect(Rules.fault(inName: name) == .characters)
        #expect(!Rules.acceptsProperty(named: name))
    }

    @Test
    func `an empty name has its own fault code`() {
        #expect(Rules.fault(inName: "") == .empty)
        #expect(!Rules.acceptsProperty(named: ""))
    }

    @Test(arguments: [
        "distinct_id", "original_id", "time", "properties", "id", "first_id", "second_id", "users", "events",
        "event", "user_id", "date", "datetime", "ID", "Time", "DISTINCT_ID", "user_tag", "user_tag_x", "User_Tags",
        "user_group", "user_groups1",
    ])
    func `names reserved by the back end are rejected in any case`(_ name: String) {
        #expect(Rules.fault(inName: name) == .reserved)
        #expect(!Rules.acceptsProperty(named: name))
    }

    @Test(arguments: [(99, false), (100, false), (101, true)])
    func `a name longer than 100 characters is reported but accepted`(_ length: Int, _ isLong: Bool) {
        let name = String(repeating: "n", count: length)
        #expect(Rules.fault(inName: name) == (isLong ? .long : nil))
        #expect(Rules.acceptsProperty(named: name))
    }

    @Test(
        arguments: ["a", "家", "é", "😀", "👩‍👩‍👧‍👦"],
        [8_190, 8_191, 8_192, 8_193, 20_000]
    )
    func `a text of 8,192 or more units is truncated to 8,191 and a dollar sign`(_ character: String, _ units: Int) {
        let width = character.utf16.count
        // As many whole characters as fit, padded with single units.
        let text =
            String(repeating: character, count: units / width) + String(repeating: "x", count: units % width)
        #expect(text.utf16.count == units)
        let cut = Rules.text(text)
        if units < Rules.textLength {
            #expect(cut == text)
        } else {
            #expect(cut.hasSuffix("$"))
            // A character of two units at the cut is removed as a whole, so one unit may be missing.
            #expect((8_191...8_192).contains(cut.utf16.count))
            #expect(text.unicodeScalars.starts(with: cut.unicodeScalars.dropLast()))
            #expect(!cut.contains("\u{FFFD}"))
        }
    }

    @Test(arguments: [(16_383, 16_383), (16_384, 16_384), (16_385, 16_384)])
    func `the reason of a crash may be twice as long`(_ units: Int, _ expected: Int) {
        let text = String(repeating: "s", count: units)
        let cut = Rules.text(text, limit: Rules.crashReasonLength)
        #expect(cut.utf16.count == expected)
        #expect((cut == text) == (units < 16_384))
    }

    @Test
    func `values of every kind are converted to the format's types`() {
        let date = Timestamp(milliseconds: 1_750_000_000_123)
        let east = SensorsAnalyticsZone(secondsAhead: 28_800)
        let table: [(AttributeValue, Rules.Outcome)] = [
            ("text", .kept(.string("text"))), (3, .kept(.integer(3))), (38.5, .kept(.double(38.5))),
            (true, .kept(.boolean(true))), (.date(date), .kept(.string("2025-06-15 23:06:40.123"))),
            (.double(.nan), .dropped(.valueNotFinite)), (.double(.infinity), .dropped(.valueNotFinite)),
            (.double(-.infinity), .dropped(.valueNotFinite)), (["a": 1], .dropped(.valueUnsupported)),
            ([], .kept(.array([]))),
            (["a", 1, 2.5, true], .kept(.array([.string("a"), .string("1"), .string("2.5"), .string("true")]))),
            (["a", ["b": 1], ["c"]], .changed(.array([.string("a")]), .elementsLeftOut)),
            ([.date(date)], .kept(.array([.string("2025-06-15 23:06:40.123")]))),
            ([.double(.nan), "b"], .changed(.array([.string("b")]), .elementsLeftOut)),
        ]
        for (value, expected) in table {
            #expect(Rules.outcome(of: value, in: east) == expected, "\(value)")
        }
    }

    @Test
    func `a long text is truncated, even inside a list`() {
        let long = AttributeValue.string(String(repeating: "a", count: 9_000))
        let cut = JSONValue.string(String(repeating: "a", count: 8_191) + "$")
        #expect(Rules.outcome(of: long, in: Self.utc) == .changed(cut, .valueCut))
        #expect(Rules.outcome(of: .array([long]), in: Self.utc) == .changed(.array([cut]), .valueCut))
    }

    @Test(arguments: [
        (28_800, "2025-06-15 23:06:40.123", -480), (0, "2025-06-15 15:06:40.123", 0),
        (-12_600, "2025-06-15 11:36:40.123", 210), (20_700, "2025-06-15 20:51:40.123", -345),
        (50_400, "2025-06-16 05:06:40.123", -840), (Int64.max, "2025-06-15 15:06:40.123", 0),
        (Int64.min, "2025-06-15 15:06:40.123", 0),
    ])
    func `dates are in local time, and the offset has the opposite sign`(
        _ seconds: Int64,
        _ text: String,
        _ minutes: Int64
    ) {
        let zone = SensorsAnalyticsZone(secondsAhead: seconds)
        let date = Timestamp(milliseconds: 1_750_000_000_123)
        #expect(zone.text(date) == text)
        #expect(zone.day(date) == String(text.prefix(10)))
        #expect(zone.minutesBehind == minutes)
    }
}
