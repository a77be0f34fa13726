// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What became of consecutive records of a batch, as the journal is told.
package struct Settlement: Sendable, Hashable {
    /// The records, by their places in the batch; everything before them is settled already.
    package var records: Range<Int>
    /// Those among them that will not be delivered. All others are delivered.
    package var deadLetters: [Refusal]

    /// Makes a settlement.
    package init(records: Range<Int>, deadLetters: [Refusal] = []) {
        self.records = records
        self.deadLetters = deadLetters
    }

    /// How many of the records are delivered.
    package var delivered: Int { records.count - deadLetters.count }
}
