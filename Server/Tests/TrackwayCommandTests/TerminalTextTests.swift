// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Logging
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("External text in a terminal")
struct TerminalTextTests {
    static let hostile = [
        "\u{1B}]0;PWNED\u{7}", "\u{1B}[31m", "\u{9B}2J", "\u{9D}0;x\u{9C}", "\u{8}\u{8}", "a\rb", "a\nb", "a\tb",
        "\u{7F}", "\u{202E}gpj.exe", "\u{2066}x\u{2069}", "pur\u{200B}chase", "a\u{200D}b", "a\u{2028}b", "a\u{2029}b",
        "\u{FEFF}a", "a\u{AD}b", "\u{E0041}", "\u{10FFFE}31m", "\u{10FFFE}0m",
    ]

    private static func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: scalar != TerminalText.mark
            }
        }
    }

    @Test(arguments: hostile)
    func `no character controls the terminal, breaks the line or is invisible`(_ text: String) {
        #expect(Self.isHarmless(TerminalText.escaped(text)) && TerminalText.escaped(text).contains("·"))
    }

    @Test(arguments: hostile)
    func `only the codes of a style reach the terminal`(_ text: String) {
        let style = Style(isColored: true)
        let line = TerminalText.line(style.colored("trackway: ", .red) + TerminalText.escaped(text))
        #expect(line.hasPrefix("\u{1B}[31mtrackway: \u{1B}[0m"))
        #expect(Self.isHarmless(String(line.dropFirst("\u{1B}[31mtrackway: \u{1B}[0m".count))))
        #expect(!TerminalText.line(text).unicodeScalars.contains { $0.value < 0x20 && $0 != "\u{1B}" })
    }

    @Test(arguments: hostile)
    func `a table escapes its cells, and is as wide as the displayed text`(_ text: String) {
        var table = Table([("name", .left), ("n", .right)])
        table.append([TerminalText.escaped(text), "1"])
        table.append([Style(isColored: true).bold("bold"), "2"])
        let lines = table.lines(style: Style(isColored: false)).map(TerminalText.line)
        #expect(lines.allSatisfy { !$0.contains("\n") && !$0.contains("\r") })
        #expect(Self.isHarmless(lines[1]))
        // The codes have no width.
        #expect(TerminalText.width(table.lines(style: Style(isColored: false))[2]) == lines[1].count)
    }

    @Test(arguments: hostile)
    func `JSON keeps its value and cannot control the terminal`(_ text: String) throws {
        let value = JSONValue.members((text, .string(text)))
        let shown = TerminalText.json(String(decoding: value.json(), as: UTF8.self))
        #expect(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        #expect(try JSONValue.parse(Array(shown.utf8)) == value)
    }

    @Test
    func `comma-separated values keep line endings within a value, and no other control characters`() {
        #expect(TerminalText.document("a,\"b\nc\td\"\u{1B}[2J") == "a,\"b\nc\td\"·[2J")
    }

    @Test(arguments: [
        "purchase", "数量", "é", "e\u{301}", "می\u{200C}خواهم", "👩\u{200D}👩\u{200D}👧", "🧺", "क\u{94D}\u{200D}ष", "",
    ])
    func `letters, marks and symbols of every script are kept`(_ text: String) {
        #expect(TerminalText.escaped(text) == text && TerminalText.line(text) == text)
        #expect(
            TerminalText.json(text) == text || text.unicodeScalars.contains { $0.value >= 0x200C && $0.value <= 0x200D }
        )
    }

    @Test
    func `reasons in the ledger cannot control the terminal, in any output format`() throws {
        let json =
            #"{"writers":[{"installation":"i\u001b[2J","writer":"w\n","recorded":9,"received":0,"#
            + #""dropped":{"\u001b]0;PWNED\u0007\u001b[31m":7},"gaps":[[1,2]]}]}"#
        let ledger = CollectorLedger(try JSONValue.parse(Array(json.utf8)))
        for isColored in [false, true] {
            let text = LedgerText(style: Style(isColored: isColored), zone: .gmt).lines(ledger)
            for line in text.map(TerminalText.line) {
                #expect(!line.contains("\u{7}") && !line.contains("\u{1B}]") && !line.contains("\n"))
                #expect(isColored || !line.contains("\u{1B}"))
            }
        }
    }

    @Test
    func `a log line cannot control the terminal or look like two lines`() {
        let kept = CapturedLog()
        let logger = Logger(label: "test") { _ in TerminalLogHandler(kept) }
        logger.warning("a\u{1B}[31m\nwarning: b", metadata: ["name": "\u{9B}2J"])
        #expect(kept.lines.withLock { $0 } == ["a·[31m·warning: b [\"name\": ·2J]"])
    }
}

/// Stores the log lines.
private struct CapturedLog: LogHandler {
    let lines = Locked<[String]>([])
    var logLevel = Logger.Level.trace
    var metadata = Logger.Metadata()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
}
