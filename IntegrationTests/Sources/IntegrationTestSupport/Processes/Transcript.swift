// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// The output of a process so far, and its exit status.
///
/// Threads wait here for a line or for the end.
final class Transcript: @unchecked Sendable {
    // `@unchecked`: everything below is accessed only while `condition` is held.
    private let condition = NSCondition()
    private var lines: [String] = []
    private var errorLines: [String] = []
    private var isClosed = false
    private var status: ExitStatus?

    func append(_ line: String) {
        condition.withLock {
            lines.append(line)
            condition.broadcast()
        }
    }

    func appendError(_ line: String) {
        condition.withLock {
            errorLines.append(line)
            condition.broadcast()
        }
    }

    /// Records the end of standard output.
    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
    }

    func setStatus(_ status: ExitStatus) {
        condition.withLock {
            self.status = status
            condition.broadcast()
        }
    }

    var allLines: [String] { condition.withLock { lines } }

    /// Waits until `match` returns a value for the lines from `start` on; nil if the output ends first.
    func wait<Found>(
        from start: Int,
        for expectation: String,
        _ match: (ArraySlice<String>) -> Found?
    ) throws(TimeoutError) -> Found? {
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let found = match(lines[min(start, lines.count)...]) { return found }
            if isClosed { return nil }
            if !condition.wait(until: deadline) { throw timeoutError(expectation) }
        }
    }

    func waitForText(_ text: String) throws {
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        condition.lock()
        defer { condition.unlock() }
        while !lines.contains(where: { $0.contains(text) }), !errorLines.contains(where: { $0.contains(text) }) {
            if status != nil { throw TestSupportError("the process ended without printing '\(text)':\n\(lastLines)") }
            if !condition.wait(until: deadline) { throw timeoutError("'\(text)'") }
        }
    }

    func waitForEnd() throws(TimeoutError) -> ExitStatus {
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let status { return status }
            if !condition.wait(until: deadline) { throw timeoutError("the end of the process") }
        }
    }

    /// The last lines, for failure messages.
    var tail: String {
        condition.withLock { lastLines }
    }

    private var lastLines: String {
        (lines.suffix(8) + errorLines.suffix(16).map { "! " + $0 }).joined(separator: "\n")
    }

    private func timeoutError(_ expectation: String) -> TimeoutError {
        TimeoutError("\(expectation) did not arrive within \(Int(TimeoutError.timeout)) s. Last lines:\n\(lastLines)")
    }
}
