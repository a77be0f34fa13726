// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Counts of requests and their outcomes since the collector started.
public struct RequestStatistics: Sendable, Hashable {
    /// The number of responses, by status.
    public var responses: [Int: UInt64] = [:]
    /// The number of refused or failed requests, by the response's code.
    ///
    /// The collector defines the codes, so they are few.
    public var failures: [String: UInt64] = [:]
    /// The number of committed batches.
    public var batches: UInt64 = 0
    /// The number of accepted events.
    public var accepted: UInt64 = 0
    /// The number of individually rejected events, by code.
    public var rejected: [String: UInt64] = [:]
    /// The number of batches rejected as a whole, by code.
    public var refused: [String: UInt64] = [:]
    /// The number of wholly rejected bodies stored in shortened form.
    ///
    /// A shorter part than usual is stored when much has already been stored.
    public var quarantineCut: UInt64 = 0
    /// The number of bodies that did not get memory in time.
    public var busy: UInt64 = 0
    /// The number of bytes of accepted bodies as sent.
    public var wireBytes: UInt64 = 0
    /// The number of bytes of accepted bodies after decompression.
    public var inflatedBytes: UInt64 = 0
    /// Counts for each known key, by name; unknown keys are not counted.
    public private(set) var keys: [String: KeyStatistics] = [:]

    /// The maximum number of keys that have their own counts.
    ///
    /// Later keys are counted together under ``otherKeys``.
    public static let maximumKeys = 200
    /// The name under which keys beyond ``maximumKeys`` are counted.
    ///
    /// No key can have this name.
    public static let otherKeys = "(other)"

    /// Creates empty counts.
    public init() {}

    /// Counts a committed batch.
    ///
    /// - Parameter key: The name of the request's key.
    public mutating func recordCommit(_ batch: AdmittedBatch, wireBytes: Int, key: String) {
        recordCommit(batch.accepted, batch.rejected, wireBytes: wireBytes, inflatedBytes: batch.inflatedBytes, key)
    }

    /// Counts a committed body of another format.
    ///
    /// - Parameter key: The name of the request's key.
    public mutating func recordCommit(_ batch: VendorBatch, wireBytes: Int, key: String) {
        recordCommit(batch.accepted, batch.rejected, wireBytes: wireBytes, inflatedBytes: batch.inflatedBytes, key)
    }

    /// Counts events that were rejected individually.
    ///
    /// - Parameter key: The name of the request's key.
    public mutating func recordRejections(_ events: [RejectedEvent], key: String) {
        for event in events { rejected[event.code, default: 0] += 1 }
        count(key) { $0.rejected += UInt64(events.count) }
    }

    /// Counts a request that was refused or failed.
    ///
    /// - Parameters:
    ///   - code: The code of the response.
    ///   - key: The name of the request's key; nil if the key is missing or unknown.
    public mutating func recordFailure(code: String, key: String?) {
        failures[code, default: 0] += 1
        if let key { count(key) { $0.refused += 1 } }
    }

    private mutating func recordCommit(
        _ accepted: Int,
        _ rejected: [RejectedEvent],
        wireBytes: Int,
        inflatedBytes: Int,
        _ key: String
    ) {
        batches += 1
        self.accepted += UInt64(accepted)
        recordRejections(rejected, key: key)
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
    /// The number of committed batches.
    public var batches: UInt64 = 0
    /// The number of accepted events.
    public var accepted: UInt64 = 0
    /// The number of individually rejected events.
    public var rejected: UInt64 = 0
    /// The number of bytes of accepted bodies as sent.
    public var wireBytes: UInt64 = 0
    /// The number of refused or failed requests.
    ///
    /// Includes batches rejected as a whole.
    public var refused: UInt64 = 0

    /// Creates empty counts.
    public init() {}
}
