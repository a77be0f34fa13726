// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayWire

extension UploadMachine {
    /// An order to the driver. Orders of one input are carried out one after the other.
    package enum Action: Sendable, Hashable {
        /// Ask the journal for the next batch, and answer with `batchRead`, `nothingToRead` or `readFailed`.
        case read(BatchLimits)
        /// Send these records of the batch in hand, and answer with `answered`, `transportFailed`, `encodingFailed` or
        /// `admissionWithdrawn`.
        case send(records: Range<Int>)
        /// Tell the journal what became of records of the batch in hand, and answer with `settled` or `settleFailed`.
        case settle(Settlement)
        /// Give the batch in hand back to the journal, unsettled parts and all.
        case release
        /// Call `timeCame` at this time; replaces any earlier such order.
        case wake(at: MonotonicTime)
        /// Keep the retry state; nil forgets it.
        case remember(RetryState?)
        /// Tell whoever listens.
        case report(Notice)
    }

    /// Something worth telling.
    package enum Notice: Sendable, Hashable {
        /// The destination's settings are wrong; everything is kept until they change.
        case parked(Verdict)
        /// A parked destination took events again.
        case resumed
        /// The destination is taken for down after this many failures.
        case down(failures: Int, reason: String)
        /// A destination taken for down took events again.
        case recovered
        /// An event became a dead letter.
        case deadLetter(Refusal)
        /// The journal could not be read or settled.
        case journalFailed(String)
    }

    /// How far a flush has come.
    package enum FlushProgress: Sendable, Hashable {
        /// Everything it asked for is settled.
        case done
        /// Work goes on.
        case moving
        /// Nothing will move before this time; nil when nothing will move at all.
        case blocked(until: MonotonicTime?)
    }

    /// What the last attempt led to.
    package enum Outcome: Sendable, Hashable {
        /// An answer was judged.
        case verdict(Verdict)
        /// No answer came.
        case transport(TransportError)
        /// The batch could not be encoded.
        case encoding(WireEncodingError)
    }
}
