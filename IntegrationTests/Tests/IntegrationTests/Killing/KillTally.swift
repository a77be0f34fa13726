// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What the kill test counted.
struct KillTally: Sendable, CustomStringConvertible {
    var trials = 0
    var kills = 0
    /// Events whose number was printed.
    var printed = 0
    /// Rows in the collector.
    var rows = 0
    /// Printed, and in no row.
    var lost = 0
    /// In more than one row.
    var twice = 0
    /// Received by the collector more than once, and recognised.
    var recognised = 0
    /// Counted as damaged: unfinished, never printed.
    var unfinished = 0

    mutating func add(_ other: KillTally) {
        trials += other.trials
        kills += other.kills
        printed += other.printed
        rows += other.rows
        lost += other.lost
        twice += other.twice
        recognised += other.recognised
        unfinished += other.unfinished
    }

    var description: String {
        "\(trials) trials, \(kills) kills, \(printed) printed, \(rows) rows, \(lost) lost, \(twice) twice "
            + "(\(recognised) received again and recognised, \(unfinished) unfinished)"
    }
}
