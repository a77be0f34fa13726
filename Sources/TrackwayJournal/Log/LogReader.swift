// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

private import TrackwayCore

/// Reads a log's records in order, from any process.
///
/// The reader works while the log is being written and after its writer has died. Damaged bytes are skipped and
/// counted, and are never fatal: the reader searches for the next intact record from the next possible offset. It
/// keeps one window of the file in memory (at most 256 KiB, more only for a larger record).
///
/// A reader is a value; use each copy in one task at a time. Reading a record costs O(its size).
public struct LogReader: Sendable {
    /// The position at which the reader looks for the next record.
    public private(set) var position: LogPosition
    /// The damage skipped so far.
    public private(set) var damage = LogDamage()
    /// Whether the writer is known to have ended.
    ///
    /// If so, a partially written record at the end is damage; otherwise, the writer may still complete it.
    public var isComplete: Bool
    /// Whether to read only the records' kinds and sequence numbers.
    ///
    /// If so, encrypted payloads stay encrypted and count as empty.
    var readsHeadersOnly = false
    /// The boot this process runs in, if known; see ``search(from:afterBlank:)``.
    var boot = ""

    private let folder: String
    private let storage: any JournalStorage
    private var window: SegmentWindow
    /// The path of the most recently read segment, built once per segment.
    private var known: (segment: UInt32, path: String) = (0, "")
    private var segments: [UInt32] = []
    /// The salt of the most recently read segment.
    private var salt: (segment: UInt32, value: UInt32) = (0, 0)
    /// The decryptor for encrypted records.
    private var decryptor: FrameDecryptor
    /// The current segment if its preamble states that all its records are encrypted; else 0.
    private var encryptedSegment: UInt32 = 0
    /// The position at which a complete log was found to end.
    ///
    /// This makes further reads at the end free.
    private var finalEnd: LogPosition?
    /// The last segment that was found to have been started in this boot.
    private var segmentOfThisBoot: UInt32 = 0

    /// Creates a reader for the log in `folder`.
    ///
    /// - Parameters:
    ///   - folder: the log's folder.
    ///   - storage: the storage that contains the log.
    ///   - position: the position at which to start; a record's `end`, or ``LogPosition/start``.
    ///   - isComplete: see ``isComplete``.
    public init(
        folder: String,
        storage: any JournalStorage = DiskStorage(),
        from position: LogPosition = .start,
        isComplete: Bool = false
    ) {
        self.folder = folder
        self.storage = storage
        self.position = position
        self.isComplete = isComplete
        decryptor = FrameDecryptor(storage.folderKeys, folder: folder)
        window = SegmentWindow()
    }

    /// Creates a reader that reads ahead less than usual.
    ///
    /// Intended for callers that need only one or two records.
    ///
    /// - Parameter size: the number of bytes of a segment to read at once; more are read only for a larger record.
    init(folder: String, storage: any JournalStorage, from position: LogPosition, window size: Int) {
        self.init(folder: folder, storage: storage, from: position)
        window = SegmentWindow(size: size)
    }

    /// Returns the next intact record, or nil at the current end.
    ///
    /// - Throws: ``JournalError`` if the storage currently cannot be read (no record is then skipped), if a key is
    ///   missing, or if a newer version wrote the log.
    public mutating func next() throws(JournalError) -> LogEntry? {
        do {
            return try scan()
        } catch let error as JournalError {
            throw error
        } catch {
            throw JournalError(error as? StorageError ?? StorageError(.other, operation: "read", path: folder))
        }
    }

    /// Returns the highest sequence number that exists only in the writer's memory.
    ///
    /// Nil if none. The number is read from the marker at the end of the current segment.
    func numberInMemory() throws(StorageError) -> UInt64? {
        guard position.segment > 0 else { return nil }
        let path = SegmentName.path(folder, position.segment)
        guard let size = try storage.size(of: path), size > SegmentPreamble.size + SegmentAppender.reserve else {
            return nil
        }
        let place = SegmentAppender.markerOffset(inFile: size)
        let bytes = try storage.bytes(of: path, at: place, count: SegmentAppender.reserve) ?? []
        guard bytes.count == SegmentAppender.reserve else { return nil }
        let salt = Checksum.salt(folder: folder, segment: position.segment)
        var decryptor = decryptor
        return bytes.withUnsafeBytes { bytes in
            SegmentAppender.highestMarkedNumber(in: bytes, salt: salt) { header, stored, offset in
                let outcome = decryptor.decrypt(header, stored, at: place + offset, segment: position.segment)
                return if case .decrypted = outcome { true } else { false }
            }
        }
    }

    /// Releases the window's memory; the window is reread when needed.
    mutating func releaseWindow() {
        window = window.emptied
    }

    /// Moves to another position: a record's `start` or `end`.
    public mutating func seek(to position: LogPosition) {
        self.position = position
        finalEnd = nil
    }

    /// Calls `body` with the last returned record's payload, without copying it.
    ///
    /// `entry` must be the record that ``next()`` returned last. The pointer is valid only during `body`.
    public func withPayload<Result>(of entry: LogEntry, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard entry.isEncrypted else { return window.withBytes(entry.payload, body) }
        return decryptor.text.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[entry.payload])) }
    }

    /// Returns a copy of the last returned record's payload.
    public func payload(of entry: LogEntry) -> [UInt8] {
        withPayload(of: entry) { Array($0) }
    }

    // MARK: Scanning

    private enum Finding {
        case frame(FrameHeader)
        case nothing
        case invalid
    }

    private mutating func scan() throws -> LogEntry? {
        if isComplete, finalEnd == position { return nil }
        var isFresh = false
        var isRechecked = false
        while true {
            guard try openSegment() else { return nil }
            let offset = Int(clamping: position.offset)
            let finding = try examine(offset)
            if case .frame(let header) = finding {
                if header.kind == .seal {
                    guard try advanceSegment() else {
                        finalEnd = isComplete ? position : nil
                        return nil
                    }
                    isFresh = false
                    isRechecked = false
                    continue
                }
                position.offset += UInt32(header.stride)
                let payload = payload(of: header, at: offset)
                let entry = LogEntry(header, segment: position.segment, offset: offset, payload: payload)
                if header.kind == .origin, !boot.isEmpty, !(entry.isEncrypted && readsHeadersOnly) { recordBoot(entry) }
                return entry
            }
            if !isFresh {
                if case .nothing = finding, try isStillEnd(offset) { return nil }
                // The window may have been read before the record was written.
                window.invalidate()
                isFresh = true
                continue
            }
            segments = try SegmentName.all(in: folder, storage)
            let isHead = position.segment >= (segments.last ?? 0)
            if case .nothing = finding, isHead, !isComplete { return nil }
            if !isHead, !isRechecked {
                // The writer may have finished this segment between the reads of the bytes and of the folder.
                window.invalidate()
                isRechecked = true
                continue
            }
            var isBlank = false
            if case .nothing = finding { isBlank = true }
            if let found = try search(from: offset + 8, afterBlank: isBlank) {
                // A record after a bad record proves that the bad record was completely written, so examine it once
                // more.
                window.invalidate()
                if case .frame = try examine(offset) { continue }
                if !isMarkerFrame(found) {
                    damage.gaps += 1
                    damage.bytes += found - offset
                }
                position.offset = UInt32(found)
                isFresh = false
                continue
            }
            if case .invalid = finding {
                if isHead, !isComplete { return nil }
                if window.mayHoldEvent(at: offset) { damage.tornTails += 1 }
                damage.bytes += max(0, window.fileSize - offset)
            }
            guard try advanceSegment() else {
                finalEnd = position
                return nil
            }
            isFresh = false
            isRechecked = false
        }
    }

    /// Returns the payload range of the last frame examined.
    ///
    /// The range refers to the window or, for an encrypted frame, to the decryptor's text.
    private func payload(of header: FrameHeader, at offset: Int) -> Range<Int> {
        guard header.flags & FrameHeader.encrypted != 0 else {
            return window.range(offset + FrameHeader.size, count: header.payloadLength)
        }
        return 0..<(readsHeadersOnly ? 0 : header.payloadLength - FrameEncryptor.overhead)
    }

    /// Whether nothing was written at or after `offset` since the window was read.
    ///
    /// This is the usual case for a caller that follows a log. One small read determines this without reading ahead
    /// again.
    private mutating func isStillEnd(_ offset: Int) throws -> Bool {
        // A storage failure here recurs in a later read, which reports it.
        guard !isComplete, (try? window.isStillBlank(path(), at: offset, storage)) == true else { return false }
        segments = try SegmentName.all(in: folder, storage)
        return position.segment >= (segments.last ?? 0)
    }

    /// Returns the path of the segment at ``position``.
    private mutating func path() -> String {
        if known.segment != position.segment {
            known = (position.segment, SegmentName.path(folder, position.segment))
        }
        return known.path
    }

    /// Whether the record at `offset` is the marker of numbers held only in memory.
    ///
    /// That marker is at a segment's end. The blank space before it is not damage.
    private func isMarkerFrame(_ offset: Int) -> Bool {
        offset + SegmentAppender.reserve >= window.fileSize && window.header(at: offset)?.kind == .dropped
    }

    /// Moves the window to the segment of ``position``.
    ///
    /// If that segment was removed, moves to the start of the next existing segment. Returns false if there is none.
    private mutating func openSegment() throws -> Bool {
        if window.segment == position.segment, window.isValid { return true }
        if position.segment > 0 {
            let path = path()
            if try window.open(path, segment: position.segment, at: Int(clamping: position.offset), storage) {
                try checkVersion(path)
                if position.offset < UInt32(SegmentPreamble.size) { position.offset = UInt32(SegmentPreamble.size) }
                return true
            }
        }
        segments = try SegmentName.all(in: folder, storage)
        guard let next = segments.first(where: { $0 > position.segment }) else { return false }
        position = LogPosition(segment: next, offset: UInt32(SegmentPreamble.size))
        let path = path()
        guard try window.open(path, segment: next, at: 0, storage) else { return false }
        try checkVersion(path)
        return true
    }

    private mutating func advanceSegment() throws -> Bool {
        segments = try SegmentName.all(in: folder, storage)
        guard let next = segments.first(where: { $0 > position.segment }) else { return false }
        position = LogPosition(segment: next, offset: UInt32(SegmentPreamble.size))
        window.invalidate()
        return true
    }

    private mutating func checkVersion(_ path: String) throws {
        let version = try window.version(path, storage)
        encryptedSegment = version == SegmentPreamble.encrypted ? position.segment : 0
        guard let version, version > SegmentPreamble.newest else { return }
        throw JournalError(
            .newerVersion,
            "\(path) was written in format version \(version), but this version reads only up to "
                + "\(SegmentPreamble.newest). The file was not changed; use the newer version to read it"
        )
    }

    private mutating func examine(_ offset: Int) throws -> Finding {
        let path = path()
        guard try window.load(path, segment: position.segment, at: offset, count: FrameHeader.size, storage) else {
            return window.isBlank(from: offset) ? .nothing : .invalid
        }
        if window.word(at: offset) == 0 { return .nothing }
        guard let header = window.header(at: offset), offset + Int(header.length) <= window.fileSize else {
            return .invalid
        }
        guard
            try window.load(path, segment: position.segment, at: offset, count: Int(header.length), storage)
        else { return .invalid }
        if salt.segment != position.segment {
            salt = (position.segment, Checksum.salt(folder: folder, segment: position.segment))
        }
        guard window.isIntact(header, at: offset, salt: salt.value) else { return .invalid }
        guard header.flags & FrameHeader.encrypted != 0 else {
            // A plain record among encrypted records cannot be trusted, because its checksum requires no key.
            return encryptedSegment == position.segment ? .invalid : .frame(header)
        }
        return try decrypt(header, at: offset) ? .frame(header) : .invalid
    }

    /// Decrypts a record whose checksum is valid.
    ///
    /// Returns false if the record was not written at this position.
    ///
    /// - Throws: an error if the record's key is missing; the record then does not count as damage, and nothing is
    ///   skipped.
    private mutating func decrypt(_ header: FrameHeader, at offset: Int) throws -> Bool {
        guard header.payloadLength >= FrameEncryptor.overhead else { return false }
        guard !readsHeadersOnly else { return true }
        let stored = window.range(offset + FrameHeader.size, count: header.payloadLength)
        let segment = position.segment
        let outcome = window.withBytes(stored) { decryptor.decrypt(header, $0, at: offset, segment: segment) }
        switch outcome {
        case .decrypted: return true
        case .forged: return false
        case .keyMissing(let key): throw JournalError(StorageError.keyMissing(key, path()))
        }
    }

    /// Records whether the segment was started in this boot, according to its first record.
    private mutating func recordBoot(_ origin: LogEntry) {
        let isOfThisBoot = withPayload(of: origin) { SegmentOrigin(Array($0))?.boot == boot }
        segmentOfThisBoot = isOfThisBoot ? position.segment : 0
    }

    /// The number of blank bytes that indicate a segment's end.
    ///
    /// Applies only to segments of this boot.
    private static let blankEnd = 32 * 1024

    /// Returns the next offset at or after `offset` where an intact record starts.
    ///
    /// A segment written in another boot may have blank pages before written pages, if the power failed while pages
    /// were being written. Such a segment is searched to its last byte. A segment of this boot has lost no data: its
    /// records were written one after another, so only the marker at its end can follow a long blank range.
    ///
    /// - Parameter isBlank: whether only blank bytes were found just before `offset`.
    private mutating func search(from offset: Int, afterBlank isBlank: Bool) throws -> Int? {
        var candidate = offset
        var mayEnd = isBlank && segmentOfThisBoot == position.segment
        let path = path()
        while try window.load(path, segment: position.segment, at: candidate, count: FrameHeader.size, storage) {
            candidate = window.skippingZeros(from: candidate)
            if window.word(at: candidate) != 0 {
                mayEnd = false
            } else if mayEnd, candidate - offset >= Self.blankEnd {
                mayEnd = false
                candidate = max(candidate, SegmentAppender.markerOffset(inFile: window.fileSize))
                continue
            }
            if case .frame = try examine(candidate) { return candidate }
            candidate += 8
        }
        return nil
    }
}

/// One intact record of a log, as returned by ``LogReader``.
public struct LogEntry: Sendable, Hashable {
    /// The kind of record.
    public let kind: FrameKind
    /// The record's sequence number; its meaning depends on the kind.
    public let sequence: UInt64
    /// The generation of the context in which the record was written.
    ///
    /// 0 if not applicable.
    public let context: UInt32
    /// The position at which the record starts.
    public let start: LogPosition
    /// The position at which the next record starts.
    public let end: LogPosition
    /// The length of the payload, in bytes.
    public var payloadLength: Int { payload.count }

    /// The length of the route at the payload's start, in bytes.
    ///
    /// Nil if the event is for all destinations.
    package let routeLength: Int?
    /// The payload's range in the reader's window, valid until the reader's next call.
    ///
    /// For an encrypted payload, this is the range in the most recently decrypted text.
    let payload: Range<Int>
    /// Whether the stored payload is encrypted.
    let isEncrypted: Bool

    init(_ header: FrameHeader, segment: UInt32, offset: Int, payload: Range<Int>) {
        kind = header.kind
        sequence = header.sequence
        context = header.context
        routeLength = header.flags & FrameHeader.addressed != 0 ? Int(header.routeLength) : nil
        start = LogPosition(segment: segment, offset: UInt32(offset))
        end = LogPosition(segment: segment, offset: UInt32(offset + header.stride))
        self.payload = payload
        isEncrypted = header.flags & FrameHeader.encrypted != 0
    }
}

/// The damage that a reader skipped.
///
/// Skipping does not discard anything: the bytes stay in the file.
public struct LogDamage: Sendable, Hashable {
    /// The number of runs of damaged bytes between intact records.
    ///
    /// The sequence numbers show how many records were in these runs.
    public var gaps = 0
    /// The number of incomplete records at the end of a log.
    public var tornTails = 0
    /// The number of bytes skipped.
    public var bytes = 0

    /// Creates a value without damage.
    public init() {}

    /// Whether no damage was found.
    public var isEmpty: Bool { gaps == 0 && tornTails == 0 }
}
