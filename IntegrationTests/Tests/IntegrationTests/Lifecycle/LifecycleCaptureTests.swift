// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// Signals, kills and exits drive the lifecycle state machines of a real process.
///
/// The tests check the captured events.
@Suite("Lifecycle of a real app")
struct LifecycleCaptureTests {
    /// No events are sent on a timer or by count: only the app's lifecycle causes deliveries.
    static let arguments = SignalTests.longTimeout + ["--capture"]
    static let opening = ["_first_open", "_app_start cold", "_session_start 1"]

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `an app that receives a termination signal records and sends its exit before it ends`(signal: Int32) throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: collector.url, Self.arguments)
        let installation = try recorder.installation()
        try recorder.execute("record 1")
        recorder.program.send(signal)
        #expect(try recorder.program.status() == .signalled(signal), "\(recorder.program.tail)")
        let captured = try CapturedEvents(collector, installation)
        #expect(captured.lines == Self.opening + ["recorded", "_app_end"])
        let duration = try #require(captured.rows.last?.number(CapturedKey.foregroundDuration))
        #expect(duration >= 0)
        // The next launch is a cold start of the same session and has nothing to recover.
        let next = try RecorderProcess(data: folder.path("data"), to: collector.url, Self.arguments)
        #expect(try next.installation() == installation)
        try next.exit()
        #expect(
            try CapturedEvents(collector, installation).lines
                == Self.opening + ["recorded", "_app_end", "_app_start cold", "_app_end"]
        )
    }

    @Test
    func `a normal end of the process is recorded as an exit`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: collector.url, Self.arguments)
        let installation = try recorder.installation()
        try recorder.execute("screen Home")
        try recorder.exit()
        #expect(try recorder.program.status() == .exited(0), "\(recorder.program.tail)")
        #expect(
            try CapturedEvents(collector, installation).lines == Self.opening + ["_screen_view Home", "_app_end"]
        )
    }

    @Test
    func `the exit of a killed process is recorded at the next launch, in its session and marked as recovered`() throws
    {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: collector.url, Self.arguments)
        let installation = try recorder.installation()
        try recorder.execute("record 1")
        recorder.program.send(SIGKILL)
        #expect(try recorder.program.status() == .signalled(SIGKILL))
        let next = try RecorderProcess(
            data: folder.path("data"),
            to: collector.url,
            Self.arguments + ["--session-timeout", "0"]
        )
        try next.execute("record 1")
        try next.exit()
        let captured = try CapturedEvents(collector, installation)
        #expect(
            captured.lines == Self.opening + [
                "recorded", "_app_end recovered", "_app_start cold", "_session_start 2", "recorded", "_app_end",
            ]
        )
        #expect(Set(captured.rows.map(\.id)).count == captured.rows.count)
    }

    @Test
    func `Ctrl-Z backgrounds the app, and 'fg' is a hot start`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let terminal = try Terminal()
        try terminal.waitForLine { $0.hasPrefix("status ") ? true : nil }
        let words = RecorderProcess.commandLine(data: folder.path("data"), to: collector.url, Self.arguments)
        terminal.type(words.joined(separator: " ") + "\n")
        let installation = try terminal.waitForLine { line in
            line.hasPrefix("ready ") ? String(line.dropFirst(6)) : nil
        }
        terminal.type("screen Home\n")
        try terminal.waitForLine { $0 == "ok" ? true : nil }
        terminal.type("\u{1a}")
        #expect(try terminal.waitForLine { $0.hasPrefix("status ") ? $0 : nil } == "status 148")
        #expect(
            try CapturedEvents(collector, installation).lines == Self.opening + ["_screen_view Home", "_app_end"],
            "sent before it was stopped"
        )
        terminal.type("fg\n")
        // One thread observes the resume and another reads the input: wait so that the start is recorded first.
        try Self.waitUntilRecorded(6, terminal)
        terminal.type("record 1\n")
        try terminal.waitForLine { $0 == "ok" ? true : nil }
        terminal.type("\u{03}")
        #expect(try terminal.waitForLine { $0.hasPrefix("status ") ? $0 : nil } == "status 130")
        let captured = try CapturedEvents(collector, installation)
        #expect(
            captured.lines == Self.opening + [
                "_screen_view Home", "_app_end", "_app_start hot", "recorded", "_app_end",
            ]
        )
        let hot = try #require(captured.rows(named: CapturedName.appStart).last)
        #expect(hot.event["attributes"]?[CapturedKey.resumedFromBackground]?.boolean == true)
        #expect(hot.event["attributes"]?[CapturedKey.isFirstTime]?.boolean == false)
    }

    @Test
    func `a start in the shell's background is passive, and a session begins when the app is foregrounded`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let terminal = try Terminal()
        try terminal.waitForLine { $0.hasPrefix("status ") ? true : nil }
        let words = RecorderProcess.commandLine(
            data: folder.path("data"),
            to: collector.url,
            ["--interval", "3600000", "--batch", "1000000", "--capture", "--threads", "1", "--rate", "5"]
        )
        terminal.type(words.joined(separator: " ") + " &\n")
        let installation = try terminal.waitForLine { line in
            line.hasPrefix("ready ") ? String(line.dropFirst(6)) : nil
        }
        try terminal.waitForLine { $0.hasPrefix("kept ") ? true : nil }
        // `fg` does not notify a running job, but it continues a stopped job.
        terminal.type("kill -TSTP %1\n")
        var isStopped = false
        while !isStopped {
            terminal.type("jobs\n")
            isStopped = try terminal.waitForLine { line in
                line.contains("/recorder") && line.hasPrefix("[1]") ? line.contains("Stopped") : nil
            }
        }
        terminal.type("fg\n")
        try terminal.waitForLine { $0.hasPrefix("kept ") ? true : nil }
        try terminal.waitForLine { $0.hasPrefix("kept ") ? true : nil }
        terminal.type("\u{03}")
        try terminal.waitForLine { $0 == "status 130" ? true : nil }
        let captured = try CapturedEvents(collector, installation)
        #expect(
            captured.lines.filter { $0 != "recorded" } == [
                "_app_start passive", "_first_open", "_app_start hot", "_session_start 1", "_app_end",
            ]
        )
        #expect(captured.lines.dropFirst().first == "recorded", "events in the background are recorded too")
    }

    @Test(arguments: [("abort", SIGABRT), ("memory", SIGSEGV)])
    func `a crash and its exit are recorded at the next launch`(mistake: String, signal: Int32) throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let words = Self.arguments + ["--crashes"]
        // Swift's own backtraces take seconds and are not under test.
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: collector.url,
            words,
            environment: ["SWIFT_BACKTRACE": "enable=no"]
        )
        let installation = try recorder.installation()
        try recorder.execute("record 1")
        recorder.program.writeLine("crash \(mistake)")
        #expect(try recorder.program.status() == .signalled(signal), "\(recorder.program.tail)")
        let next = try RecorderProcess(data: folder.path("data"), to: collector.url, words)
        _ = try next.installation()
        try next.execute("record 1")
        try next.exit()
        let captured = try CapturedEvents(collector, installation)
        #expect(
            Set(captured.lines).isSuperset(of: ["_app_exception", "_app_end recovered", "_app_start cold"]),
            "\(captured.lines)"
        )
        let crash = try #require(captured.rows(named: CapturedName.appException).first)
        #expect(captured.rows(named: CapturedName.appException).count == 1)
        #expect(crash.text(CapturedKey.exceptionMessage)?.isEmpty == false)
        #expect(crash.text(CapturedKey.exceptionStack)?.isEmpty == false)
    }

    @Test
    func `only one of two processes captures the lifecycle, and the other's events belong to the same session`() throws
    {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let first = try RecorderProcess(data: folder.path("data"), to: collector.url, Self.arguments)
        let installation = try first.installation()
        try first.execute("record 1")
        let second = try RecorderProcess(data: folder.path("data"), to: collector.url, Self.arguments)
        _ = try second.installation()
        try second.execute("record 1")
        try second.exit()
        try first.execute("record 1")
        try first.exit()
        let captured = try CapturedEvents(collector, installation)
        #expect(captured.lines.sorted() == (Self.opening + ["recorded", "recorded", "recorded", "_app_end"]).sorted())
    }

    @Test
    func `the first launch of a new app version records an update`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        var installation = ""
        for version in ["1.0", "1.0", "2.0"] {
            let recorder = try RecorderProcess(
                data: folder.path("data"),
                to: collector.url,
                Self.arguments + ["--app-version", version]
            )
            installation = try recorder.installation()
            try recorder.exit()
        }
        let captured = try CapturedEvents(collector, installation)
        #expect(
            captured.lines == Self.opening + [
                "_app_end", "_app_start cold", "_app_end", "_app_update", "_app_start cold", "_app_end",
            ]
        )
        #expect(captured.rows(named: CapturedName.appUpdate).first?.text(CapturedKey.previousAppVersion) == "1.0")
    }

    /// Polls a recorder in a terminal until `count` events are recorded.
    private static func waitUntilRecorded(_ count: Int, _ terminal: Terminal) throws {
        var recorded = 0
        while recorded < count {
            terminal.type("ledger\n")
            let ledger = try terminal.waitForLine { line in
                line.hasPrefix("ledger ") ? String(line.dropFirst(7)) : nil
            }
            recorded = Int(try JSONValue.parse(Array(ledger.utf8))["recorded"]?.integer ?? 0)
            try terminal.waitForLine { $0 == "ok" ? true : nil }
        }
    }
}
