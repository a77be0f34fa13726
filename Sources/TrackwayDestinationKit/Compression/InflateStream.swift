// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CZlib

/// zlib's decoder for one body.
///
/// The stream owns the C state and frees it.
///
/// The pointer to the body is valid only while the caller's buffer is valid, so an instance must exist only during
/// one call.
struct InflateStream: ~Copyable {
    private let wire: UnsafeRawBufferPointer
    // zlib keeps a pointer back to the stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    /// The decompressed size according to the last member's final four bytes.
    ///
    /// This size is only a hint for the first allocation.
    let claimedBytes: Int

    private let isOpen: Bool

    init(_ wire: UnsafeRawBufferPointer) {
        stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // The window has 15 bits; adding 16 accepts only gzip framing, so a plain zlib or deflate body is rejected.
        isOpen = czlib_inflate_init2(stream, 15 + 16) == Z_OK
        self.wire = wire
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: wire.baseAddress?.assumingMemoryBound(to: UInt8.self)
        )
        stream.pointee.avail_in = UInt32(wire.count)
        // No legitimate body expands by a factor of more than 1,032, so a false trailer cannot cause a large, useless
        // allocation.
        claimedBytes =
            wire.count < 18
            ? 0
            : min(
                Int(UInt32(littleEndian: wire.loadUnaligned(fromByteOffset: wire.count - 4, as: UInt32.self))),
                wire.count * 1_032
            )
    }

    deinit {
        _ = inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses until the output is full or the body ends.
    func next(capacity: Int) throws(GzipError) -> (chunk: [UInt8], ended: Bool) {
        guard isOpen else { throw GzipError(.outOfMemory) }
        var failure: GzipError?
        var ended = false
        let chunk = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            stream.pointee.next_out = buffer.baseAddress
            stream.pointee.avail_out = UInt32(capacity)
            loop: while stream.pointee.avail_out > 0 {
                switch CZlib.inflate(stream, Z_NO_FLUSH) {
                case Z_OK:
                    continue
                case Z_STREAM_END where stream.pointee.avail_in == 0:
                    ended = true
                    break loop
                case Z_STREAM_END:
                    guard startsAnotherMember else {
                        failure = GzipError(.trailingGarbage)
                        break loop
                    }
                    _ = inflateReset(stream)
                case Z_BUF_ERROR:
                    // There was no progress although space is left: the input is exhausted, but the member is
                    // incomplete.
                    failure = GzipError(.truncated)
                    break loop
                case Z_MEM_ERROR:
                    failure = GzipError(.outOfMemory)
                    break loop
                default:
                    failure = GzipError(.damaged)
                    break loop
                }
            }
            count = capacity - Int(stream.pointee.avail_out)
        }
        if let failure { throw failure }
        return (chunk, ended)
    }

    private var startsAnotherMember: Bool {
        let at = wire.count - Int(stream.pointee.avail_in)
        return at + 1 < wire.count && wire[at] == 0x1f && wire[at + 1] == 0x8b
    }
}
