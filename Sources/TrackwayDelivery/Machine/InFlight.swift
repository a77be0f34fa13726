// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
package import TrackwayJournal

extension UploadMachine {
    /// A batch borrowed from the journal, with the progress of sending it.
    struct InFlight: Sendable, Equatable {
        /// The kind of part that was found too large.
        enum TooLarge: Sendable, Hashable {
            case nothing
            /// A part with several events.
            case several
            /// A single event, which explains the refusal of the whole batch.
            case single
        }

        /// The next step after a part was dropped.
        enum NextStep: Sendable, Equatable {
            case wait(until: MonotonicTime, cause: Wait)
            case park(probeAt: MonotonicTime)
        }

        var parts: BatchSplitter
        var isProbe: Bool
        var tooLarge = TooLarge.nothing
        /// The largest number of events accepted in one request.
        var largestAccepted = 0
        /// The next step after the dropped part is settled.
        ///
        /// If nil, the next part is sent.
        var nextStep: NextStep?
    }
}

/// The result for consecutive records of a batch, reported to the journal.
package struct Settlement: Sendable, Equatable {
    /// The records, by index in the batch; all preceding ones are settled.
    package var records: Range<Int>
    /// The records that will not be delivered; all others are delivered.
    package var deadLetters: [DeadLetter]

    /// Creates a settlement.
    package init(records: Range<Int>, deadLetters: [DeadLetter] = []) {
        self.records = records
        self.deadLetters = deadLetters
    }

    /// The number of delivered records.
    package var delivered: Int { records.count - deadLetters.count }

    /// Creates a settlement that drops consecutive records for one reason.
    package init(givingUp records: Range<Int>, reason: DropReason, message: String) {
        self.init(
            records: records,
            deadLetters: records.map {
                DeadLetter(index: $0, reason: reason, code: reason.rawValue, message: message)
            }
        )
    }
}
