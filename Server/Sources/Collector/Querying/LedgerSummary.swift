// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The accounts of many writers in numbers. It names no installation.
package struct LedgerSummary: Sendable, Hashable {
    /// The most writers that are added up: those whose first batch came last.
    package static let maxWriters = 5_000

    /// How many writers there are.
    package var writers = 0
    /// How many of them are added up here.
    package var counted = 0
    /// Those of them of which nothing is missing or on its way.
    package var complete = 0
    /// What they have recorded, as far as they told.
    package var recorded: UInt64 = 0
    /// Distinct events stored.
    package var received: UInt64 = 0
    /// Numbers that nobody accounts for, with later ones received.
    package var missing: UInt64 = 0
    /// Numbers at the end of an account that have not arrived yet.
    package var waiting: UInt64 = 0
    /// Events refused by admission.
    package var rejected: UInt64 = 0
    /// Events that arrived again.
    package var duplicates: UInt64 = 0
    /// Events that devices gave up, by reason.
    package var dropped: [String: UInt64] = [:]

    /// A summary of nothing, of so many writers.
    package init(writers: Int) {
        self.writers = writers
    }

    /// Adds an account.
    package mutating func add(_ row: LedgerRow) {
        counted += 1
        if row.isComplete { complete += 1 }
        for gap in row.gaps {
            let length = Self.sum(gap.upperBound - gap.lowerBound, 1)
            if gap.upperBound == row.recorded {
                waiting = Self.sum(waiting, length)
            } else {
                missing = Self.sum(missing, length)
            }
        }
        recorded = Self.sum(recorded, row.recorded)
        received = Self.sum(received, row.received)
        rejected = Self.sum(rejected, row.rejected)
        duplicates = Self.sum(duplicates, row.duplicates)
        for (reason, count) in row.dropped { dropped[reason] = Self.sum(dropped[reason] ?? 0, count) }
    }

    /// What senders claim may be any number.
    private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? .max : sum
    }

    /// Writes the numbers.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("writers", Int64(writers))
        writer.member("counted", Int64(counted))
        writer.member("complete", Int64(complete))
        for (key, value) in [
            ("recorded", recorded), ("received", received), ("missing", missing), ("waiting", waiting),
            ("rejected", rejected), ("duplicates", duplicates),
        ] {
            writer.member(key, value)
        }
        writer.object("dropped") { writer in
            for (reason, count) in dropped.sorted(by: { $0.key < $1.key }) { writer.member(reason, count) }
        }
        writer.endObject()
    }
}
