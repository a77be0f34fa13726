// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Counts of what was asked and decided since the collector started.
public struct RequestStatistics: Sendable, Hashable {
    /// Answers, by status.
    public var answers: [Int: UInt64] = [:]
    /// Requests that were refused or failed, by the code of their answer. The codes are ours, so they are few.
    public var failures: [String: UInt64] = [:]
    /// Batches committed.
    public var batches: UInt64 = 0
    /// Events accepted.
    public var accepted: UInt64 = 0
    /// Events refused one by one, by code.
    public var rejected: [String: UInt64] = [:]
    /// Batches refused as a whole, by code.
    public var refused: [String: UInt64] = [:]
    /// Bodies that were refused as a whole and of which less than usual was kept, because much was kept already.
    public var quarantineCut: UInt64 = 0
    /// Bodies that found no room in memory in time.
    public var busy: UInt64 = 0
    /// Bytes of accepted bodies as sent.
    public var wireBytes: UInt64 = 0
    /// Bytes of accepted bodies as inflated.
    public var inflatedBytes: UInt64 = 0

    /// Nothing yet.
    public init() {}

    /// A batch was committed.
    public mutating func committed(_ batch: AdmittedBatch, wireBytes: Int) {
        committed(batch.accepted, batch.rejected, wireBytes: wireBytes, inflatedBytes: batch.inflatedBytes)
    }

    /// A body of another format was committed.
    public mutating func committed(_ batch: VendorBatch, wireBytes: Int) {
        committed(batch.accepted, batch.rejected, wireBytes: wireBytes, inflatedBytes: batch.inflatedBytes)
    }

    private mutating func committed(_ accepted: Int, _ rejected: [RejectedEvent], wireBytes: Int, inflatedBytes: Int) {
        batches += 1
        self.accepted += UInt64(accepted)
        for event in rejected { self.rejected[event.code, default: 0] += 1 }
        self.wireBytes += UInt64(wireBytes)
        self.inflatedBytes += UInt64(inflatedBytes)
    }
}
