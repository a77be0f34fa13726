// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Sessions in the terminal")
struct SessionsTests {
    private static let json = """
        {"sessions":[{"installation":"0199a1b2-0000-7000-8000-000000000001","id":"s2","number":2,"start":1700000000000,\
        "last":1700000077000,"engagement":9200,"foreground":77000,"events":1200,"users":["carl"],\
        "launches":[{"time":1,"kind":"cold"}],"screens":[{"time":1,"name":"Home","engagement":9200},\
        {"time":2,"name":"Basket","engagement":0}]},{"id":"s1","start":0,"last":400,"events":1,"users":[]}],"next":"0.1"}
        """

    private static func sessions() throws -> [CollectorSession] {
        try JSONValue.parse(Array(json.utf8))["sessions"]?.array?.map { CollectorSession($0) } ?? []
    }

    @Test
    func `a session is one line with its time, duration, events and user`() throws {
        let zone = try #require(TimeZone(secondsFromGMT: 0))
        let text = SessionText(style: Style(isColored: false), zone: zone)
        let lines = text.lines(try Self.sessions(), paths: false)
        #expect(lines.count == 3)
        for part in ["1 min 17 s", "1,200", "9.2 s", "carl"] { #expect(lines[1].contains(part)) }
        #expect(lines[2].contains("400 ms") && lines[2].hasSuffix("–"))
    }

    @Test
    func `with paths, the screens are listed below in their order`() throws {
        let zone = try #require(TimeZone(secondsFromGMT: 0))
        let text = SessionText(style: Style(isColored: false), zone: zone)
        let lines = text.lines(try Self.sessions(), paths: true)
        #expect(lines[2] == "  Home 9.2 s → Basket")
        #expect(lines[4] == "  no screens")
    }

    @Test
    func `an empty list of sessions says so`() {
        #expect(SessionText(style: Style(isColored: false)).lines([], paths: true).count == 2)
    }

    @Test(
        arguments: [
            (0, "0 ms"), (-5, "0 ms"), (999, "999 ms"), (1_000, "1.0 s"), (3_249, "3.2 s"), (59_949, "59.9 s"),
            (59_950, "1 min"), (77_000, "1 min 17 s"), (3_599_499, "59 min 59 s"), (3_600_000, "1 h"),
            (7_500_000, "2 h 5 min"), (90_000_000, "1 d 1 h"), (.max, "106751991167 d 7 h"), (.min, "0 ms"),
        ] as [(Int64, String)]
    )
    func `a duration has at most two units`(_ milliseconds: Int64, _ text: String) {
        #expect(TimeSpan(milliseconds: milliseconds).text == text)
    }

    @Test(arguments: [(-1, .max, .max), (.max, -2, .min), (.min, 0, .max), (5, 3, -2)] as [(Int64, Int64, Int64)])
    func `times may be too far apart to subtract`(_ start: Int64, _ end: Int64, _ length: Int64) {
        let span = TimeSpan(from: Timestamp(milliseconds: start), to: Timestamp(milliseconds: end))
        #expect(span.milliseconds == length)
    }

    @Test
    func `the demonstration's summary names sessions, users, screens and engagement`() throws {
        let screens =
            #"{"screens":[{"name":"Home","views":3,"engagement":61000},{"name":"Basket","views":2,"engagement":0}]}"#
        var summary = UsageSummary(try JSONValue.parse(Array(screens.utf8)))
        summary.add(sessions: try JSONValue.parse(Array(Self.json.utf8)))
        #expect(summary.sentence == "2 sessions, 1 signed-in user, 5 screen views, 1 min 1 s of engagement")
    }
}
