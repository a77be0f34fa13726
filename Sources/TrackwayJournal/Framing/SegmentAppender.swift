// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

/// Writes frames into one mapped segment.
///
/// Its owner holds a lock around every call. The segment's last bytes are reserved for a marker: a `dropped` record
/// that names the numbers held only in memory. Writing it needs no additional space, so it works on a full disk. It
/// disappears when the segment is sealed and truncated.
///
/// `@unchecked Sendable`: the raw address belongs to `file`, which this value keeps alive and which is Sendable. The
/// value exists only inside the locked state of a log or a writer, so no two threads write through it at once.
struct SegmentAppender: @unchecked Sendable {
    /// Bytes at the end of a segment that records cannot use.
    ///
    /// They contain two slots for the marker, written alternately.
    static let reserve = 2 * place
    private static let place = 96

    let number: UInt32
    let file: any SegmentStorage
    private let salt: UInt32
    // The mapping's address, read from `file` once: the hot path must not pay for a protocol call.
    private let start: UnsafeMutableRawPointer
    /// The number of bytes available to records.
    let capacity: Int
    private(set) var used: Int
    /// Encrypts payloads; nil in a plain segment.
    private let encryptor: FrameEncryptor?
    /// The end of the range in which ``fitsPlain(payload:)`` returns true.
    ///
    /// In a plain segment, first half of its capacity, then all of it; 0 in an encrypted segment.
    private var plainMark: Int
    /// Whether the half-full segment was reported.
    ///
    /// The next segment is then created in advance.
    private var isMarkPassed = false
    /// The slot that holds the marker; nil if none.
    private var noted: Int?

    /// Takes over an empty segment and writes its preamble.
    ///
    /// Nil when the storage provided too little memory.
    ///
    /// - Parameter encryptor: the encryptor created for this segment; nil for a plain one.
    init?(number: UInt32, file: any SegmentStorage, salt: UInt32, encryptor: FrameEncryptor? = nil) {
        guard let start = file.memory.baseAddress, file.memory.count >= SegmentPreamble.size + Self.reserve else {
            return nil
        }
        self.number = number
        self.file = file
        self.salt = salt
        self.start = start
        capacity = Self.markerOffset(inFile: file.memory.count)
        used = SegmentPreamble.size
        self.encryptor = encryptor
        plainMark = encryptor == nil ? capacity / 2 : 0
        SegmentPreamble.write(encryptor == nil ? SegmentPreamble.plain : SegmentPreamble.encrypted, to: start)
    }

    /// The number of bytes that encryption adds to a payload.
    private var overhead: Int { encryptor == nil ? 0 : FrameEncryptor.overhead }

    /// Where the next frame will start.
    var position: LogPosition { LogPosition(segment: number, offset: UInt32(used)) }

    /// Whether a payload of this size still fits, including space for the seal.
    func fits(payload: Int) -> Bool {
        used + FrameHeader.stride(payload: payload + overhead) + FrameHeader.size + overhead <= capacity
    }

    /// Whether a payload fits into a plain segment, below its mark.
    ///
    /// Returns false once half of the segment is full, until ``passMark()``, and always in an encrypted segment.
    /// Recording calls only this method, so neither the mark nor encryption costs it an extra check.
    func fitsPlain(payload: Int) -> Bool {
        used + FrameHeader.stride(payload: payload) + FrameHeader.size <= plainMark
    }

    /// Appends one frame to a plain segment.
    ///
    /// The caller must have checked ``fitsPlain(payload:)``.
    ///
    /// - Parameter payloadChecksum: ``Checksum/payload(_:)`` of `payload`, computed before the lock was taken.
    @inline(__always)
    mutating func appendPlain(_ header: FrameHeader, payload: UnsafeRawBufferPointer, payloadChecksum: UInt32) {
        writePlain(header, at: used, payload: payload, payloadChecksum: payloadChecksum)
        used += header.stride
    }

    /// Whether half of the segment is full, or nearly so.
    ///
    /// It is then time to create the next one in advance.
    var isPastMark: Bool { isMarkPassed || used > capacity / 2 }

    /// Handles a payload that did not fit below the mark.
    ///
    /// Returns true, once, if the reason is that half of the segment is full, or nearly so.
    mutating func passMark() -> Bool {
        // In an encrypted segment nothing fits below the mark.
        guard !isMarkPassed, encryptor == nil || used > capacity / 2 else { return false }
        isMarkPassed = true
        if encryptor == nil { plainMark = capacity }
        return true
    }

    /// Appends one frame; the caller must have checked ``fits(payload:)``.
    ///
    /// - Parameter payloadChecksum: ``Checksum/payload(_:)`` of `payload`.
    /// - Returns: false if it could not be encrypted; nothing was written then.
    mutating func append(_ header: FrameHeader, payload: UnsafeRawBufferPointer, payloadChecksum: UInt32) -> Bool {
        guard write(header, at: used, payload: payload, payloadChecksum: payloadChecksum) else { return false }
        used += FrameHeader.stride(payload: payload.count + overhead)
        return true
    }

    private mutating func write(
        _ header: FrameHeader,
        at offset: Int,
        payload: UnsafeRawBufferPointer,
        payloadChecksum: UInt32
    ) -> Bool {
        guard let encryptor else {
            writePlain(header, at: offset, payload: payload, payloadChecksum: payloadChecksum)
            return true
        }
        var header = header
        header.length += UInt32(overhead)
        header.flags |= FrameHeader.encrypted
        let place = start + offset + FrameHeader.size
        guard encryptor.encrypt(payload, of: header, at: offset, into: place) else { return false }
        // The encrypted payload is already in place.
        let stored = UnsafeRawBufferPointer(start: place, count: payload.count + overhead)
        finish(header, at: offset, payloadChecksum: Checksum.payload(stored))
        return true
    }

    @inline(__always)
    private func writePlain(
        _ header: FrameHeader,
        at offset: Int,
        payload: UnsafeRawBufferPointer,
        payloadChecksum: UInt32
    ) {
        if let bytes = payload.baseAddress {
            (start + offset + FrameHeader.size).copyMemory(from: bytes, byteCount: payload.count)
        }
        finish(header, at: offset, payloadChecksum: payloadChecksum)
    }

    /// Writes the header before a payload that is already in place.
    @inline(__always)
    private func finish(_ header: FrameHeader, at offset: Int, payloadChecksum: UInt32) {
        let frame = start + offset
        let words = header.sealedWords
        let checksum = Checksum.frame(header, payload: payloadChecksum, salt: salt)
        frame.storeBytes(of: checksum.littleEndian, toByteOffset: 4, as: UInt32.self)
        frame.storeBytes(of: words.0.littleEndian, toByteOffset: 8, as: UInt64.self)
        frame.storeBytes(of: words.1.littleEndian, toByteOffset: 16, as: UInt64.self)
        // The length makes the frame visible, so it is written after everything else, in release order.
        ctrackway_store_release(frame.assumingMemoryBound(to: UInt32.self), header.length.littleEndian)
    }

    /// Marks the segment complete; finishing the file frees the unused space.
    ///
    /// - Parameter lost: numbers that were never written and never will be; any segment has space for that record.
    mutating func seal(sequence: UInt64, lost: DroppedRange? = nil) {
        // A record that cannot be encrypted is left out: readers move to the next segment without it.
        if let lost, let (header, text) = frame(of: lost) {
            _ = text.withUnsafeBytes { append(header, payload: $0, payloadChecksum: Checksum.payload($0)) }
        }
        let header = FrameHeader(kind: .seal, payload: 0, sequence: sequence)
        _ = append(header, payload: UnsafeRawBufferPointer(start: nil, count: 0), payloadChecksum: 0)
    }

    // MARK: The marker of numbers in memory

    /// Writes a marker of the numbers held only in memory.
    ///
    /// Nil removes the marker. A reader of a killed process's log finds it there. The new marker is complete before the
    /// old one is cleared, so a kill in between leaves one or both; two markers differ only in how far they reach.
    mutating func note(_ range: DroppedRange?) {
        guard range != nil || noted != nil else { return }
        let before = noted
        noted = nil
        if let range, let (header, text) = frame(of: range) {
            let place = before == 0 ? 1 : 0
            let isWritten = text.withUnsafeBytes {
                write(header, at: offset(ofPlace: place), payload: $0, payloadChecksum: Checksum.payload($0))
            }
            if isWritten { noted = place }
        }
        guard let before else { return }
        let old = start + offset(ofPlace: before)
        ctrackway_store_release(old.assumingMemoryBound(to: UInt32.self), 0)
    }

    /// The offset of the marker's slots in a file of this many bytes.
    static func markerOffset(inFile bytes: Int) -> Int {
        (bytes - reserve) & ~7
    }

    /// Returns the highest number that the markers in these bytes contain.
    ///
    /// Nil if none.
    ///
    /// - Parameter isOurs: whether an encrypted frame is authentic; called with its header, the bytes after the header,
    ///   and its offset in `bytes`.
    static func highestMarkedNumber(
        in bytes: UnsafeRawBufferPointer,
        salt: UInt32,
        isOurs: (FrameHeader, UnsafeRawBufferPointer, Int) -> Bool
    ) -> UInt64? {
        var highest: UInt64?
        for start in stride(from: 0, to: bytes.count - place + 1, by: place) {
            let room = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + place)])
            guard let base = room.baseAddress, let header = FrameHeader(at: base, available: room.count),
                header.kind == .dropped, FrameHeader.size + header.payloadLength <= room.count
            else { continue }
            let payload = UnsafeRawBufferPointer(rebasing: room[FrameHeader.size..<Int(header.length)])
            guard Checksum.frame(header, payload: Checksum.payload(payload), salt: salt) == header.checksum else {
                continue
            }
            guard header.flags & FrameHeader.encrypted == 0 || isOurs(header, payload, start) else { continue }
            highest = max(highest ?? 0, header.sequence)
        }
        return highest
    }

    private func offset(ofPlace place: Int) -> Int {
        capacity + place * Self.place
    }

    /// A `dropped` record, unless it is longer than a slot.
    ///
    /// Reasons are short words.
    private func frame(of range: DroppedRange) -> (header: FrameHeader, text: [UInt8])? {
        let text = Array(DroppedRanges.text(of: range).utf8)
        guard FrameHeader.stride(payload: text.count + overhead) <= Self.place else { return nil }
        return (FrameHeader(kind: .dropped, payload: text.count, sequence: range.sequences.upperBound), text)
    }
}

/// The first 16 bytes of a segment.
///
/// They contain `TRACKWAY`, the format's version, and a checksum of both.
enum SegmentPreamble {
    static let size = 16
    /// The version of a segment whose frames are plain.
    ///
    /// Readers of version 1 can read it.
    static let plain: UInt32 = 1
    /// The version of a segment whose frames are all encrypted (``FrameEncryptor``).
    static let encrypted: UInt32 = 2
    /// The newest version that this code can read.
    static let newest = encrypted
    private static let magic: UInt64 = 0x5941_574B_4341_5254  // "TRACKWAY", little-endian

    static func write(_ version: UInt32, to start: UnsafeMutableRawPointer) {
        start.storeBytes(of: magic.littleEndian, as: UInt64.self)
        start.storeBytes(of: version.littleEndian, toByteOffset: 8, as: UInt32.self)
        let sum = Checksum.payload(UnsafeRawBufferPointer(start: start, count: 12))
        start.storeBytes(of: sum.littleEndian, toByteOffset: 12, as: UInt32.self)
    }

    /// The version the segment states; nil when these bytes are damaged.
    ///
    /// Damage here loses only the version, no records.
    static func version(of bytes: UnsafeRawBufferPointer) -> UInt32? {
        guard bytes.count >= size, let start = bytes.baseAddress else { return nil }
        guard UInt64(littleEndian: start.loadUnaligned(as: UInt64.self)) == magic else { return nil }
        let sum = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        guard sum == Checksum.payload(UnsafeRawBufferPointer(start: start, count: 12)) else { return nil }
        return UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }
}
