// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CZlib

/// Reading gzip (RFC 1952) within bounds.
public enum Gzip {
    /// Inflates a whole body: one gzip member or several, one after the other, and nothing else.
    ///
    /// - Parameters:
    ///   - bytes: The compressed body.
    ///   - limits: Where to stop. Memory use is bounded by them whatever the body claims about itself.
    /// - Returns: The inflated body.
    /// - Throws: `GzipError`, naming what is wrong.
    /// - Complexity: O(inflated bytes).
    public static func inflate(_ bytes: [UInt8], limits: InflateLimits = InflateLimits()) throws(GzipError) -> [UInt8] {
        let result = bytes.withUnsafeBytes { wire in
            Result { () throws(GzipError) in try inflate(wire, limits: limits) }
        }
        return try result.get()
    }

    /// Inflates a whole body that lies in memory of the caller's; see `inflate(_:limits:)`.
    public static func inflate(
        _ wire: UnsafeRawBufferPointer,
        limits: InflateLimits = InflateLimits()
    ) throws(GzipError) -> [UInt8] {
        guard wire.count <= limits.wireBytes, wire.count <= Int(UInt32.max) else {
            throw GzipError(.wireTooLarge, limit: limits.wireBytes)
        }
        let bound = limits.bound(forWireBytes: wire.count)
        let stream = InflateStream(wire)
        var output = [UInt8]()
        // One byte of room beyond the bound tells "exactly the bound" from "more".
        var room = max(64, min(stream.claimedBytes, bound.bytes) + 1)
        while true {
            // A chunk that is the whole body, the usual case, becomes the result without a copy.
            let (chunk, ended) = try stream.next(room: room)
            if output.isEmpty { output = chunk } else { output += chunk }
            if output.count > bound.bytes { throw bound.error }
            if ended { return output }
            room = min(max(4_096, output.count), bound.bytes + 1 - output.count)
        }
    }
}

/// How far a compressed body may go before it is refused.
public struct InflateLimits: Sendable, Hashable {
    /// The longest compressed body in bytes.
    public var wireBytes: Int
    /// The longest inflated body in bytes; inflating stops at the first byte beyond.
    public var inflatedBytes: Int
    /// The highest factor between the two. Looked at only once the inflated body has passed `ratioFloor`, because short
    /// repetitive bodies are honest.
    public var ratio: Int
    /// Inflated bytes up to which any ratio is allowed.
    public var ratioFloor: Int

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - wireBytes: 1 MiB by default: twice what the SDK sends before compression.
    ///   - inflatedBytes: 8 MiB by default.
    ///   - ratio: 100 by default; batches of real events stay under 20, gzip itself ends at 1,032.
    ///   - ratioFloor: 64 KiB by default.
    public init(
        wireBytes: Int = 1 << 20,
        inflatedBytes: Int = 8 << 20,
        ratio: Int = 100,
        ratioFloor: Int = 64 << 10
    ) {
        self.wireBytes = max(0, wireBytes)
        self.inflatedBytes = max(0, inflatedBytes)
        self.ratio = max(1, ratio)
        self.ratioFloor = max(0, ratioFloor)
    }

    /// The inflated length at which a body of this compressed length is refused, and as what.
    func bound(forWireBytes count: Int) -> (bytes: Int, error: GzipError) {
        let (product, overflow) = count.multipliedReportingOverflow(by: ratio)
        let byRatio = max(overflow ? Int.max : product, ratioFloor)
        return byRatio < inflatedBytes
            ? (byRatio, GzipError(.ratioTooHigh, limit: ratio))
            : (inflatedBytes, GzipError(.inflatedTooLarge, limit: inflatedBytes))
    }
}

/// A body that is not acceptable gzip.
public struct GzipError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public enum Code: String, Sendable, Hashable {
        /// The compressed body is longer than allowed.
        case wireTooLarge = "wire_too_large"
        /// The inflated body is longer than allowed.
        case inflatedTooLarge = "inflated_too_large"
        /// The body inflates by a larger factor than any honest one.
        case ratioTooHigh = "ratio_too_high"
        /// The body ends before the compressed data does.
        case truncated = "truncated"
        /// The bytes are not gzip, or their checksum is wrong.
        case damaged = "damaged"
        /// Bytes follow the compressed data that do not start another gzip member.
        case trailingGarbage = "trailing_garbage"
        /// The system had no memory for the decoder.
        case outOfMemory = "out_of_memory"
    }

    /// What is wrong with the body.
    public var code: Code
    /// The limit that was passed, in its own unit (bytes, or a factor), when one was.
    public var limit: Int?

    /// Makes an error.
    public init(_ code: Code, limit: Int? = nil) {
        self.code = code
        self.limit = limit
    }

    /// A sentence for humans.
    public var description: String {
        switch code {
        case .wireTooLarge: "The compressed body is longer than \(limit ?? 0) bytes."
        case .inflatedTooLarge: "The body inflates to more than \(limit ?? 0) bytes."
        case .ratioTooHigh: "The body inflates to more than \(limit ?? 0) times its size."
        case .truncated: "The compressed body is cut short."
        case .damaged: "The body is not valid gzip."
        case .trailingGarbage: "Bytes that are not gzip follow the compressed body."
        case .outOfMemory: "There is no memory to inflate the body."
        }
    }
}
