// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

private import TrackwayEvents

/// Reads a log's records in order, from any process, while it is being written or after its writer died.
///
/// Damaged bytes are stepped over and counted, never fatal: the reader looks for the next intact record at the next
/// possible place. It holds one window of the file in memory (256 KiB at most, more only for a larger record).
///
/// A value for one task at a time. Reading a record costs O(its size).
public struct LogReader: Sendable {
    /// Where the next record is looked for.
    public private(set) var position: LogPosition
    /// What was stepped over so far.
    public private(set) var damage = LogDamage()
    /// Whether the writer is known to be gone: a half-written record at the end is then damage, not work in progress.
    public var isComplete: Bool
    /// Whether only records' kinds and numbers are wanted: payloads that are encrypted then stay so, and count as empty.
    var readsHeadersOnly = false
    /// The boot this process runs in, when that is known: see ``search(from:behindBlank:)``.
    var boot = ""

    private let folder: String
    private let storage: any JournalStorage
    private var window: SegmentWindow
    /// The path of the segment read last: made once per segment, not per record.
    private var known: (segment: UInt32, path: String) = (0, "")
    private var segments: [UInt32] = []
    /// The salt of the segment read last.
    private var salt: (segment: UInt32, value: UInt32) = (0, 0)
    /// Decrypts where records are encrypted.
    private var decryptor: FrameDecryptor
    /// A segment whose preamble says that all its records are encrypted.
    private var encryptedSegment: UInt32 = 0
    /// Where a complete log was found to end, so that asking again is free.
    private var finalEnd: LogPosition?
    /// The last segment that was seen to be begun in this boot.
    private var segmentOfThisBoot: UInt32 = 0

    /// A reader of the log in `folder`.
    ///
    /// - Parameters:
    ///   - folder: the log's folder.
    ///   - storage: where it lies.
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

    /// A reader that reads ahead less than usual, for somebody who wants a record or two.
    ///
    /// - Parameter size: how many bytes of a segment to read at once; more only for a larger record.
    init(folder: String, storage: any JournalStorage, from position: LogPosition, window size: Int) {
        self.init(folder: folder, storage: storage, from: position)
        window = SegmentWindow(size: size)
    }

    /// The next intact record; nil at the end for now.
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

    /// The highest number that is in the writer's memory only, as the note at the end of the current segment says; nil when
    /// there is none.
    func numberInMemory() throws(StorageError) -> UInt64? {
        guard position.segment > 0 else { return nil }
        let path = SegmentName.path(folder, position.segment)
        guard let size = try storage.size(of: path), size > SegmentPreamble.size + SegmentAppender.reserve else {
            return nil
        }
        let place = SegmentAppender.noteOffset(inFile: size)
        let bytes = try storage.bytes(of: path, at: place, count: SegmentAppender.reserve) ?? []
        guard bytes.count == SegmentAppender.reserve else { return nil }
        let salt = Checksum.salt(folder: folder, segment: position.segment)
        var decryptor = decryptor
        return bytes.withUnsafeBytes { bytes in
            SegmentAppender.numberNoted(in: bytes, salt: salt) { header, stored, offset in
                let outcome = decryptor.decrypt(header, stored, at: place + offset, segment: position.segment)
                return if case .decrypted = outcome { true } else { false }
            }
        }
    }

    /// Gives the window's memory back; it is read again when it is needed.
    mutating func forgetWindow() {
        window = window.emptied
    }

    /// Goes on at another place: a record's `start` or `end`.
    public mutating func seek(to position: LogPosition) {
        self.position = position
        finalEnd = nil
    }

    /// The payload of the record ``next()`` returned last, without a copy. The pointer is valid during `body` only.
    public func withPayload<Result>(of entry: LogEntry, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard entry.isEncrypted else { return window.withBytes(entry.payload, body) }
        return decryptor.text.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[entry.payload])) }
    }

    /// A copy of the payload of the record ``next()`` returned last.
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
                // The window may be older than the record.
                window.invalidate()
                isFresh = true
                continue
            }
            segments = try SegmentName.all(in: folder, storage)
            let isHead = position.segment >= (segments.last ?? 0)
            if case .nothing = finding, isHead, !isComplete { return nil }
            if !isHead, !isRechecked {
                // The writer may have finished this segment between our look at the bytes and at the folder.
                window.invalidate()
                isRechecked = true
                continue
            }
            var isBlank = false
            if case .nothing = finding { isBlank = true }
            if let found = try search(from: offset + 8, behindBlank: isBlank) {
                // A record seen behind a bad one proves that the bad one was complete: look at it once more.
                window.invalidate()
                if case .frame = try examine(offset) { continue }
                if !isNote(found) {
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

    /// Where the payload of a frame lies that was examined last: in the window, or in the decryptor's text.
    private func payload(of header: FrameHeader, at offset: Int) -> Range<Int> {
        guard header.flags & FrameHeader.encrypted != 0 else {
            return window.range(offset + FrameHeader.size, count: header.payloadLength)
        }
        return 0..<(readsHeadersOnly ? 0 : header.payloadLength - FrameEncryptor.overhead)
    }

    /// Whether nothing was written at `offset` since the window was read, and nothing behind: the usual case for whoever
    /// follows a log. One small look tells, without reading ahead again.
    private mutating func isStillEnd(_ offset: Int) throws -> Bool {
        // What the storage refuses here it refuses once more below, where it is told.
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

    /// Whether the record at `offset` is the one at the end of a segment that tells what was in memory only: the blank space
    /// in front of it is no damage.
    private func isNote(_ offset: Int) -> Bool {
        offset + SegmentAppender.reserve >= window.fileSize && window.header(at: offset)?.kind == .dropped
    }

    /// Points at the segment of ``position`` or, when that is gone, at the start of the next one there is.
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
            "\(path) was written in format version \(version), this reads up to \(SegmentPreamble.newest); "
                + "it is left untouched, use the newer version to read it"
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
            // Between encrypted records a plain one is nobody's: the checksum needs no key.
            return encryptedSegment == position.segment ? .invalid : .frame(header)
        }
        return try decrypt(header, at: offset) ? .frame(header) : .invalid
    }

    /// Decrypts a record whose checksum is right; false when it is not what was written here.
    ///
    /// - Throws: when its key is not there: then it is no damage, and nothing is stepped over.
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

    /// Remembers whether the segment was begun in this boot, as its first record says.
    private mutating func noteBoot(_ origin: LogEntry) {
        let isOfThisBoot = withPayload(of: origin) { SegmentOrigin(Array($0))?.boot == boot }
        segmentOfThisBoot = isOfThisBoot ? position.segment : 0
    }

    /// So much blank space in a segment of this boot is its end.
    private static let blankEnd = 32 * 1024

    /// The next place at or behind `offset` where an intact record starts.
    ///
    /// What was written in another boot may miss pages that lie in front of others, because the power failed in between: that is
    /// searched to its last byte. In this boot the system has lost nothing: records were written one behind the other, so
    /// nothing follows a long blank stretch but the note at the very end.
    ///
    /// - Parameter isBlank: whether nothing was found in front of `offset`.
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
                candidate = max(candidate, SegmentAppender.noteOffset(inFile: window.fileSize))
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
    /// What the record is.
    public let kind: FrameKind
    /// Its sequence number; what it counts is up to the kind.
    public let sequence: UInt64
    /// The generation of the context it was recorded in; 0 where that means nothing.
    public let context: UInt32
    /// Where the record starts.
    public let start: LogPosition
    /// Where the next record starts.
    public let end: LogPosition
    /// Bytes of the payload.
    public var payloadLength: Int { payload.count }

    /// Bytes of an addressed event's route at the payload's start; nil when the event goes everywhere.
    package let routeLength: Int?
    /// Where the payload lies in the reader's window, until its next call; where it is encrypted, in what was decrypted last.
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

/// What a reader had to step over. Nothing here was thrown away: the bytes stay where they are.
public struct LogDamage: Sendable, Hashable {
    /// Places where damaged bytes lay between intact records. How many records they held, the sequence numbers tell.
    public var gaps = 0
    /// Records that were begun at a log's very end and are not whole.
    public var tornTails = 0
    /// Bytes stepped over.
    public var bytes = 0

    /// No damage.
    public init() {}

    /// Whether anything was stepped over.
    public var isEmpty: Bool { gaps == 0 && tornTails == 0 }
}
