// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import Stage
internal import Testing

/// A real app on the SDK receives real signals.
@Suite("Signals")
struct SignalTests {
    /// No events are sent on a timer or by count: only a signal causes deliveries.
    static let hasty = ["--orders", "--interval", "3600000", "--batch", "1000000"]
    /// The same, with a termination timeout that suffices on a busy machine.
    static let patient = hasty + ["--moment", "30000"]

    @Test("a terminated app sends its pending events and ends with the signal", arguments: [SIGTERM, SIGINT, SIGHUP])
    func terminates(signal: Int32) throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: collector.url, Self.patient)
        let installation = try recorder.installation()
        try recorder.order("record 200")
        recorder.program.send(signal)
        #expect(try recorder.program.status() == .signalled(signal), "\(recorder.program.tail)")
        try collector.settle()
        #expect(try collector.rows(of: installation).count == 200)
        let (_, ledger) = try RecorderProcess.deliver(data: folder.path("data"), to: collector.url)
        try LedgerComparison(collector, installation: installation, ledger: ledger).expectComplete()
    }

    @Test("an app that exits normally sends its pending events and keeps its exit code", arguments: [false, true])
    func exits(hasSentBefore: Bool) throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: collector.url, Self.patient)
        let installation = try recorder.installation()
        try recorder.order("record 50")
        if hasSentBefore {
            try recorder.flush()
            try recorder.order("record 50")
        }
        try recorder.exit()
        #expect(try recorder.program.status() == .exited(0), "\(recorder.program.tail)")
        try collector.settle()
        #expect(try collector.rows(of: installation).count == (hasSentBefore ? 100 : 50))
    }

    @Test(
        "an unresponsive collector does not prevent termination, and nothing is lost",
        arguments: [SIGTERM, SIGINT]
    )
    func diesBeforeDeafEars(signal: Int32) throws {
        let collector = try Collector()
        let deaf = try FlakyServer(before: collector.port) { _ in .stall }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: deaf.url, Self.hasty)
        let installation = try recorder.installation()
        try recorder.order("record 200")
        recorder.program.send(signal)
        #expect(try recorder.program.status() == .signalled(signal), "\(recorder.program.tail)")
        #expect(deaf.received.count == 1)
        let (_, ledger) = try RecorderProcess.deliver(data: folder.path("data"), to: collector.url)
        let sides = try LedgerComparison(collector, installation: installation, ledger: ledger)
        sides.expectComplete()
        #expect(sides.rows.count == 200)
    }

    @Test("an app sends pending events on Ctrl-Z, continues on `fg`, and ends with SIGINT on Ctrl-C")
    func keyboard() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let terminal = try Terminal()
        try terminal.waitForLine { $0.hasPrefix("status ") ? true : nil }
        let words = RecorderProcess.words(data: folder.path("data"), to: collector.url, Self.patient)
        terminal.type(words.joined(separator: " ") + "\n")
        let installation = try terminal.waitForLine { line in
            line.hasPrefix("ready ") ? String(line.dropFirst(6)) : nil
        }
        terminal.type("record 40\n")
        try terminal.waitForLine { $0 == "ok" ? true : nil }
        terminal.type("\u{1a}")
        // The shell's exit status for "stopped by signal 20".
        #expect(try terminal.waitForLine { $0.hasPrefix("status ") ? $0 : nil } == "status 148")
        try collector.settle()
        #expect(try collector.rows(of: installation).count == 40)

        terminal.type("fg\n")
        terminal.type("record 7\n")
        try terminal.waitForLine { $0 == "ok" ? true : nil }
        terminal.type("\u{03}")
        // "Terminated by signal 2".
        #expect(try terminal.waitForLine { $0.hasPrefix("status ") ? $0 : nil } == "status 130")
        try collector.settle()
        #expect(try collector.rows(of: installation).count == 47)
        let (_, ledger) = try RecorderProcess.deliver(data: folder.path("data"), to: collector.url)
        try LedgerComparison(collector, installation: installation, ledger: ledger).expectComplete()
    }
}
