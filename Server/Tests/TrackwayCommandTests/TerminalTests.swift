// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Terminal output")
struct TerminalTests {
    private let plain = Style(isColored: false)

    @Test(
        arguments: [
            (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
            (true, ["TERM": "dumb"], false), (false, ["CLICOLOR_FORCE": "1"], true),
            (false, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false),
        ] as [(Bool, [String: String], Bool)]
    )
    func `colors follow the terminal and the environment's conventions`(
        isTerminal: Bool,
        environment: [String: String],
        wanted: Bool
    ) {
        #expect(Style.isWanted(isTerminal: isTerminal, environment: environment) == wanted)
    }

    @Test
    func `a name always has the same color, and plain text has none`() {
        let colored = Style(isColored: true)
        #expect(colored.byName("purchase") == colored.byName("purchase"))
        #expect(colored.byName("purchase") != "purchase")
        #expect(plain.byName("purchase") == "purchase")
    }

    @Test
    func `columns are as wide as their widest cell`() {
        var table = Table([("name", .left), ("n", .right)])
        table.append(["a", "1,000"])
        table.append(["longer"])
        #expect(table.lines(style: plain) == ["name        n", "a       1,000", "longer       "])
    }

    @Test(arguments: [10, 20, 40, 80, 200])
    func `a bar is never wider than the terminal`(width: Int) {
        for done: UInt64 in [0, 1, 50, 99, 100, 500] {
            let line = ProgressBar(done: done, total: 100, note: "1,204 recorded, 1,100 delivered").line(width: width)
            #expect(line.count <= width)
        }
        #expect(
            ProgressBar(done: 5, total: nil, note: "5 recorded").line(width: width)
                == String("5 recorded".prefix(width - 1))
        )
    }

    @Test
    func `a bar shows its progress`() {
        let line = ProgressBar(done: 1, total: 2, note: "half").line(width: 26)
        #expect(line == "██████░░░░░░░   50%  half")
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")])
    func `numbers are grouped`(number: Int, text: String) {
        #expect(number.grouped == text)
    }

    @Test
    func `an event is one line, with its times in the user's zone`() throws {
        let json =
            #"{"user":"u","event":{"name":"buy","time":1700000000123,"attributes":{"total":12.5,"c":"CNY"},"items":[{"id":"1"}]}}"#
        let summary = try #require(StoredEventSummary(Array(json.utf8)))
        let zone = try #require(TimeZone(secondsFromGMT: 3600))
        let line = EventLineFormat(style: plain, zone: zone).line(summary)
        #expect(line == "2023-11-14 23:13:20.123  buy                 total=12.5  c=CNY  1 item  · u")
    }

    @Test(arguments: [
        (
            #"{"name":"_trigger","time":0,"attributes":{"_trigger":"didEndTouch","_trace":"buy was touched","#
                + #""_element_type":"UIButton","_element_id":"buy"}}"#,
            "didEndTouch  UIButton#buy  “buy was touched”"
        ),
        (
            #"{"name":"_trigger","time":0,"attributes":{"_trigger":"shaken","_trigger_outcome":"skipped"}}"#,
            "shaken  skipped"
        ),
        (
            #"{"name":"_click","time":0,"attributes":{"_element_type":"UITableViewCell","_element_content":"A","#
                + #""_element_position":"0:3","sku":"A-1"}}"#,
            "UITableViewCell  “A”  0:3  sku=A-1"
        ),
        (#"{"name":"_click","time":0,"attributes":{"_element_id":7}}"#, "#7"),
        (#"{"name":"click","time":0,"attributes":{"_element_id":"buy"}}"#, "_element_id=buy"),
    ])
    func `clicks and triggers are described in words, followed by the remaining attributes`(event: String, text: String)
        throws
    {
        let summary = try #require(StoredEventSummary(Array(#"{"event":\#(event)}"#.utf8)))
        let zone = try #require(TimeZone(secondsFromGMT: 0))
        let line = EventLineFormat(style: plain, zone: zone).line(summary)
        let name = summary.name.padding(toLength: 18, withPad: " ", startingAt: 0)
        #expect(line == "1970-01-01 00:00:00.000  \(name)  \(text)")
    }

    @Test(arguments: [
        ("Europe/Berlin", 1_700_000_000_000, "times in Europe/Berlin (UTC+01:00)"),
        ("Europe/Berlin", 1_690_000_000_000, "times in Europe/Berlin (UTC+02:00)"),
        ("America/St_Johns", 1_700_000_000_000, "times in America/St_Johns (UTC-03:30)"),
        ("UTC", 0, "times in UTC"), ("GMT", 0, "times in UTC"), ("GMT+0545", 0, "times in UTC+05:45"),
    ])
    func `the time zone is shown by name and offset`(_ name: String, _ now: Int64, _ text: String) throws {
        let format = EventLineFormat(style: plain, zone: try #require(TimeZone(identifier: name)))
        #expect(format.zoneHeading(now: Timestamp(milliseconds: now)) == text)
    }

    @Test
    func `an event cannot control the terminal`() throws {
        let json = #"{"event":{"name":"a\u001b[2J","time":0,"attributes":{"k\n":"\u0007v\u009b"}}}"#
        let summary = try #require(StoredEventSummary(Array(json.utf8)))
        let line = EventLineFormat(style: plain).line(summary)
        #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }
}
