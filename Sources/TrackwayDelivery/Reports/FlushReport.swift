// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDestinationKit

/// The result of a flush, for each destination.
public struct FlushReport: Sendable, Hashable {
    /// The result for one destination.
    public struct Part: Sendable, Hashable {
        /// The number of events delivered during the flush.
        public var delivered: UInt64
        /// The number of pending events.
        ///
        /// Events that could not be counted are not included; see ``FlushReport/uncounted``.
        public var pending: UInt64
        /// The number of events dropped during the flush.
        ///
        /// These events were refused by the back end, expired, or damaged. The ledger contains the reasons.
        public var dropped: UInt64
        /// The last verdict on a back-end response in this process, or nil.
        public var lastVerdict: Verdict?
        /// The reason why events are pending, as a sentence.
        ///
        /// Never nil while ``pending`` is not 0.
        public var pendingReason: String?

        /// Creates a part.
        public init(
            delivered: UInt64 = 0,
            pending: UInt64 = 0,
            dropped: UInt64 = 0,
            lastVerdict: Verdict? = nil,
            pendingReason: String? = nil
        ) {
            self.delivered = delivered
            self.pending = pending
            self.dropped = dropped
            self.lastVerdict = lastVerdict
            self.pendingReason = pendingReason
        }
    }

    /// The results by destination.
    public var destinations: [DestinationID: Part]
    /// Data that could not be counted at the end of the flush.
    ///
    /// This data may contain pending events.
    public var uncounted: [Ledger.Uncounted]

    /// Creates a report.
    public init(destinations: [DestinationID: Part] = [:], uncounted: [Ledger.Uncounted] = []) {
        self.destinations = destinations
        self.uncounted = uncounted
    }

    /// Whether nothing is pending for any destination, in the whole journal.
    public var isComplete: Bool { uncounted.isEmpty && destinations.values.allSatisfy { $0.pending == 0 } }
}

extension UploadMachine {
    /// The progress of a flush.
    package enum FlushProgress: Sendable, Equatable {
        /// All requested events are settled.
        case done
        /// Delivery is in progress.
        case inProgress
        /// No progress is possible before this time; nil means never.
        case blocked(until: MonotonicTime?)
    }

    /// The result of the last attempt.
    package enum Outcome: Sendable, Equatable {
        /// A response was evaluated.
        case verdict(Verdict)
        /// No response arrived.
        case transport(TransportError)
        /// The batch could not be encoded.
        case encoding(WireEncodingError)
    }
}

extension UploadMachine.Outcome {
    /// The verdict, if a response was evaluated.
    var verdict: Verdict? {
        if case .verdict(let verdict) = self { verdict } else { nil }
    }

    /// The reason why delivery is blocked, as a sentence; nil if none.
    var pendingReason: String? {
        switch self {
        case .verdict(.accepted), .verdict(.acceptedExcept): nil
        case .verdict(let verdict): verdict.reason
        case .transport(let error): error.description
        case .encoding(let error): error.message
        }
    }
}
