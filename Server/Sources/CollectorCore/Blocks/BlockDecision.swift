// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The range of a stream that is written as one block.
///
/// The decision is final: every process that writes the block, any number of times, writes the same rows.
public struct BlockDecision: Sendable, Hashable {
    /// The block's number; blocks are numbered from 1, without gaps.
    public var block: UInt64
    /// The sequence number of the block's first record.
    public var first: UInt64
    /// The sequence number of the block's last record.
    public var last: UInt64
    /// The version of the format of the block's rows.
    public var version: Int

    /// Creates a decision.
    public init(block: UInt64, first: UInt64, last: UInt64, version: Int) {
        self.block = block
        self.first = first
        self.last = last
        self.version = version
    }

    /// Reads `{"block":3,"first":17,"last":40,"version":1}`; nil if invalid.
    ///
    /// Unknown members are ignored.
    public init?(json bytes: [UInt8]) {
        // Invalid JSON is not a decision, regardless of the cause.
        guard let json = try? JSONValue.parse(bytes),
            let block = json["block"]?.integer, let first = json["first"]?.integer, let last = json["last"]?.integer,
            let version = json["version"]?.integer, block > 0, first > 0, last >= first, version > 0
        else { return nil }
        self.init(
            block: UInt64(block),
            first: UInt64(first),
            last: UInt64(last),
            version: Int(clamping: version)
        )
    }

    /// The decision in its stored form.
    public var json: [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("block", block)
            writer.member("first", first)
            writer.member("last", last)
            writer.member("version", Int64(version))
            writer.endObject()
            return writer.array()
        }
    }
}

/// The store of the decisions about blocks.
///
/// If several processes decide the same block concurrently, one succeeds and the others read its decision.
public protocol BlockDecisions: Sendable {
    /// Returns the decision about a block; nil if none is known yet.
    ///
    /// - Throws: ``BlockDecisionFailure``.
    func decision(_ block: UInt64) async throws(BlockDecisionFailure) -> BlockDecision?

    /// Stores the decision about the block after the last decided one.
    ///
    /// - Returns: Whether this decision was stored. If not, another process has decided the block.
    /// - Throws: ``BlockDecisionFailure``; even so, the decision may have been stored.
    func decide(_ decision: BlockDecision) async throws(BlockDecisionFailure) -> Bool
}

/// A failure to read or make decisions.
public struct BlockDecisionFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence with the cause.
    public var description: String
    /// Whether the failure lasts until an operator fixes the cause.
    public var isPermanent: Bool

    /// Creates a failure.
    public init(_ description: String, isPermanent: Bool = false) {
        self.description = description
        self.isPermanent = isPermanent
    }
}
