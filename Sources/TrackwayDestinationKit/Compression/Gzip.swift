// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CZlib

/// Decompresses gzip (RFC 1952) within limits.
public enum Gzip {
    /// Decompresses a complete body.
    ///
    /// The body must consist only of one or more consecutive gzip members.
    ///
    /// - Parameters:
    ///   - bytes: The compressed body.
    ///   - limits: The limits of decompression. The limits bound memory use, regardless of the sizes that the body
    ///     claims.
    /// - Returns: The decompressed body.
    /// - Throws: `GzipError` with the kind of problem.
    /// - Complexity: O(decompressed bytes).
    public static func inflate(_ bytes: [UInt8], limits: InflateLimits = InflateLimits()) throws(GzipError) -> [UInt8] {
        let result = bytes.withUnsafeBytes { wire in
            Result { () throws(GzipError) in try inflate(wire, limits: limits) }
        }
        return try result.get()
    }

    /// Decompresses a complete body in the caller's memory; see `inflate(_:limits:)`.
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
        // One byte beyond the bound distinguishes a body of exactly the bound from a longer one.
        var capacity = max(64, min(stream.claimedBytes, bound.bytes) + 1)
        while true {
            // Usually, one chunk is the whole body and becomes the result without a copy.
            let (chunk, ended) = try stream.next(capacity: capacity)
            if output.isEmpty { output = chunk } else { output += chunk }
            if output.count > bound.bytes { throw bound.error }
            if ended { return output }
            capacity = min(max(4_096, output.count), bound.bytes + 1 - output.count)
        }
    }
}

/// The limits beyond which a compressed body is rejected.
public struct InflateLimits: Sendable, Hashable {
    /// The maximum length of the compressed body in bytes.
    public var wireBytes: Int
    /// The maximum length of the decompressed body in bytes.
    ///
    /// Decompression stops at the first byte beyond this length.
    public var inflatedBytes: Int
    /// The maximum ratio of the decompressed to the compressed length.
    ///
    /// The ratio is checked only if the decompressed body is longer than `ratioFloor`, because short repetitive
    /// bodies are legitimate.
    public var ratio: Int
    /// The decompressed length in bytes up to which any ratio is allowed.
    public var ratioFloor: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - wireBytes: 1 MiB by default, twice the size that the SDK sends before compression.
    ///   - inflatedBytes: 8 MiB by default.
    ///   - ratio: 100 by default. Batches of real events stay under 20; the maximum of gzip is 1,032.
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

    /// Returns the maximum decompressed length and the error for longer bodies.
    ///
    /// `count` is the body's compressed length.
    func bound(forWireBytes count: Int) -> (bytes: Int, error: GzipError) {
        let (product, overflow) = count.multipliedReportingOverflow(by: ratio)
        let byRatio = max(overflow ? Int.max : product, ratioFloor)
        return byRatio < inflatedBytes
            ? (byRatio, GzipError(.ratioTooHigh, limit: ratio))
            : (inflatedBytes, GzipError(.inflatedTooLarge, limit: inflatedBytes))
    }
}

/// The error for a body that is not acceptable gzip.
public struct GzipError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem.
    public enum Code: String, Sendable, Hashable {
        /// The compressed body is longer than allowed.
        case wireTooLarge = "wire_too_large"
        /// The decompressed body is longer than allowed.
        case inflatedTooLarge = "inflated_too_large"
        /// The body expands by a larger factor than any legitimate body.
        case ratioTooHigh = "ratio_too_high"
        /// The body ends before the compressed data does.
        case truncated = "truncated"
        /// The bytes are not gzip, or their checksum is wrong.
        case damaged = "damaged"
        /// The compressed data is followed by bytes that are not gzip.
        case trailingGarbage = "trailing_garbage"
        /// There is not enough memory for the decoder.
        case outOfMemory = "out_of_memory"
    }

    /// The kind of problem.
    public var code: Code
    /// The exceeded limit, if any, in bytes or as a factor.
    public var limit: Int?

    /// Creates an error.
    public init(_ code: Code, limit: Int? = nil) {
        self.code = code
        self.limit = limit
    }

    /// A human-readable message.
    public var description: String {
        switch code {
        case .wireTooLarge: "The compressed body is longer than \(limit ?? 0) bytes."
        case .inflatedTooLarge: "The body decompresses to more than \(limit ?? 0) bytes."
        case .ratioTooHigh: "The body decompresses to more than \(limit ?? 0) times its size."
        case .truncated: "The compressed body is incomplete."
        case .damaged: "The body is not valid gzip."
        case .trailingGarbage: "Bytes that are not gzip follow the compressed body."
        case .outOfMemory: "Not enough memory to decompress the body."
        }
    }
}
