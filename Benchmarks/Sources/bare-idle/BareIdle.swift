// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import IdleCounting

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A Swift program with one sleeping task and without the SDK, to measure the wake-ups of the Swift runtime itself.
///
///     bare-idle SECONDS [EVERY [FILE]]
///
/// With EVERY, the task wakes at this interval in seconds. With FILE, it then appends a line of 400 bytes to the file
/// in one call, which is the minimum that an event can cost.
@main
struct BareIdle {
    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let seconds = numbers.first ?? 60
        let interval = numbers.dropFirst().first ?? seconds
        let path = CommandLine.arguments.dropFirst(3).first
        let file = path.map { open($0, O_WRONLY | O_CREAT | O_APPEND, 0o600) } ?? -1
        let line = Array(repeating: UInt8(ascii: "x"), count: 399) + [UInt8(ascii: "\n")]
        try await Task.sleep(for: .seconds(5))
        let before = IdleCount()
        for _ in 0..<max(1, seconds / max(1, interval)) {
            try await Task.sleep(for: .seconds(interval))
            if file >= 0, write(file, line, line.count) != line.count { print("the line was not written") }
        }
        let workload = path == nil ? "a task" : "a task that appends 400 bytes to a file"
        IdleCount().report(
            since: before,
            label: "no SDK, \(seconds) s, \(workload) every \(interval) s",
            includesThreads: true
        )
    }
}
