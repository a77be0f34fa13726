// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The counts of the kill test.
struct KillTally: Sendable, CustomStringConvertible {
    var trials = 0
    var kills = 0
    /// Events whose number was printed.
    var printed = 0
    /// Rows in the collector.
    var rows = 0
    /// Printed events without a row.
    var lost = 0
    /// Events with more than one row.
    var duplicated = 0
    /// Events that the collector received again and recognized as duplicates.
    var recognizedDuplicates = 0
    /// Records counted as damaged: incomplete, never printed.
    var unfinished = 0

    mutating func add(_ other: KillTally) {
        trials += other.trials
        kills += other.kills
        printed += other.printed
        rows += other.rows
        lost += other.lost
        duplicated += other.duplicated
        recognizedDuplicates += other.recognizedDuplicates
        unfinished += other.unfinished
    }

    var description: String {
        "\(trials) trials, \(kills) kills, \(printed) printed, \(rows) rows, \(lost) lost, \(duplicated) duplicated "
            + "(\(recognizedDuplicates) received again and recognized, \(unfinished) incomplete)"
    }
}
