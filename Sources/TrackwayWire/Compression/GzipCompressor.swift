// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CZlib
internal import TrackwayEvents

/// Writes gzip with a deflate state that is made once and used again (making one costs about as much as compressing
/// fifty events).
///
/// May be used from any thread; callers take turns.
public final class GzipCompressor: Sendable {
    /// How hard to try, 1 (fast) to 9 (small).
    public let level: Int
    private let stream: Locked<DeflateStream>

    /// Makes a compressor.
    ///
    /// - Parameter level: 1...9; others are clamped. The default, 3, is the best for batches of events: a few
    ///   percent larger than the next levels at half their time.
    public init(level: Int = 3) {
        let level = min(9, max(1, level))
        self.level = level
        stream = Locked(DeflateStream(level: level))
    }

    /// Compresses a body into one gzip member.
    ///
    /// - Complexity: O(bytes), about 2 µs per event.
    public func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        // The pointer is used only while the lock is held, inside this call.
        let address = UInt(bitPattern: bytes.baseAddress)
        let count = bytes.count
        return stream.withLock { stream in
            stream.compress(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
        }
    }

    /// Compresses a body into one gzip member; see `compress(_:)` for bytes in memory of the caller's.
    public func compress(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { compress($0) }
    }
}

/// zlib's encoder with its state kept between bodies.
final class DeflateStream {
    // zlib keeps a pointer back to the stream, so it needs a place that does not move. Nil until first used, and when
    // there was no memory for it.
    private var stream: UnsafeMutablePointer<z_stream>?
    private let level: Int

    init(level: Int) {
        self.level = level
    }

    deinit {
        guard let stream else { return }
        _ = deflateEnd(stream)
        stream.deallocate()
    }

    /// One gzip member with these bytes.
    func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        guard bytes.count <= Int(UInt32.max) / 2, let stream = prepared() else { return Self.stored(bytes) }
        let bound = Int(deflateBound(stream, UInt(bytes.count)))
        var ended = false
        let output = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            )
            stream.pointee.avail_in = UInt32(bytes.count)
            stream.pointee.next_out = buffer.baseAddress
            stream.pointee.avail_out = UInt32(bound)
            ended = deflate(stream, Z_FINISH) == Z_STREAM_END
            count = bound - Int(stream.pointee.avail_out)
        }
        // The bound is zlib's promise, so the first call always ends the member.
        return ended ? output : Self.stored(bytes)
    }

    private func prepared() -> UnsafeMutablePointer<z_stream>? {
        if let stream {
            return deflateReset(stream) == Z_OK ? stream : nil
        }
        let fresh = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        fresh.initialize(to: z_stream())
        // 15 bits of window, +16: gzip framing. Memory level 8: more is slower here and gains nothing.
        guard czlib_deflate_init2(fresh, Int32(level), 15 + 16, 8) == Z_OK else {
            fresh.deallocate()
            return nil
        }
        stream = fresh
        return fresh
    }

    /// A member of stored blocks: valid gzip without zlib's memory, for the day there is none.
    static func stored(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var output: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
        output.reserveCapacity(bytes.count + bytes.count / 65_535 * 5 + 32)
        var start = 0
        repeat {
            let end = min(bytes.count, start + 65_535)
            let length = UInt16(end - start)
            output.append(end == bytes.count ? 1 : 0)
            withUnsafeBytes(of: length.littleEndian) { output += $0 }
            withUnsafeBytes(of: (~length).littleEndian) { output += $0 }
            output += bytes[start..<end]
            start = end
        } while start < bytes.count
        let checksum = crc32_z(0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: checksum).littleEndian) { output += $0 }
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: bytes.count).littleEndian) { output += $0 }
        return output
    }
}
