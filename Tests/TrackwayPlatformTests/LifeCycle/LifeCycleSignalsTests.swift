// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import Testing

@testable import TrackwayPlatform

@Suite("Signals of a real process")
struct LifeCycleSignalsTests {
    @Test(
        "a process asked to end is told, and ends with the signal's own status",
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

    @Test("the end waits for the moment to finish")
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

    @Test("a moment nobody finishes runs out")
    func runsOut() throws {
        let probe = try ProbeProcess("bounded")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(probe.status() == .signalled(SIGTERM))
    }

    @Test("who asks twice does not wait", arguments: [SIGINT, SIGTERM])
    func asksTwice(_ second: Int32) throws {
        let probe = try ProbeProcess("hold")
        #expect(probe.line() == "ready")
        probe.send(SIGINT)
        #expect(probe.line() == "terminates \(SIGINT)")
        probe.send(second)
        #expect(probe.status() == .signalled(second))
    }

    @Test("a process is told before it stops and after it was continued, again and again")
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

    @Test("pressing the key twice stops once")
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

    @Test("continuing before the stop calls it off")
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

    @Test("a handler the host had before still runs and decides")
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

    @Test("a handler meant to run once runs once, then the default action is back")
    func hostOnce() throws {
        let probe = try ProbeProcess("handle-termination-once", "observe")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(Set([probe.line(), probe.line()]) == ["host", "terminates \(SIGTERM)"])
        probe.send(SIGTERM)
        #expect(probe.line() == "terminates \(SIGTERM)")
        #expect(probe.status() == .signalled(SIGTERM))
    }

    @Test("a handler that comes later and passes the signal on gets the default action it counts on")
    func hostAfter() throws {
        let probe = try ProbeProcess("observe", "chain-termination")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(Set([probe.line(), probe.line()]) == ["host", "terminates \(SIGTERM)"])
        #expect(probe.status() == .signalled(SIGTERM))
    }

    @Test("letting go gives the signal back to the handler before, even under a later one")
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

    @Test("a signal the host waits for goes to the host alone")
    func blocked() throws {
        let probe = try ProbeProcess("wait-for-termination", "observe")
        #expect(probe.line() == "ready")
        probe.send(SIGTERM)
        #expect(probe.line() == "waited \(SIGTERM)")
        probe.send(SIGINT)
        #expect(probe.line() == "terminates \(SIGINT)")
        #expect(probe.status() == .signalled(SIGINT))
    }

    @Test("a signal that the host begins to wait for later goes to the host alone, too")
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

    @Test("every observer is told, and the last to finish ends the moment")
    func several() throws {
        let probe = try ProbeProcess("observe", "hold")
        #expect(probe.line() == "ready")
        probe.send(SIGHUP)
        #expect(probe.line() == "terminates \(SIGHUP)")
        #expect(probe.line() == "terminates \(SIGHUP)")
        probe.order("finish")
        #expect(probe.status() == .signalled(SIGHUP))
    }

    @Test("a normal exit is told and keeps its code")
    func exits() throws {
        let probe = try ProbeProcess("observe")
        #expect(probe.line() == "ready")
        probe.order("exit")
        #expect(probe.line() == "exits")
        #expect(probe.status() == .exited(3))
    }

    @Test("a normal exit waits no longer than the observer may hold it")
    func exitRunsOut() throws {
        let probe = try ProbeProcess("bounded")
        #expect(probe.line() == "ready")
        probe.order("exit")
        #expect(probe.line() == "exits")
        #expect(probe.status() == .exited(3))
    }

    /// The thread sanitizer does not deliver signals in a child that is forked without exec.
    static var followsForks: Bool { dlsym(nil, "__tsan_init") == nil }

    @Test("a forked child behaves as if nobody watched", .enabled(if: followsForks))
    func forked() throws {
        let probe = try ProbeProcess("observe")
        #expect(probe.line() == "ready")
        probe.order("fork")
        #expect(probe.line() == "child \(SIGTERM)")
    }
}
