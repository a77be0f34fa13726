// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

private import TrackwayEvents

/// Reads a log's records in order, from any process.
///
/// Works while the log is being written and after its writer has died. Damaged bytes are skipped and counted, never
/// fatal: the reader looks for the next intact record at the next possible offset. It keeps one window of the file in
/// memory (at most 256 KiB, more only for a larger record).
///
/// A value; use each copy in one task at a time. Reading a record costs O(its size).
public struct LogReader: Sendable {
    /// Where the reader looks for the next record.
    public private(set) var position: LogPosition
    /// The damage skipped so far.
    public private(set) var damage = LogDamage()
    /// Whether the writer is known to have ended.
    ///
    /// A half-written record at the end is then damage, not work in progress.
    public var isComplete: Bool
    /// Whether to read only the records' kinds and numbers.
    ///
    /// Encrypted payloads then stay encrypted and count as empty.
    var readsHeadersOnly = false
    /// The boot this process runs in, if known; see ``search(from:behindBlank:)``.
    var boot = ""

    private let folder: String
    private let storage: any JournalStorage
    private var window: SegmentWindow
    /// The path of the segment read last, built once per segment.
    private var known: (segment: UInt32, path: String) = (0, "")
    private var segments: [UInt32] = []
    /// The salt of the segment read last.
    private var salt: (segment: UInt32, value: UInt32) = (0, 0)
    /// Decrypts encrypted records.
    private var decryptor: FrameDecryptor
    /// A segment whose preamble states that all its records are encrypted.
    private var encryptedSegment: UInt32 = 0
    /// Where a complete log was found to end.
    ///
    /// Further reads at the end then cost nothing.
    private var finalEnd: LogPosition?
    /// The last segment that was found to have been started in this boot.
    private var segmentOfThisBoot: UInt32 = 0

    /// Creates a reader of the log in `folder`.
    ///
    /// - Parameters:
    ///   - folder: the log's folder.
    ///   - storage: the storage that holds it.
    ///   - position: where to start; a record's `end`, or ``LogPosition/start``.
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
    /// For callers that need only a record or two.
    ///
    /// - Parameter size: the number of bytes of a segment to read at once; more only for a larger record.
    init(folder: String, storage: any JournalStorage, from position: LogPosition, window size: Int) {
        self.init(folder: folder, storage: storage, from: position)
        window = SegmentWindow(size: size)
    }

    /// Returns the next intact record, or nil at the current end.
    ///
    /// - Throws: ``JournalError`` when the storage cannot be read now (nothing is skipped because of that), or when a
    ///   newer version wrote the log.
    public mutating func next() throws(JournalError) -> LogEntry? {
        do {
            return try scan()
        } catch let error as JournalError {
            throw error
        } catch {
            throw JournalError(error as? StorageError ?? StorageError(.other, operation: "read", path: folder))
        }
    }

    /// The highest number that exists only in the writer's memory.
    ///
    /// Nil if none. Read from the marker at the end of the current segment.
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

    /// Releases the window's memory; the window is read again when needed.
    mutating func releaseWindow() {
        window = window.emptied
    }

    /// Moves to another position: a record's `start` or `end`.
    public mutating func seek(to position: LogPosition) {
        self.position = position
        finalEnd = nil
    }

    /// Passes `body` the last returned record's payload, without copying it.
    ///
    /// The record is the one that ``next()`` returned last. The pointer is valid only during `body`.
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
                if header.kind == .origin, !boot.isEmpty, !(entry.isEncrypted && readsHeadersOnly) { noteBoot(entry) }
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
                // The writer may have finished this segment between our reads of the bytes and of the folder.
                window.invalidate()
                isRechecked = true
                continue
            }
            var isBlank = false
            if case .nothing = finding { isBlank = true }
            if let found = try search(from: offset + 8, behindBlank: isBlank) {
                // A record after a bad one proves that the bad one was complete, so examine it once more.
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

    /// The payload range of the last frame examined.
    ///
    /// It is a range in the window or in the decryptor's text.
    private func payload(of header: FrameHeader, at offset: Int) -> Range<Int> {
        guard header.flags & FrameHeader.encrypted != 0 else {
            return window.range(offset + FrameHeader.size, count: header.payloadLength)
        }
        return 0..<(readsHeadersOnly ? 0 : header.payloadLength - FrameEncryptor.overhead)
    }

    /// Whether nothing was written at or after `offset` since the window was read.
    ///
    /// This is the usual case for a caller that follows a log. One small read answers it without reading ahead again.
    private mutating func isStillEnd(_ offset: Int) throws -> Bool {
        // A failure of the storage here recurs below, where it is reported.
        guard !isComplete, (try? window.isStillBlank(path(), at: offset, storage)) == true else { return false }
        segments = try SegmentName.all(in: folder, storage)
        return position.segment >= (segments.last ?? 0)
    }

    /// The path of the segment at ``position``.
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

    /// Points the window at the segment of ``position``.
    ///
    /// If that segment was removed, it points at the start of the next existing one.
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
                + "\(SegmentPreamble.newest); the file is unchanged, use the newer version to read it"
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
            // A plain record among encrypted ones cannot be trusted: its checksum needs no key.
            return encryptedSegment == position.segment ? .invalid : .frame(header)
        }
        return try decrypt(header, at: offset) ? .frame(header) : .invalid
    }

    /// Decrypts a record whose checksum is right.
    ///
    /// Returns false if it was not written here.
    ///
    /// - Throws: when its key is missing; the record is then not damage, and nothing is skipped.
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

    /// Remembers whether the segment was started in this boot, according to its first record.
    private mutating func noteBoot(_ origin: LogEntry) {
        let isOfThisBoot = withPayload(of: origin) { SegmentOrigin(Array($0))?.boot == boot }
        segmentOfThisBoot = isOfThisBoot ? position.segment : 0
    }

    /// The number of blank bytes that mark a segment's end.
    ///
    /// This applies to segments of this boot.
    private static let blankEnd = 32 * 1024

    /// Returns the next offset at or after `offset` where an intact record starts.
    ///
    /// A segment written in another boot may have blank pages before written ones, because the power failed while pages
    /// were being written. Such a segment is searched to its last byte. In this boot the system has lost nothing:
    /// records were written one after another, so only the marker at the very end can follow a long blank range.
    ///
    /// - Parameter isBlank: whether no bytes were found just before `offset`.
    private mutating func search(from offset: Int, behindBlank isBlank: Bool) throws -> Int? {
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

/// One intact record of a log, as ``LogReader`` finds it.
public struct LogEntry: Sendable, Hashable {
    /// The kind of record.
    public let kind: FrameKind
    /// The record's sequence number; what it counts depends on the kind.
    public let sequence: UInt64
    /// The generation of the context it was recorded in.
    ///
    /// 0 where that does not apply.
    public let context: UInt32
    /// Where the record starts.
    public let start: LogPosition
    /// Where the next record starts.
    public let end: LogPosition
    /// Bytes of the payload.
    public var payloadLength: Int { payload.count }

    /// Bytes of an addressed event's route at the payload's start.
    ///
    /// Nil when the event is for all destinations.
    package let routeLength: Int?
    /// The payload's range in the reader's window, valid until the reader's next call.
    ///
    /// For an encrypted payload, the range in the text decrypted last.
    let payload: Range<Int>
    /// Whether the payload is stored encrypted.
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
/// Skipping discards nothing: the bytes stay in the file.
public struct LogDamage: Sendable, Hashable {
    /// Runs of damaged bytes between intact records.
    ///
    /// The sequence numbers show how many records they held.
    public var gaps = 0
    /// Records that were started at a log's very end but are incomplete.
    public var tornTails = 0
    /// Bytes skipped.
    public var bytes = 0

    /// Creates a value without damage.
    public init() {}

    /// Whether no damage was found.
    public var isEmpty: Bool { gaps == 0 && tornTails == 0 }
}
