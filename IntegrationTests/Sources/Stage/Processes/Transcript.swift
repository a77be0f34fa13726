// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// What a process has written so far, and how it ended. Threads wait here for a line or for the end.
final class Transcript: @unchecked Sendable {
    // `@unchecked`: everything below is touched while `condition` is held only.
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

    /// Standard output has ended.
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

    /// Waits until `look` finds something in the lines from `start` on; nil when the output ended without it.
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
            if status != nil { throw StageError("the process ended without saying '\(text)':\n\(lastLines)") }
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

    /// The last lines, for a failure's message.
    var tail: String {
        condition.withLock { lastLines }
    }

    private var lastLines: String {
        (lines.suffix(8) + complaints.suffix(16).map { "! " + $0 }).joined(separator: "\n")
    }

    private func overdue(_ expectation: String) -> Overdue {
        Overdue("\(expectation) did not come within \(Int(Overdue.timeout)) s. Last lines:\n\(lastLines)")
    }
}
