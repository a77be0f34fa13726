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
