// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A line that a recorder printed after `record` returned.
package struct RecordedLine: Sendable, Hashable {
    /// The event's number among all events of its process.
    package var sequence: UInt64
    /// The thread that recorded it.
    package var thread: Int
    /// The event's number among all events of its thread.
    package var number: Int

    /// Parses a line; nil if it is not such a line, or if a kill truncated it.
    package init?(_ line: String) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == "kept" || words[0] == "held",
            let sequence = UInt64(words[1]), let thread = Int(words[2]), let number = Int(words[3])
        else { return nil }
        self.sequence = sequence
        self.thread = thread
        self.number = number
    }
}
