// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

extension Collector {
    /// Whether this machine can make system calls of a process fail.
    package static var canInjectFaults: Bool {
        // Some containers have strace but do not permit its use.
        (try? Program("strace", ["-qq", "-o", "/dev/null", "-e", "trace=none", "true"]).status()) == .exited(0)
    }

    /// Returns a command prefix that makes flushes of one file fail with EIO.
    ///
    /// On each thread, the first `successes` flushes succeed.
    package static func failingFlushes(of path: String, after successes: Int) -> [String] {
        // -D makes the program itself the started process and strace its grandchild, so that a signal reaches the
        // program.
        [
            "strace", "-D", "-f", "-qq", "-o", "/dev/null", "-P", path, "-e", "trace=fdatasync",
            "-e", "inject=fdatasync:error=EIO:when=\(successes + 1)+",
        ]
    }

    /// Waits until the collector is ready to accept events.
    package func waitUntilReady() throws {
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        while try send(HTTPMessage(startLine: "GET /readyz HTTP/1.1")).status != 200 {
            guard Date() < deadline else { throw TimeoutError("the collector is not ready:\n\(program?.tail ?? "")") }
            pause()
        }
    }

    /// Sleeps for a tenth of a second.
    ///
    /// Used to poll where nothing sends a notification.
    func pause() {
        let never = NSCondition()
        never.lock()
        _ = never.wait(until: Date(timeIntervalSinceNow: 0.1))
        never.unlock()
    }
}
