// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The part of one segment file that a reader holds in memory.
struct SegmentWindow: Sendable {
    /// The maximum number of bytes to read ahead.
    ///
    /// This size is large enough to make system calls rare, and small enough for a phone.
    static let usualSize = 256 * 1024
    /// The number of bytes to read ahead at first.
    ///
    /// Each consecutive read is twice as long, so a log of a few records in a large reserved file is cheap to read.
    private static let firstSize = 16 * 1024

    private(set) var segment: UInt32 = 0
    private(set) var isValid = false
    /// The file's size when it was last read.
    private(set) var fileSize = 0
    private var start = 0
    private var bytes: [UInt8] = []
    private let size: Int
    /// The number of bytes to read ahead on the next read.
    private var ahead: Int
    /// The most recently read segment and byte range, even if no longer valid.
    private var last: (segment: UInt32, bytes: Range<Int>) = (0, 0..<0)

    init(size: Int = Self.usualSize) {
        self.size = size
        ahead = min(Self.firstSize, size)
    }

    mutating func invalidate() {
        isValid = false
    }

    /// A copy of the window without its memory.
    var emptied: SegmentWindow { SegmentWindow(size: size) }

    /// Moves the window to a file.
    ///
    /// Returns false if the file does not exist.
    mutating func open(
        _ path: String,
        segment: UInt32,
        at offset: Int,
        _ storage: any JournalStorage
    ) throws(StorageError) -> Bool {
        self.segment = segment
        return try fill(path, at: offset & ~7, count: 0, storage)
    }

    /// Makes `count` bytes from `offset` available.
    ///
    /// Returns false if the file ends before the last of these bytes.
    mutating func load(
        _ path: String,
        segment: UInt32,
        at offset: Int,
        count: Int,
        _ storage: any JournalStorage
    ) throws(StorageError) -> Bool {
        let isInside = offset >= start && offset + count <= start + bytes.count
        if isValid, self.segment == segment, isInside { return true }
        self.segment = segment
        guard try fill(path, at: offset, count: count, storage) else { return false }
        return offset + count <= start + bytes.count
    }

    private mutating func fill(
        _ path: String,
        at offset: Int,
        count: Int,
        _ storage: any JournalStorage
    ) throws(StorageError) -> Bool {
        guard let size = try storage.size(of: path) else {
            isValid = false
            return false
        }
        fileSize = size
        start = offset
        let isOnward = last.segment != segment || (last.bytes.contains(offset - 1) && offset > last.bytes.lowerBound)
        ahead = last.segment > 0 && isOnward ? min(2 * ahead, self.size) : min(Self.firstSize, self.size)
        let wanted = max(0, min(max(ahead, count), size - offset))
        last = (segment, offset..<(offset + wanted))
        if bytes.count != wanted { bytes = [UInt8](repeating: 0, count: wanted) }
        var got = 0
        if wanted > 0 {
            var failure: StorageError?
            bytes.withUnsafeMutableBytes { buffer in
                do throws(StorageError) {
                    got = try storage.read(path, at: offset, into: buffer) ?? 0
                } catch {
                    failure = error
                }
            }
            if let failure {
                isValid = false
                throw failure
            }
        }
        if got < bytes.count { bytes.removeLast(bytes.count - got) }
        isValid = true
        return true
    }

    /// Whether the file, like the window, still has no data at `offset`.
    ///
    /// False if the file was removed.
    func isStillBlank(_ path: String, at offset: Int, _ storage: any JournalStorage) throws(StorageError) -> Bool {
        guard let bytes = try storage.bytes(of: path, at: offset, count: MemoryLayout<UInt32>.size) else {
            return false
        }
        return bytes.allSatisfy { $0 == 0 }
    }

    // MARK: Inspecting the bytes

    func range(_ offset: Int, count: Int) -> Range<Int> {
        let first = offset - start
        return first..<(first + count)
    }

    func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    func word(at offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset - start, as: UInt32.self) }
    }

    func header(at offset: Int) -> FrameHeader? {
        bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress else { return nil }
            return FrameHeader(at: base + (offset - start), available: all.count - (offset - start))
        }
    }

    func isIntact(_ header: FrameHeader, at offset: Int, salt: UInt32) -> Bool {
        withBytes(range(offset + FrameHeader.size, count: header.payloadLength)) { payload in
            Checksum.frame(header, payload: Checksum.payload(payload), salt: salt) == header.checksum
        }
    }

    /// Whether the damaged record at `offset` may have been an event.
    ///
    /// Internal records of the log are not events. The first record of a segment is its origin. For any other record,
    /// the kind determines the result if it is still readable.
    func mayHoldEvent(at offset: Int) -> Bool {
        guard offset > SegmentPreamble.size else { return false }
        let place = offset - start + 8
        guard bytes.indices.contains(place) else { return true }
        let ownKinds: [FrameKind] = [.context, .dropped, .origin, .seal]
        return !ownKinds.contains(FrameKind(rawValue: bytes[place]))
    }

    /// Whether there are only zeros between `offset` and the window's end.
    func isBlank(from offset: Int) -> Bool {
        guard offset < start + bytes.count else { return true }
        return bytes[max(0, offset - start)...].allSatisfy { $0 == 0 }
    }

    /// Returns the next offset, in steps of eight, whose word is not zero.
    ///
    /// The result is at or after `offset`; without such a word, it is the last candidate in the window.
    func skippingZeros(from offset: Int) -> Int {
        bytes.withUnsafeBytes { all in
            var candidate = offset - start
            while candidate + FrameHeader.size + 8 <= all.count,
                all.loadUnaligned(fromByteOffset: candidate, as: UInt32.self) == 0
            {
                candidate += 8
            }
            return candidate + start
        }
    }

    /// Returns the format version stated in the segment's preamble.
    ///
    /// Nil if the preamble is damaged or missing.
    func version(_ path: String, _ storage: any JournalStorage) throws(StorageError) -> UInt32? {
        guard let preamble = try storage.bytes(of: path, at: 0, count: SegmentPreamble.size),
            preamble.count == SegmentPreamble.size
        else { return nil }
        return preamble.withUnsafeBytes { SegmentPreamble.version(of: $0) }
    }
}
