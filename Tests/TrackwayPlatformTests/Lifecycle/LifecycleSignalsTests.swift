// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import Testing

@testable import TrackwayPlatform

@Suite("Signals of a real process")
struct LifecycleSignalsTests {
    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `an exit signal is reported, and the process ends with the signal's own status`(_ signal: Int32) throws {
        let probe = try ProbeProcess("observe")
        #expect(probe.line() == "ready")
        probe.send(signal)
        #expect(probe.line() == "terminates \(signal)")
        #expect(probe.status() == .signaled(signal))
        #expect(probe.line() == nil)
    }

    @Test
    func `an exit signal waits until the observer finishes`() throws {
        let probe = try ProbeProcess("hold")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(probe.line() == "terminates \(SIGTERM)")
        probe.send("unknown-order")
        #expect(probe.line() == "unknown unknown-order")
        probe.send("finish")
        #expect(probe.status() == .signaled(SIGTERM))
    }

    @Test
    func `an observer that never finishes delays the exit only until its limit`() throws {
        let probe = try ProbeProcess("bounded")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(probe.status() == .signaled(SIGTERM))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a second exit signal does not wait for observers`(_ second: Int32) throws {
        let probe = try ProbeProcess("hold")
        #expect(probe.line() == "ready")
        probe.send(SIGINT)
        #expect(probe.line() == "terminates \(SIGINT)")
        probe.send(second)
        #expect(probe.status() == .signaled(second))
    }

    @Test
    func `each stop is reported before it happens and each continuation after it`() throws {
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
        #expect(probe.status() == .signaled(SIGTERM))
    }

    @Test
    func `a second stop signal stops the process only once`() throws {
        let probe = try ProbeProcess("hold")
        #expect(probe.line() == "ready")
        probe.send(SIGTSTP)
        #expect(probe.line() == "background")
        probe.send(SIGTSTP)
        probe.send("finish")
        #expect(probe.status() == .stopped(SIGTSTP))
        probe.send(SIGCONT)
        #expect(probe.line() == "foreground")
        probe.send(SIGTERM)
        #expect(probe.line() == "terminates \(SIGTERM)")
        probe.send("finish")
        #expect(probe.status() == .signaled(SIGTERM))
    }

    @Test
    func `a SIGCONT before the stop cancels the stop`() throws {
        let probe = try ProbeProcess("hold")
        #expect(probe.line() == "ready")
        probe.send(SIGTSTP)
        #expect(probe.line() == "background")
        probe.send(SIGCONT)
        probe.send("finish")
        #expect(probe.line() == "foreground")
        probe.send(SIGTERM)
        #expect(probe.line() == "terminates \(SIGTERM)")
        probe.send("finish")
        #expect(probe.status() == .signaled(SIGTERM))
    }

    @Test
    func `a host's earlier handler still runs and decides whether the process ends`() throws {
        let probe = try ProbeProcess("handle-termination", "observe")
        #expect(probe.line() == "ready")
        for _ in 0..<2 {
            probe.send(SIGTERM)
            #expect(Set([probe.line(), probe.line()]) == ["host", "terminates \(SIGTERM)"])
        }
        probe.send(SIGINT)
        #expect(probe.line() == "terminates \(SIGINT)")
        #expect(probe.status() == .signaled(SIGINT))
    }

    @Test
    func `a host's one-shot handler runs once, then the default action applies`() throws {
        let probe = try ProbeProcess("handle-termination-once", "observe")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(Set([probe.line(), probe.line()]) == ["host", "terminates \(SIGTERM)"])
        probe.send(SIGTERM)
        #expect(probe.line() == "terminates \(SIGTERM)")
        #expect(probe.status() == .signaled(SIGTERM))
    }

    @Test
    func `a later handler that passes the signal on gets the expected default action`() throws {
        let probe = try ProbeProcess("observe", "chain-termination")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(Set([probe.line(), probe.line()]) == ["host", "terminates \(SIGTERM)"])
        #expect(probe.status() == .signaled(SIGTERM))
    }

    @Test
    func `cancel restores the previous handler, even below a later one`() throws {
        let probe = try ProbeProcess("observe", "cancel")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(probe.status() == .signaled(SIGTERM))
        #expect(probe.line() == nil)

        let covered = try ProbeProcess("observe", "chain-termination", "cancel")
        #expect(covered.line() == "ready")
        covered.send(SIGTERM)
        #expect(covered.line() == "host")
        #expect(covered.status() == .signaled(SIGTERM))
    }

    @Test
    func `an ignored signal stays ignored`() throws {
        let probe = try ProbeProcess("ignore-hang-up", "observe")
        #expect(probe.line() == "ready")
        probe.send(SIGHUP)
        probe.send(SIGTERM)
        #expect(probe.line() == "terminates \(SIGTERM)")
        #expect(probe.status() == .signaled(SIGTERM))
    }

    @Test
    func `a signal that the host waits for reaches only the host`() throws {
        let probe = try ProbeProcess("wait-for-termination", "observe")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(probe.line() == "waited \(SIGTERM)")
        probe.send(SIGINT)
        #expect(probe.line() == "terminates \(SIGINT)")
        #expect(probe.status() == .signaled(SIGINT))
    }

    @Test
    func `a signal that the host waits for after observation starts reaches only the host`() throws {
        let probe = try ProbeProcess("observe", "wait-for-termination")
        #expect(probe.line() == "ready")
        for _ in 0..<20 {
            probe.send(SIGTERM)
            #expect(probe.line() == "waited \(SIGTERM)")
        }
        probe.send(SIGINT)
        #expect(probe.line() == "terminates \(SIGINT)")
        #expect(probe.status() == .signaled(SIGINT))
    }

    @Test
    func `every observer is notified, and the exit waits for the last to finish`() throws {
        let probe = try ProbeProcess("observe", "hold")
        #expect(probe.line() == "ready")
        probe.send(SIGHUP)
        #expect(probe.line() == "terminates \(SIGHUP)")
        #expect(probe.line() == "terminates \(SIGHUP)")
        probe.send("finish")
        #expect(probe.status() == .signaled(SIGHUP))
    }

    @Test
    func `a normal exit is reported and keeps its exit code`() throws {
        let probe = try ProbeProcess("observe")
        #expect(probe.line() == "ready")
        probe.send("exit")
        #expect(probe.line() == "exits")
        #expect(probe.status() == .exited(3))
    }

    @Test
    func `an observer delays a normal exit only until its limit`() throws {
        let probe = try ProbeProcess("bounded")
        #expect(probe.line() == "ready")
        probe.send("exit")
        #expect(probe.line() == "exits")
        #expect(probe.status() == .exited(3))
    }

    /// Whether signals are delivered in a forked child.
    ///
    /// The thread sanitizer does not deliver them in a child that was forked without exec.
    static var followsForks: Bool { dlsym(nil, "__tsan_init") == nil }

    @Test(.enabled(if: followsForks))
    func `a forked child behaves as if no observer existed`() throws {
        let probe = try ProbeProcess("observe")
        #expect(probe.line() == "ready")
        probe.send("fork")
        #expect(probe.line() == "child \(SIGTERM)")
    }
}
