// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CCounters

/// The wake-ups of a process's threads and the bytes it has written so far.
package struct IdleCount {
    private let sleepsByThread: [String: UInt64]
    private let io: ccounters_io

    /// Reads the current counters from the kernel.
    package init() {
        var sleeps: [String: UInt64] = [:]
        withUnsafeMutablePointer(to: &sleeps) { sleeps in
            _ = ccounters_list_wakes(sleeps) { context, thread, wakes in
                guard let context, let thread else { return }
                context.assumingMemoryBound(to: [String: UInt64].self).pointee[String(cString: thread)] = wakes
            }
        }
        sleepsByThread = sleeps
        io = ccounters_read_io()
    }

    /// Prints the difference to an earlier count as one line, and with `includesThreads` one more line for each thread
    /// that woke.
    package func report(since before: IdleCount, label: String, includesThreads: Bool) {
        var wakes: [(thread: String, count: UInt64)] = []
        for (thread, count) in sleepsByThread {
            let earlier = before.sleepsByThread[thread] ?? 0
            if count > earlier { wakes.append((thread, count - earlier)) }
        }
        let total = wakes.reduce(0) { $0 + $1.count }
        let calls = io.written_by_calls - before.io.written_by_calls
        let disk = io.written_to_disk - before.io.written_to_disk
        print("\(label): \(total) wake-ups, \(calls) bytes written, \(disk) bytes of pages written to disk")
        guard includesThreads else { return }
        for wake in wakes.sorted(by: { $0.count > $1.count }) { print("    \(wake.thread): \(wake.count)") }
    }
}
