// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Writes frames into one mapped segment. Its owner holds a lock around every call.
///
/// `@unchecked Sendable`: the raw address belongs to `file`, which this value keeps alive and which is Sendable; the
/// value lives only inside the locked state of a log or a writer, so no two threads write through it at once.
struct SegmentAppender: @unchecked Sendable {
    let number: UInt32
    let file: any SegmentStorage
    private let salt: UInt32
    // The mapping's address, taken out of `file` once: the hot path must not pay for a protocol call.
    private let start: UnsafeMutableRawPointer
    let capacity: Int
    private(set) var used: Int

    /// Takes a fresh segment and writes its preamble; nil when the storage handed out no memory.
    init?(number: UInt32, file: any SegmentStorage, salt: UInt32) {
        guard let start = file.memory.baseAddress, file.memory.count >= SegmentPreamble.size else { return nil }
        self.number = number
        self.file = file
        self.salt = salt
        self.start = start
        capacity = file.memory.count
        used = SegmentPreamble.size
        SegmentPreamble.write(to: start)
    }

    /// Where the next frame will start.
    var position: LogPosition { LogPosition(segment: number, offset: UInt32(used)) }

    /// Whether a payload of this size still fits, leaving room for the seal.
    func fits(payload: Int) -> Bool {
        used + FrameHeader.stride(payload: payload) + FrameHeader.size <= capacity
    }

    /// Appends one frame; the caller has asked ``fits(payload:)``.
    ///
    /// - Parameter payloadChecksum: ``Checksum/payload(_:)`` of `payload`, computed before the lock was taken.
    @inline(__always)
    mutating func append(_ header: FrameHeader, payload: UnsafeRawBufferPointer, payloadChecksum: UInt32) {
        let frame = start + used
        let words = header.sealedWords
        let checksum = Checksum.frame(header, payload: payloadChecksum, salt: salt)
        frame.storeBytes(of: checksum.littleEndian, toByteOffset: 4, as: UInt32.self)
        frame.storeBytes(of: words.0.littleEndian, toByteOffset: 8, as: UInt64.self)
        frame.storeBytes(of: words.1.littleEndian, toByteOffset: 16, as: UInt64.self)
        if let bytes = payload.baseAddress {
            (frame + FrameHeader.size).copyMemory(from: bytes, byteCount: payload.count)
        }
        // The length makes the frame visible, so it is written after everything else, in release order.
        ctrackway_store_release(frame.assumingMemoryBound(to: UInt32.self), header.length.littleEndian)
        used += header.stride
    }

    /// Marks the segment complete; the unused space is given back by finishing the file.
    mutating func seal(sequence: UInt64) {
        let header = FrameHeader(kind: .seal, payload: 0, sequence: sequence)
        append(header, payload: UnsafeRawBufferPointer(start: nil, count: 0), payloadChecksum: 0)
    }
}
