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
    private var complaints: [String] = []
    private var isClosed = false
    private var status: ExitStatus?

    func append(_ line: String) {
        condition.withLock {
            lines.append(line)
            condition.broadcast()
        }
    }

    func complain(_ line: String) {
        condition.withLock {
            complaints.append(line)
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

    func end(_ status: ExitStatus) {
        condition.withLock {
            self.status = status
            condition.broadcast()
        }
    }

    var all: [String] { condition.withLock { lines } }

    /// Waits until `look` returns a value for the lines from `start` on; nil if the output ends first.
    func wait<Found>(
        from start: Int,
        for expectation: String,
        _ look: (ArraySlice<String>) -> Found?
    ) throws(Overdue) -> Found? {
        let deadline = Date(timeIntervalSinceNow: Overdue.timeout)
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let found = look(lines[min(start, lines.count)...]) { return found }
            if isClosed { return nil }
            if !condition.wait(until: deadline) { throw overdue(expectation) }
        }
    }

    func waitForText(_ text: String) throws {
        let deadline = Date(timeIntervalSinceNow: Overdue.timeout)
        condition.lock()
        defer { condition.unlock() }
        while !lines.contains(where: { $0.contains(text) }), !complaints.contains(where: { $0.contains(text) }) {
            if status != nil { throw TestSupportError("the process ended without printing '\(text)':\n\(lastLines)") }
            if !condition.wait(until: deadline) { throw overdue("'\(text)'") }
        }
    }

    func waitForEnd() throws(Overdue) -> ExitStatus {
        let deadline = Date(timeIntervalSinceNow: Overdue.timeout)
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let status { return status }
            if !condition.wait(until: deadline) { throw overdue("the end of the process") }
        }
    }

    /// The last lines, for failure messages.
    var tail: String {
        condition.withLock { lastLines }
    }

    private var lastLines: String {
        (lines.suffix(8) + complaints.suffix(16).map { "! " + $0 }).joined(separator: "\n")
    }

    private func overdue(_ expectation: String) -> Overdue {
        Overdue("\(expectation) did not arrive within \(Int(Overdue.timeout)) s. Last lines:\n\(lastLines)")
    }
}
