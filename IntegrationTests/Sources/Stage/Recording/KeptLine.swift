// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a recorder printed after `record` had returned.
package struct KeptLine: Sendable, Hashable {
    /// The event's number among all of its process.
    package var sequence: UInt64
    /// Who recorded it.
    package var thread: Int
    /// Its number among all of its thread.
    package var number: Int

    /// Reads a line; nil when it says something else, or when the kill cut it.
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
