// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import IntegrationTestSupport
internal import Testing

/// A real app built on the SDK receives real signals.
@Suite("Signals")
struct SignalTests {
    /// No events are sent on a timer or by count: only a signal causes deliveries.
    static let manualDelivery = ["--commands", "--interval", "3600000", "--batch", "1000000"]
    /// The same, with a termination timeout that suffices on a busy machine.
    static let longTimeout = manualDelivery + ["--suspension-timeout", "30000"]

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a terminated app sends its pending events and ends with the signal`(signal: Int32) throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: collector.url, Self.longTimeout)
        let installation = try recorder.installation()
        try recorder.execute("record 200")
        recorder.program.send(signal)
        #expect(try recorder.program.status() == .signalled(signal), "\(recorder.program.tail)")
        try collector.waitForIndex()
        #expect(try collector.rows(of: installation).count == 200)
        let (_, ledger) = try RecorderProcess.deliver(data: folder.path("data"), to: collector.url)
        try LedgerComparison(collector, installation: installation, ledger: ledger).expectComplete()
    }

    @Test(arguments: [false, true])
    func `an app that exits normally sends its pending events and keeps its exit code`(hasSentBefore: Bool) throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: collector.url, Self.longTimeout)
        let installation = try recorder.installation()
        try recorder.execute("record 50")
        if hasSentBefore {
            try recorder.flush()
            try recorder.execute("record 50")
        }
        try recorder.exit()
        #expect(try recorder.program.status() == .exited(0), "\(recorder.program.tail)")
        try collector.waitForIndex()
        #expect(try collector.rows(of: installation).count == (hasSentBefore ? 100 : 50))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `an unresponsive collector does not prevent termination, and nothing is lost`(signal: Int32) throws {
        let collector = try Collector()
        let deaf = try FlakyServer(before: collector.port) { _ in .stall }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: deaf.url, Self.manualDelivery)
        let installation = try recorder.installation()
        try recorder.execute("record 200")
        recorder.program.send(signal)
        #expect(try recorder.program.status() == .signalled(signal), "\(recorder.program.tail)")
        #expect(deaf.received.count == 1)
        let (_, ledger) = try RecorderProcess.deliver(data: folder.path("data"), to: collector.url)
        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectComplete()
        #expect(comparison.rows.count == 200)
    }

    @Test
    func `an app sends pending events on Ctrl-Z, continues on 'fg', and ends with SIGINT on Ctrl-C`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let terminal = try Terminal()
        try terminal.waitForLine { $0.hasPrefix("status ") ? true : nil }
        let words = RecorderProcess.commandLine(data: folder.path("data"), to: collector.url, Self.longTimeout)
        terminal.type(words.joined(separator: " ") + "\n")
        let installation = try terminal.waitForLine { line in
            line.hasPrefix("ready ") ? String(line.dropFirst(6)) : nil
        }
        terminal.type("record 40\n")
        try terminal.waitForLine { $0 == "ok" ? true : nil }
        terminal.type("\u{1a}")
        // The shell's exit status for "stopped by signal 20".
        #expect(try terminal.waitForLine { $0.hasPrefix("status ") ? $0 : nil } == "status 148")
        try collector.waitForIndex()
        #expect(try collector.rows(of: installation).count == 40)

        terminal.type("fg\n")
        terminal.type("record 7\n")
        try terminal.waitForLine { $0 == "ok" ? true : nil }
        terminal.type("\u{03}")
        // "Terminated by signal 2".
        #expect(try terminal.waitForLine { $0.hasPrefix("status ") ? $0 : nil } == "status 130")
        try collector.waitForIndex()
        #expect(try collector.rows(of: installation).count == 47)
        let (_, ledger) = try RecorderProcess.deliver(data: folder.path("data"), to: collector.url)
        try LedgerComparison(collector, installation: installation, ledger: ledger).expectComplete()
    }
}
