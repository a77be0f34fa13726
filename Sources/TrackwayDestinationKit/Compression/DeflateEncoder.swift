// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CZlib

/// Compresses data in parts, as a raw DEFLATE stream (RFC 1951).
///
/// Unlike ``GzipCompressor``, the encoder needs the same memory for any length. It must not be used from several
/// threads at once.
public final class DeflateEncoder {
    // zlib keeps a pointer back to the stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private static let outputBytes = 64 << 10

    /// Creates an encoder.
    ///
    /// - Parameter level: 1 (fast) to 9 (small); other values are clamped.
    /// - Throws: ``GzipError`` if there is not enough memory.
    public init(level: Int = 6) throws(GzipError) {
        let fresh = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        fresh.initialize(to: z_stream())
        // The window has 15 bits; a negative number selects a stream without a header.
        guard czlib_deflate_init2(fresh, Int32(min(9, max(1, level))), -15, 8) == Z_OK else {
            fresh.deallocate()
            throw GzipError(.outOfMemory)
        }
        stream = fresh
    }

    deinit {
        _ = deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses the next part, and appends complete output to `output`.
    ///
    /// - Parameters:
    ///   - bytes: The next part; may be empty.
    ///   - isLast: Whether this part ends the stream. The next part then begins a new one.
    ///   - output: The array that the compressed bytes are appended to.
    /// - Complexity: O(bytes).
    public func encode(_ bytes: [UInt8], isLast: Bool, into output: inout [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            repeat {
                // zlib counts in 32 bits.
                let part = rest.prefix(1 << 30)
                rest = rest.dropFirst(part.count)
                encode(UnsafeRawBufferPointer(rebasing: part), isLast && rest.isEmpty ? Z_FINISH : Z_NO_FLUSH, &output)
            } while !rest.isEmpty
        }
        if isLast { _ = deflateReset(stream) }
    }

    private func encode(_ bytes: UnsafeRawBufferPointer, _ flush: Int32, _ output: inout [UInt8]) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(bytes.count)
        var isFull = true
        // A partly filled output buffer means that zlib has nothing more to write.
        while isFull {
            output += [UInt8](unsafeUninitializedCapacity: Self.outputBytes) { buffer, count in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(Self.outputBytes)
                _ = deflate(stream, flush)
                count = Self.outputBytes - Int(stream.pointee.avail_out)
                isFull = stream.pointee.avail_out == 0
            }
        }
        stream.pointee.next_in = nil
        stream.pointee.avail_in = 0
    }
}

/// A checksum as in gzip and ZIP files (CRC-32 of ISO 3309).
public struct CRC32: Sendable, Hashable {
    /// The checksum of the bytes so far.
    public private(set) var value: UInt32 = 0

    /// Creates the checksum of no bytes.
    public init() {}

    /// Adds the next bytes.
    ///
    /// - Complexity: O(bytes).
    public mutating func add(_ bytes: [UInt8]) {
        let sum = value
        value = bytes.withUnsafeBytes { bytes in
            UInt32(
                truncatingIfNeeded: crc32_z(
                    UInt(sum),
                    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    bytes.count
                )
            )
        }
    }
}
