// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

/// The result of a flush, for each destination.
public struct FlushReport: Sendable, Hashable {
    /// The result for one destination.
    public struct Part: Sendable, Hashable {
        /// The number of events that were delivered during the flush.
        public var delivered: UInt64
        /// The number of events that are still pending.
        ///
        /// Events that could not be counted are not included; see ``FlushReport/uncounted``.
        public var pending: UInt64
        /// The number of events that were dropped during the flush.
        ///
        /// They were refused by the back end, expired or damaged. The ledger has the reasons.
        public var dropped: UInt64
        /// The back end's last verdict in this process, or nil.
        public var lastVerdict: Verdict?
        /// Why events are pending, in a sentence.
        ///
        /// Never nil while ``pending`` is not 0.
        public var obstacle: String?

        /// Makes a part.
        public init(
            delivered: UInt64 = 0,
            pending: UInt64 = 0,
            dropped: UInt64 = 0,
            lastVerdict: Verdict? = nil,
            obstacle: String? = nil
        ) {
            self.delivered = delivered
            self.pending = pending
            self.dropped = dropped
            self.lastVerdict = lastVerdict
            self.obstacle = obstacle
        }
    }

    /// The results by destination.
    public var destinations: [DestinationID: Part]
    /// What could not be counted at the end of the flush.
    ///
    /// It may contain pending events.
    public var uncounted: [Ledger.Uncounted]

    /// Makes a report.
    public init(destinations: [DestinationID: Part] = [:], uncounted: [Ledger.Uncounted] = []) {
        self.destinations = destinations
        self.uncounted = uncounted
    }

    /// Whether nothing is pending for any destination, in the whole journal.
    public var isComplete: Bool { uncounted.isEmpty && destinations.values.allSatisfy { $0.pending == 0 } }
}

extension UploadMachine {
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

extension UploadMachine.Outcome {
    /// The verdict, if an answer was judged.
    var verdict: Verdict? {
        if case .verdict(let verdict) = self { verdict } else { nil }
    }

    /// What stands in the way, in a sentence; nil when nothing does.
    var obstacle: String? {
        switch self {
        case .verdict(.accepted), .verdict(.acceptedExcept): nil
        case .verdict(let verdict): verdict.reason
        case .transport(let error): error.description
        case .encoding(let error): error.message
        }
    }
}
