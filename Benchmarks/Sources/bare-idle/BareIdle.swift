// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import IdleCounting

/// A Swift program with one sleeping task and no SDK: what the language's own runtime wakes for.
///
///     bare-idle SECONDS [EVERY]      with EVERY, the task wakes after so many seconds, again and again
@main
struct BareIdle {
    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let seconds = numbers.first ?? 60
        let every = numbers.dropFirst().first ?? seconds
        try await Task.sleep(for: .seconds(5))
        let before = IdleCount()
        for _ in 0..<max(1, seconds / max(1, every)) { try await Task.sleep(for: .seconds(every)) }
        IdleCount().report(since: before, as: "no SDK, \(seconds) s, a task every \(every) s", isLong: true)
    }
}
