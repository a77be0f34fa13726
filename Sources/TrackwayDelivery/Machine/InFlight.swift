// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayJournal

extension UploadMachine {
    /// A batch on loan from the journal.
    struct InFlight: Sendable, Hashable {
        /// What was called too large.
        enum TooLarge: Sendable, Hashable {
            case nothing
            /// A part that held several events.
            case several
            /// A single event, which explains the refusal of the whole.
            case single
        }

        /// What follows after a part was given up.
        enum Sequel: Sendable, Hashable {
            case wait(until: MonotonicTime, cause: Wait)
            case park(probeAt: MonotonicTime)
        }

        var parts: BatchSplitter
        var isProbe: Bool
        var tooLarge = TooLarge.nothing
        /// The most events that passed in one request.
        var largestPassed = 0
        /// What follows once the part that is given up is settled; nil when the next part does.
        var then: Sequel?
    }
}

/// What became of consecutive records of a batch, as the journal is told.
package struct Settlement: Sendable, Hashable {
    /// The records, by their places in the batch; everything before them is settled already.
    package var records: Range<Int>
    /// Those among them that will not be delivered. All others are delivered.
    package var deadLetters: [DeadLetter]

    /// Makes a settlement.
    package init(records: Range<Int>, deadLetters: [DeadLetter] = []) {
        self.records = records
        self.deadLetters = deadLetters
    }

    /// How many of the records are delivered.
    package var delivered: Int { records.count - deadLetters.count }

    /// Gives up consecutive records, all for one reason.
    package init(givingUp records: Range<Int>, reason: DropReason, message: String) {
        self.init(
            records: records,
            deadLetters: records.map {
                DeadLetter(index: $0, reason: reason, code: reason.rawValue, message: message)
            }
        )
    }
}
