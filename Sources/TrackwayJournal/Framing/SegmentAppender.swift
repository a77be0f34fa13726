// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore

/// Writes frames into one mapped segment.
///
/// The appender's owner must hold a lock during every call. The segment's last bytes are reserved for a marker: a
/// `dropped` record of the sequence numbers held only in memory. Writing the marker requires no additional space, so
/// it works on a full disk. The marker disappears when the segment is sealed and truncated.
///
/// `@unchecked Sendable`: the raw address belongs to `file`, which this value keeps alive and which is Sendable. The
/// value exists only inside the locked state of a log or a writer, so two threads never write through it at the same
/// time.
struct SegmentAppender: @unchecked Sendable {
    /// The number of bytes at a segment's end that records cannot use.
    ///
    /// These bytes contain two slots for the marker, written alternately.
    static let reserve = 2 * place
    private static let place = 96

    let number: UInt32
    let file: any SegmentStorage
    private let salt: UInt32
    // The mapping's address is read from `file` once, to avoid a protocol call on the hot path.
    private let start: UnsafeMutableRawPointer
    /// The number of bytes available to records.
    let capacity: Int
    private(set) var used: Int
    /// Encrypts payloads; nil in a plain segment.
    private let encryptor: FrameEncryptor?
    /// The end of the range in which ``fitsPlain(payload:)`` returns true.
    ///
    /// In a plain segment, this is initially half of the capacity, and later the full capacity. In an encrypted
    /// segment, it is 0.
    private var plainMark: Int
    /// Whether ``passMark()`` has reported that the segment is half full.
    ///
    /// The caller then creates the next segment in advance.
    private var isMarkPassed = false
    /// The slot that contains the marker; nil if none.
    private var markerSlot: Int?

    /// Takes over an empty segment and writes its preamble.
    ///
    /// Returns nil if the storage provided too little memory.
    ///
    /// - Parameter encryptor: the encryptor created for this segment; nil for a plain segment.
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

    /// The position of the next frame.
    var position: LogPosition { LogPosition(segment: number, offset: UInt32(used)) }

    /// Whether a payload of this size still fits, including space for the seal.
    func fits(payload: Int) -> Bool {
        used + FrameHeader.stride(payload: payload + overhead) + FrameHeader.size + overhead <= capacity
    }

    /// Whether a payload fits into a plain segment, below its mark.
    ///
    /// Returns false once half of the segment is full, until ``passMark()``, and always in an encrypted segment.
    /// Recording calls only this method, so neither the mark nor encryption requires an extra check when recording.
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
    /// If so, the next segment should be created in advance.
    var isPastMark: Bool { isMarkPassed || used > capacity / 2 }

    /// Handles a payload that did not fit below the mark.
    ///
    /// Returns true, but only once, if the payload did not fit because half of the segment is full, or nearly so.
    mutating func passMark() -> Bool {
        // In an encrypted segment, no payload fits below the mark.
        guard !isMarkPassed, encryptor == nil || used > capacity / 2 else { return false }
        isMarkPassed = true
        if encryptor == nil { plainMark = capacity }
        return true
    }

    /// Appends one frame; the caller must have checked ``fits(payload:)``.
    ///
    /// - Parameter payloadChecksum: ``Checksum/payload(_:)`` of `payload`.
    /// - Returns: false if the payload could not be encrypted; nothing was written in that case.
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
        // The length makes the frame visible, so it is written after everything else, with release ordering.
        ctrackway_store_release(frame.assumingMemoryBound(to: UInt32.self), header.length.littleEndian)
    }

    /// Marks the segment as complete.
    ///
    /// When the file is finished, its unused space is freed.
    ///
    /// - Parameter lost: sequence numbers that will never be written; every segment has space for that record.
    mutating func seal(sequence: UInt64, lost: DroppedRange? = nil) {
        // A record that cannot be encrypted is omitted; readers move to the next segment without it.
        if let lost, let (header, text) = frame(of: lost) {
            _ = text.withUnsafeBytes { append(header, payload: $0, payloadChecksum: Checksum.payload($0)) }
        }
        let header = FrameHeader(kind: .seal, payload: 0, sequence: sequence)
        _ = append(header, payload: UnsafeRawBufferPointer(start: nil, count: 0), payloadChecksum: 0)
    }

    // MARK: The marker of numbers in memory

    /// Writes a marker of the sequence numbers held only in memory.
    ///
    /// Nil removes the marker. If the process is killed, readers of its log find the marker. The new marker is
    /// complete before the old one is cleared, so killing the process in between leaves one or both of them; two
    /// markers differ only in their last number.
    mutating func writeMarker(_ range: DroppedRange?) {
        guard range != nil || markerSlot != nil else { return }
        let before = markerSlot
        markerSlot = nil
        if let range, let (header, text) = frame(of: range) {
            let place = before == 0 ? 1 : 0
            let isWritten = text.withUnsafeBytes {
                write(header, at: offset(ofPlace: place), payload: $0, payloadChecksum: Checksum.payload($0))
            }
            if isWritten { markerSlot = place }
        }
        guard let before else { return }
        let old = start + offset(ofPlace: before)
        ctrackway_store_release(old.assumingMemoryBound(to: UInt32.self), 0)
    }

    /// Returns the offset of the marker's slots in a file of a given size.
    static func markerOffset(inFile bytes: Int) -> Int {
        (bytes - reserve) & ~7
    }

    /// Returns the highest sequence number that the markers in the given bytes contain.
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

    /// Returns a `dropped` record; nil if it is longer than a slot.
    ///
    /// Reasons are short, so records normally fit.
    private func frame(of range: DroppedRange) -> (header: FrameHeader, text: [UInt8])? {
        let text = Array(DroppedRanges.text(of: range).utf8)
        guard FrameHeader.stride(payload: text.count + overhead) <= Self.place else { return nil }
        return (FrameHeader(kind: .dropped, payload: text.count, sequence: range.sequences.upperBound), text)
    }
}

/// The first 16 bytes of a segment.
///
/// The preamble contains `TRACKWAY`, the format's version, and a checksum of both.
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

    /// Returns the version in a preamble; nil if the bytes are damaged.
    ///
    /// If the preamble is damaged, only the version is lost, not the records.
    static func version(of bytes: UnsafeRawBufferPointer) -> UInt32? {
        guard bytes.count >= size, let start = bytes.baseAddress else { return nil }
        guard UInt64(littleEndian: start.loadUnaligned(as: UInt64.self)) == magic else { return nil }
        let sum = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        guard sum == Checksum.payload(UnsafeRawBufferPointer(start: start, count: 12)) else { return nil }
        return UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }
}
