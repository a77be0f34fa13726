// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

/// Writes frames into one mapped segment. Its owner holds a lock around every call.
///
/// The segment's last bytes are kept free for a note: a `dropped` record that says which numbers are in memory only. It
/// needs no space that a full disk would have to give, and it is gone when the segment is sealed and cut.
///
/// `@unchecked Sendable`: the raw address belongs to `file`, which this value keeps alive and which is Sendable; the
/// value lives only inside the locked state of a log or a writer, so no two threads write through it at once.
struct SegmentAppender: @unchecked Sendable {
    /// Bytes at the end of a segment that no record takes: two places for the note, written in turn.
    static let reserve = 2 * place
    private static let place = 96

    let number: UInt32
    let file: any SegmentStorage
    private let salt: UInt32
    // The mapping's address, taken out of `file` once: the hot path must not pay for a protocol call.
    private let start: UnsafeMutableRawPointer
    /// Bytes that records may take.
    let capacity: Int
    private(set) var used: Int
    /// Encrypts payloads; nil in a plain segment.
    private let encryptor: FrameEncryptor?
    /// How far ``fitsPlain(payload:)`` says yes: first half of a plain segment's capacity, then all of it; nowhere in one that
    /// is encrypted.
    private var plainMark: Int
    /// Whoever makes the next segment ahead of need knows that half of this one is full.
    private var isMarkPassed = false
    /// Which of the two places holds the note; nil while there is none.
    private var noted: Int?

    /// Takes a fresh segment and writes its preamble; nil when the storage handed out too little memory.
    ///
    /// - Parameter encryptor: made for this segment; nil for a plain one.
    init?(number: UInt32, file: any SegmentStorage, salt: UInt32, encryptor: FrameEncryptor? = nil) {
        guard let start = file.memory.baseAddress, file.memory.count >= SegmentPreamble.size + Self.reserve else {
            return nil
        }
        self.number = number
        self.file = file
        self.salt = salt
        self.start = start
        capacity = Self.noteOffset(inFile: file.memory.count)
        used = SegmentPreamble.size
        self.encryptor = encryptor
        plainMark = encryptor == nil ? capacity / 2 : 0
        SegmentPreamble.write(encryptor == nil ? SegmentPreamble.plain : SegmentPreamble.encrypted, to: start)
    }

    /// By how much payloads become longer here.
    private var overhead: Int { encryptor == nil ? 0 : FrameEncryptor.overhead }

    /// Where the next frame will start.
    var position: LogPosition { LogPosition(segment: number, offset: UInt32(used)) }

    /// Whether a payload of this size still fits, leaving room for the seal.
    func fits(payload: Int) -> Bool {
        used + FrameHeader.stride(payload: payload + overhead) + FrameHeader.size + overhead <= capacity
    }

    /// The same of a plain segment, and false from where half of it is full until ``passMark()``; false in an encrypted one.
    /// Recording asks this alone, so that neither costs anybody anything.
    func fitsPlain(payload: Int) -> Bool {
        used + FrameHeader.stride(payload: payload) + FrameHeader.size <= plainMark
    }

    /// Appends one frame to a plain segment; the caller has asked ``fitsPlain(payload:)``.
    ///
    /// - Parameter payloadChecksum: ``Checksum/payload(_:)`` of `payload`, computed before the lock was taken.
    @inline(__always)
    mutating func appendPlain(_ header: FrameHeader, payload: UnsafeRawBufferPointer, payloadChecksum: UInt32) {
        writePlain(header, at: used, payload: payload, payloadChecksum: payloadChecksum)
        used += header.stride
    }

    /// Whether half of the segment is full, or nearly so: then it is time to make the next one ahead of need.
    var isPastMark: Bool { isMarkPassed || used > capacity / 2 }

    /// Something did not fit below the mark. True once, when that is because half of the segment is full, or nearly so.
    mutating func passMark() -> Bool {
        // In an encrypted segment nothing fits below the mark.
        guard !isMarkPassed, encryptor == nil || used > capacity / 2 else { return false }
        isMarkPassed = true
        if encryptor == nil { plainMark = capacity }
        return true
    }

    /// Appends one frame; the caller has asked ``fits(payload:)``.
    ///
    /// - Parameter payloadChecksum: ``Checksum/payload(_:)`` of `payload`.
    /// - Returns: false when it could not be encrypted; then nothing was written.
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
        // The text is in its place already.
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

    /// Writes the header in front of a payload that is in its place.
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

    /// Marks the segment complete; the unused space is given back by finishing the file.
    ///
    /// - Parameter lost: numbers that were never written and never will be; there is room for that in any segment.
    mutating func seal(sequence: UInt64, lost: DroppedRange? = nil) {
        // What cannot be encrypted is missing then: readers go on to the next segment without it.
        if let lost, let (header, text) = frame(of: lost) {
            _ = text.withUnsafeBytes { append(header, payload: $0, payloadChecksum: Checksum.payload($0)) }
        }
        let header = FrameHeader(kind: .seal, payload: 0, sequence: sequence)
        _ = append(header, payload: UnsafeRawBufferPointer(start: nil, count: 0), payloadChecksum: 0)
    }

    // MARK: The note

    /// Notes numbers that are in memory only: whoever reads what a killed process left finds them there. Nil takes the
    /// note back.
    ///
    /// The new note is whole before the old one goes, so that a kill in between leaves one of them, or both, which say
    /// nothing that differs but how far it reaches.
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

    /// Where the note's places begin in a file of this many bytes.
    static func noteOffset(inFile bytes: Int) -> Int {
        (bytes - reserve) & ~7
    }

    /// The highest number that notes in these bytes tell of; nil when there is no note.
    ///
    /// - Parameter isOurs: whether an encrypted frame is what was written; asked with its header, what lies behind that, and
    ///   where in `bytes` it begins.
    static func numberNoted(
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

    /// A `dropped` record, unless it is longer than a place: reasons are short words.
    private func frame(of range: DroppedRange) -> (header: FrameHeader, text: [UInt8])? {
        let text = Array(DroppedRanges.text(of: range).utf8)
        guard FrameHeader.stride(payload: text.count + overhead) <= Self.place else { return nil }
        return (FrameHeader(kind: .dropped, payload: text.count, sequence: range.sequences.upperBound), text)
    }
}

/// The first 16 bytes of a segment: `TRACKWAY`, the format's version, and a checksum of both.
enum SegmentPreamble {
    static let size = 16
    /// A segment whose frames are plain; a reader of version 1 reads it.
    static let plain: UInt32 = 1
    /// A segment whose frames are all encrypted (``FrameEncryptor``).
    static let encrypted: UInt32 = 2
    /// The newest version that this one reads.
    static let newest = encrypted
    private static let magic: UInt64 = 0x5941_574B_4341_5254  // "TRACKWAY", little-endian

    static func write(_ version: UInt32, to start: UnsafeMutableRawPointer) {
        start.storeBytes(of: magic.littleEndian, as: UInt64.self)
        start.storeBytes(of: version.littleEndian, toByteOffset: 8, as: UInt32.self)
        let sum = Checksum.payload(UnsafeRawBufferPointer(start: start, count: 12))
        start.storeBytes(of: sum.littleEndian, toByteOffset: 12, as: UInt32.self)
    }

    /// The version the segment claims; nil when these bytes are damaged, which costs nothing but the claim.
    static func version(of bytes: UnsafeRawBufferPointer) -> UInt32? {
        guard bytes.count >= size, let start = bytes.baseAddress else { return nil }
        guard UInt64(littleEndian: start.loadUnaligned(as: UInt64.self)) == magic else { return nil }
        let sum = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        guard sum == Checksum.payload(UnsafeRawBufferPointer(start: start, count: 12)) else { return nil }
        return UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }
}
