// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import Testing

@testable import TrackwayPlatform

@Suite("Signals of a real process")
struct LifeCycleSignalsTests {
    @Test(
        "an exit signal is reported, and the process ends with the signal's own status",
        arguments: [SIGTERM, SIGINT, SIGHUP]
    )
    func ends(_ signal: Int32) throws {
        let probe = try ProbeProcess("observe")
        #expect(probe.line() == "ready")
        probe.send(signal)
        #expect(probe.line() == "terminates \(signal)")
        #expect(probe.status() == .signalled(signal))
        #expect(probe.line() == nil)
    }

    @Test("an exit signal waits until the observer finishes")
    func waits() throws {
        let probe = try ProbeProcess("hold")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(probe.line() == "terminates \(SIGTERM)")
        probe.order("unknown-order")
        #expect(probe.line() == "unknown unknown-order")
        probe.order("finish")
        #expect(probe.status() == .signalled(SIGTERM))
    }

    @Test("an observer that never finishes delays the exit only until its limit")
    func runsOut() throws {
        let probe = try ProbeProcess("bounded")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(probe.status() == .signalled(SIGTERM))
    }

    @Test("a second exit signal does not wait for observers", arguments: [SIGINT, SIGTERM])
    func asksTwice(_ second: Int32) throws {
        let probe = try ProbeProcess("hold")
        #expect(probe.line() == "ready")
        probe.send(SIGINT)
        #expect(probe.line() == "terminates \(SIGINT)")
        probe.send(second)
        #expect(probe.status() == .signalled(second))
    }

    @Test("each stop is reported before it happens and each continuation after it")
    func stops() throws {
        let probe = try ProbeProcess("observe")
        #expect(probe.line() == "ready")
        for _ in 0..<3 {
            probe.send(SIGTSTP)
            #expect(probe.status() == .stopped(SIGTSTP))
            #expect(probe.line() == "background")
            probe.send(SIGCONT)
            #expect(probe.line() == "foreground")
        }
        probe.send(SIGTERM)
        #expect(probe.line() == "terminates \(SIGTERM)")
        #expect(probe.status() == .signalled(SIGTERM))
    }

    @Test("a second stop signal stops the process only once")
    func stopsOnce() throws {
        let probe = try ProbeProcess("hold")
        #expect(probe.line() == "ready")
        probe.send(SIGTSTP)
        #expect(probe.line() == "background")
        probe.send(SIGTSTP)
        probe.order("finish")
        #expect(probe.status() == .stopped(SIGTSTP))
        probe.send(SIGCONT)
        #expect(probe.line() == "foreground")
        probe.send(SIGTERM)
        #expect(probe.line() == "terminates \(SIGTERM)")
        probe.order("finish")
        #expect(probe.status() == .signalled(SIGTERM))
    }

    @Test("a SIGCONT before the stop cancels the stop")
    func calledOff() throws {
        let probe = try ProbeProcess("hold")
        #expect(probe.line() == "ready")
        probe.send(SIGTSTP)
        #expect(probe.line() == "background")
        probe.send(SIGCONT)
        probe.order("finish")
        #expect(probe.line() == "foreground")
        probe.send(SIGTERM)
        #expect(probe.line() == "terminates \(SIGTERM)")
        probe.order("finish")
        #expect(probe.status() == .signalled(SIGTERM))
    }

    @Test("a host's earlier handler still runs and decides whether the process ends")
    func hostBefore() throws {
        let probe = try ProbeProcess("handle-termination", "observe")
        #expect(probe.line() == "ready")
        for _ in 0..<2 {
            probe.send(SIGTERM)
            #expect(Set([probe.line(), probe.line()]) == ["host", "terminates \(SIGTERM)"])
        }
        probe.send(SIGINT)
        #expect(probe.line() == "terminates \(SIGINT)")
        #expect(probe.status() == .signalled(SIGINT))
    }

    @Test("a host's one-shot handler runs once, then the default action applies")
    func hostOnce() throws {
        let probe = try ProbeProcess("handle-termination-once", "observe")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(Set([probe.line(), probe.line()]) == ["host", "terminates \(SIGTERM)"])
        probe.send(SIGTERM)
        #expect(probe.line() == "terminates \(SIGTERM)")
        #expect(probe.status() == .signalled(SIGTERM))
    }

    @Test("a later handler that passes the signal on gets the expected default action")
    func hostAfter() throws {
        let probe = try ProbeProcess("observe", "chain-termination")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(Set([probe.line(), probe.line()]) == ["host", "terminates \(SIGTERM)"])
        #expect(probe.status() == .signalled(SIGTERM))
    }

    @Test("cancel restores the previous handler, even below a later one")
    func letGo() throws {
        let probe = try ProbeProcess("observe", "cancel")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(probe.status() == .signalled(SIGTERM))
        #expect(probe.line() == nil)

        let covered = try ProbeProcess("observe", "chain-termination", "cancel")
        #expect(covered.line() == "ready")
        covered.send(SIGTERM)
        #expect(covered.line() == "host")
        #expect(covered.status() == .signalled(SIGTERM))
    }

    @Test("an ignored signal stays ignored")
    func ignored() throws {
        let probe = try ProbeProcess("ignore-hang-up", "observe")
        #expect(probe.line() == "ready")
        probe.send(SIGHUP)
        probe.send(SIGTERM)
        #expect(probe.line() == "terminates \(SIGTERM)")
        #expect(probe.status() == .signalled(SIGTERM))
    }

    @Test("a signal that the host waits for reaches only the host")
    func blocked() throws {
        let probe = try ProbeProcess("wait-for-termination", "observe")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(probe.line() == "waited \(SIGTERM)")
        probe.send(SIGINT)
        #expect(probe.line() == "terminates \(SIGINT)")
        #expect(probe.status() == .signalled(SIGINT))
    }

    @Test("a signal that the host waits for after observation starts reaches only the host")
    func blockedLater() throws {
        let probe = try ProbeProcess("observe", "wait-for-termination")
        #expect(probe.line() == "ready")
        for _ in 0..<20 {
            probe.send(SIGTERM)
            #expect(probe.line() == "waited \(SIGTERM)")
        }
        probe.send(SIGINT)
        #expect(probe.line() == "terminates \(SIGINT)")
        #expect(probe.status() == .signalled(SIGINT))
    }

    @Test("every observer is notified, and the exit waits for the last to finish")
    func several() throws {
        let probe = try ProbeProcess("observe", "hold")
        #expect(probe.line() == "ready")
        probe.send(SIGHUP)
        #expect(probe.line() == "terminates \(SIGHUP)")
        #expect(probe.line() == "terminates \(SIGHUP)")
        probe.order("finish")
        #expect(probe.status() == .signalled(SIGHUP))
    }

    @Test("a normal exit is reported and keeps its exit code")
    func exits() throws {
        let probe = try ProbeProcess("observe")
        #expect(probe.line() == "ready")
        probe.order("exit")
        #expect(probe.line() == "exits")
        #expect(probe.status() == .exited(3))
    }

    @Test("an observer delays a normal exit only until its limit")
    func exitRunsOut() throws {
        let probe = try ProbeProcess("bounded")
        #expect(probe.line() == "ready")
        probe.order("exit")
        #expect(probe.line() == "exits")
        #expect(probe.status() == .exited(3))
    }

    /// Whether signals are delivered in a forked child.
    ///
    /// The thread sanitizer does not deliver them in a child that was forked without exec.
    static var followsForks: Bool { dlsym(nil, "__tsan_init") == nil }

    @Test("a forked child behaves as if no observer existed", .enabled(if: followsForks))
    func forked() throws {
        let probe = try ProbeProcess("observe")
        #expect(probe.line() == "ready")
        probe.order("fork")
        #expect(probe.line() == "child \(SIGTERM)")
    }
}
