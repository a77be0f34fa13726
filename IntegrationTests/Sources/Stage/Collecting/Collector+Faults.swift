// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

extension Collector {
    /// Whether system calls of a process can be made to fail here.
    package static var canInjectFaults: Bool {
        // Some containers have the tool and forbid its use.
        (try? Program("strace", ["-qq", "-o", "/dev/null", "-e", "trace=none", "true"]).status()) == .exited(0)
    }

    /// The words that run a program whose flushes of one file fail with EIO, on each thread after so many that work.
    package static func failingFlushes(of path: String, after successes: Int) -> [String] {
        // -D: the process started is the program itself, and strace its grandchild, so that a signal reaches the program.
        [
            "strace", "-D", "-f", "-qq", "-o", "/dev/null", "-P", path, "-e", "trace=fdatasync",
            "-e", "inject=fdatasync:error=EIO:when=\(successes + 1)+",
        ]
    }

    /// Waits until it says that it accepts events.
    package func waitUntilReady() throws {
        let deadline = Date(timeIntervalSinceNow: Overdue.timeout)
        while try ask(HTTPMessage(startLine: "GET /readyz HTTP/1.1")).status != 200 {
            guard Date() < deadline else { throw Overdue("readiness did not come:\n\(program?.tail ?? "")") }
            pause()
        }
    }

    /// A tenth of a second: where there is nothing to be told by, and asking again soon is all one can do.
    func pause() {
        let nobody = NSCondition()
        nobody.lock()
        _ = nobody.wait(until: Date(timeIntervalSinceNow: 0.1))
        nobody.unlock()
    }
}
