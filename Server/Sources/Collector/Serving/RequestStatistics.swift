// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Counts of requests and their outcomes since the collector started.
public struct RequestStatistics: Sendable, Hashable {
    /// Responses, by status.
    public var answers: [Int: UInt64] = [:]
    /// Requests that were refused or failed, by the code of their response.
    ///
    /// The collector defines the codes, so they are few.
    public var failures: [String: UInt64] = [:]
    /// Batches committed.
    public var batches: UInt64 = 0
    /// Events accepted.
    public var accepted: UInt64 = 0
    /// Events rejected individually, by code.
    public var rejected: [String: UInt64] = [:]
    /// Batches rejected as a whole, by code.
    public var refused: [String: UInt64] = [:]
    /// Bodies rejected as a whole of which less than usual was stored.
    ///
    /// This happens when much was stored already.
    public var quarantineCut: UInt64 = 0
    /// Bodies that did not get memory in time.
    public var busy: UInt64 = 0
    /// Bytes of accepted bodies as sent.
    public var wireBytes: UInt64 = 0
    /// Bytes of accepted bodies as inflated.
    public var inflatedBytes: UInt64 = 0
    /// Counts for each known key, by name; unknown keys are not counted.
    public private(set) var keys: [String: KeyStatistics] = [:]

    /// The maximum number of keys that have their own counts.
    ///
    /// Later keys are counted together under ``otherKeys``.
    public static let maximumKeys = 200
    /// The name under which keys beyond ``maximumKeys`` are counted.
    ///
    /// No key can have it.
    public static let otherKeys = "(other)"

    /// Creates empty counts.
    public init() {}

    /// Counts a committed batch.
    ///
    /// - Parameter key: The name of the key that sent it.
    public mutating func committed(_ batch: AdmittedBatch, wireBytes: Int, key: String) {
        committed(batch.accepted, batch.rejected, wireBytes: wireBytes, inflatedBytes: batch.inflatedBytes, key)
    }

    /// Counts a committed body of another format.
    ///
    /// - Parameter key: The name of the key that sent it.
    public mutating func committed(_ batch: VendorBatch, wireBytes: Int, key: String) {
        committed(batch.accepted, batch.rejected, wireBytes: wireBytes, inflatedBytes: batch.inflatedBytes, key)
    }

    /// Counts events that were rejected individually.
    ///
    /// - Parameter key: The name of the key that sent them.
    public mutating func reject(_ events: [RejectedEvent], key: String) {
        for event in events { rejected[event.code, default: 0] += 1 }
        count(key) { $0.rejected += UInt64(events.count) }
    }

    /// Counts a request that was refused or failed.
    ///
    /// - Parameters:
    ///   - code: The code of its response.
    ///   - key: The name of its key; nil if the key is missing or unknown.
    public mutating func fail(code: String, key: String?) {
        failures[code, default: 0] += 1
        if let key { count(key) { $0.refused += 1 } }
    }

    private mutating func committed(
        _ accepted: Int,
        _ rejected: [RejectedEvent],
        wireBytes: Int,
        inflatedBytes: Int,
        _ key: String
    ) {
        batches += 1
        self.accepted += UInt64(accepted)
        reject(rejected, key: key)
        self.wireBytes += UInt64(wireBytes)
        self.inflatedBytes += UInt64(inflatedBytes)
        count(key) { counts in
            counts.batches += 1
            counts.accepted += UInt64(accepted)
            counts.wireBytes += UInt64(wireBytes)
        }
    }

    private mutating func count(_ key: String, _ change: (inout KeyStatistics) -> Void) {
        let name = keys[key] != nil || keys.count < Self.maximumKeys ? key : Self.otherKeys
        change(&keys[name, default: KeyStatistics()])
    }
}

/// Counts of one key since the collector started.
public struct KeyStatistics: Sendable, Hashable {
    /// Batches committed.
    public var batches: UInt64 = 0
    /// Events accepted.
    public var accepted: UInt64 = 0
    /// Events rejected individually.
    public var rejected: UInt64 = 0
    /// Bytes of accepted bodies as sent.
    public var wireBytes: UInt64 = 0
    /// Requests that were refused or failed, including batches rejected as a whole.
    public var refused: UInt64 = 0

    /// Creates empty counts.
    public init() {}
}
