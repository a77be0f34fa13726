// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable import TrackwayPlatform

@Suite("Diagnostics on standard error")
struct StandardErrorLogTests {
    private struct StoppedClock: EventClock {
        let time: Locked<MonotonicTime>
        func now() -> DualTimestamp {
            DualTimestamp(wall: Timestamp(milliseconds: 0), monotonic: time.withLock { $0 })
        }
    }

    @Test
    func `a code is logged a few times, then suppressed, and later logged with the suppressed count`() {
        var throttle = DiagnosticThrottle(burst: 2, span: .seconds(60))
        func arrive(_ code: String, _ second: Int64) -> DiagnosticThrottle.Decision {
            throttle.diagnosticArrived(code: code, at: MonotonicTime(milliseconds: second * 1_000))
        }
        #expect(arrive("a", 0) == .log(skipped: 0))
        #expect(arrive("a", 1) == .log(skipped: 0))
        #expect(arrive("a", 2) == .skip)
        #expect(arrive("b", 2) == .log(skipped: 0))
        #expect(arrive("a", 59) == .skip)
        #expect(arrive("a", 60) == .log(skipped: 2))
        #expect(arrive("a", 61) == .log(skipped: 0))
        #expect(arrive("a", 62) == .skip)
    }

    @Test
    func `any number of codes share one window, so memory stays bounded`() {
        var throttle = DiagnosticThrottle(burst: 1, maxCodes: 3)
        let written = (0..<1_000).filter { number in
            throttle.diagnosticArrived(code: "code-\(number)", at: MonotonicTime(milliseconds: 0)) != .skip
        }
        #expect(written.count == 4)
    }

    @Test
    func `a diagnostic is one line, no matter what its values contain`() {
        let lines = Locked<[String]>([])
        let clock = StoppedClock(time: Locked(MonotonicTime(milliseconds: 0)))
        let log = StandardErrorLog(clock: clock) { line in lines.withLock { $0.append(line) } }
        let value = "one\ntrackway: [fake] two\u{2028}\u{1b}[31mred"
        log.report(
            Diagnostic(
                code: .nameInvalid,
                field: "name",
                value: value,
                message: "The name is \(value).",
                recoverySuggestion: "Use letters."
            )
        )
        let written = lines.withLock { $0 }
        #expect(written.count == 1)
        #expect(written[0].hasPrefix("trackway: name: warning: The name is one trackway: [fake] two"))
        #expect(written[0].hasSuffix("Use letters. [name_invalid]\n"))
        #expect(written[0].unicodeScalars.filter { $0.properties.generalCategory == .control }.count == 1)
        #expect(!written[0].contains("\u{2028}"))
    }

    @Test
    func `an overlong line is truncated`() {
        let line = StandardErrorLog.line(String(repeating: "é", count: 10_000))
        #expect(line.utf8.count <= 1_024)
        #expect(line.hasSuffix("…\n"))
    }

    @Test(arguments: [true, false])
    func `a closed or blocked reader of standard error neither ends nor blocks the process`(_ isBroken: Bool) throws {
        let probe = try ProbeProcess("observe", standardError: isBroken ? .broken : .full)
        #expect(probe.line() == "ready")
        for _ in 0..<3 {
            probe.send("log")
            #expect(probe.line() == "logged")
        }
        probe.send("exit")
        #expect(probe.line() == "exits")
        #expect(probe.status() == .exited(3))
    }
}
