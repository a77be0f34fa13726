// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A stretch of a stream that was decided to be written as one block, once and for all: whoever writes it, and however often, writes
/// the same rows.
public struct BlockDecision: Sendable, Hashable {
    /// Its number; blocks are counted from 1, without gaps.
    public var block: UInt64
    /// The sequence of its first record.
    public var first: UInt64
    /// The sequence of its last record.
    public var last: UInt64
    /// Which version of the program's rows it is written with.
    public var version: Int

    /// A decision.
    public init(block: UInt64, first: UInt64, last: UInt64, version: Int) {
        self.block = block
        self.first = first
        self.last = last
        self.version = version
    }

    /// Reads `{"block":3,"first":17,"last":40,"version":1}`; nil when it is something else. Members it does not know are passed over.
    public init?(json bytes: [UInt8]) {
        // What is no decision is told as such, whatever else it is.
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

    /// The decision as it is kept.
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

/// Where blocks are decided: of several who decide the same block at once, one does, and the others read what it decided.
public protocol BlockDecisions: Sendable {
    /// What was decided about a block; nil when nothing was, as far as is known here.
    ///
    /// - Throws: ``BlockDecisionFailure``.
    func decision(_ block: UInt64) async throws(BlockDecisionFailure) -> BlockDecision?

    /// Decides the block behind the last one.
    ///
    /// - Returns: Whether it was decided so. If not, somebody else has decided it.
    /// - Throws: ``BlockDecisionFailure``; it may be decided so nevertheless.
    func decide(_ decision: BlockDecision) async throws(BlockDecisionFailure) -> Bool
}

/// Decisions can be neither read nor made now.
public struct BlockDecisionFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence with what stands in the way.
    public var description: String
    /// Whether it stays so until somebody does something about it.
    public var isLasting: Bool

    /// A failure.
    public init(_ description: String, isLasting: Bool = false) {
        self.description = description
        self.isLasting = isLasting
    }
}
