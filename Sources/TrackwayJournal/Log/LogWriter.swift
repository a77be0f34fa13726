// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Writes to a log's current segment and creates the next segment.
///
/// A writer is a value; its owner must protect it with a lock.
struct LogWriter: Sendable {
    let folder: String
    let storage: any JournalStorage
    private let segmentBytes: Int
    /// The keys that encrypt segments; nil for plain segments.
    private let keys: FolderKeys?
    private(set) var appender: SegmentAppender?
    /// The newest segment's number; 0 before the first.
    private(set) var lastSegment: UInt32
    /// The first segment that has not been completely flushed to stable storage.
    private(set) var firstUnsynchronized: UInt32
    /// The next segment, created in advance; see ``offerSpare(_:)``.
    private var spare: (any SegmentStorage)?
    /// The complete segments whose unused space has not been freed yet.
    private var retired: [RetiredSegment] = []
    /// The current segment, while its pages still need to be prefaulted.
    ///
    /// See ``takeUnpopulated()``.
    private var unpopulated: (any SegmentStorage)?
    /// The numbers in the current marker; see ``writeMarker(_:)``.
    private var marker: DroppedRange?
    /// The newest segment whose name in the folder was flushed.
    private var lastNamed: UInt32
    private let root: String
    /// Whether the folders above the log's folder were flushed.
    private var isPathFlushed = false

    /// - Parameters:
    ///   - folder: the log's folder.
    ///   - root: the topmost folder that the app owns; the log's folder or a folder above it.
    ///   - storage: the storage that contains the log.
    ///   - options: the log's layout.
    ///   - lastSegment: the newest existing segment; 0 if none.
    init(folder: String, root: String, storage: any JournalStorage, options: LogOptions, lastSegment: UInt32) {
        self.root = root
        self.folder = folder
        self.storage = storage
        segmentBytes = options.segmentBytes
        keys = storage.folderKeys
        self.lastSegment = lastSegment
        firstUnsynchronized = lastSegment + 1
        lastNamed = lastSegment
    }

    /// The position of the next record.
    var end: LogPosition {
        appender?.position ?? LogPosition(segment: lastSegment + 1, offset: UInt32(SegmentPreamble.size))
    }

    /// Whether the payload fits into the current segment.
    ///
    /// If not, call ``roll(payload:sequence:origin:)`` first.
    func fits(_ payload: Int) -> Bool {
        appender?.fits(payload: payload) ?? false
    }

    /// Handles a payload that did not fit below the mark.
    ///
    /// Returns true if the payload did not fit because half of the segment is full; the next segment can then be
    /// created in advance.
    mutating func passMark() -> Bool {
        appender?.passMark() ?? false
    }

    /// Whether the payload fits into the current segment below its mark.
    ///
    /// The segment must be plain; see ``passMark()``.
    @inline(__always)
    func fitsPlain(_ payload: Int) -> Bool {
        appender?.fitsPlain(payload: payload) ?? false
    }

    /// Appends to the current segment, which must be plain and have enough space.
    @inline(__always)
    mutating func appendPlain(_ header: FrameHeader, payload: UnsafeRawBufferPointer, payloadChecksum: UInt32) {
        appender?.appendPlain(header, payload: payload, payloadChecksum: payloadChecksum)
    }

    /// Appends to the current segment, which must have enough space.
    ///
    /// - Returns: false if the record could not be encrypted; nothing was written in that case.
    mutating func append(_ header: FrameHeader, payload: UnsafeRawBufferPointer, payloadChecksum: UInt32) -> Bool {
        appender?.append(header, payload: payload, payloadChecksum: payloadChecksum) ?? false
    }

    /// Appends a small internal record of the log and computes its checksum.
    ///
    /// The segment must have enough space.
    mutating func append(kind: FrameKind, _ payload: [UInt8], sequence: UInt64, context: UInt32 = 0) {
        payload.withUnsafeBytes { bytes in
            let header = FrameHeader(kind: kind, payload: bytes.count, sequence: sequence, context: context)
            // A record that cannot be encrypted is omitted; events are valid without it.
            _ = appender?.append(header, payload: bytes, payloadChecksum: Checksum.payload(bytes))
        }
    }

    /// Starts the next segment and completes the current one.
    ///
    /// The new segment is created first: if there is no space for it, the current segment stays unchanged and may
    /// still have space for a smaller record.
    ///
    /// - Parameters:
    ///   - payload: the number of bytes required for the next record, including the context record before it.
    ///   - sequence: the last sequence number written so far.
    ///   - origin: the description of the segment's writer, stored in the segment's first record.
    mutating func roll(payload: Int, sequence: UInt64, origin: [UInt8]) throws(StorageError) {
        let number = lastSegment + 1
        // Encryption lengthens four frames: the origin, the next record, the context, and the seal.
        let overhead = keys == nil ? 0 : 4 * FrameEncryptor.overhead
        let opening =
            SegmentPreamble.size + FrameHeader.stride(payload: origin.count) + 2 * FrameHeader.size
            + SegmentAppender.reserve + overhead
        let bytes = max(segmentBytes, opening + FrameHeader.stride(payload: payload) + 64)
        let path = SegmentName.path(folder, number)
        let encryptor = try makeEncryptor(for: number)
        let file: any SegmentStorage
        if let spare = try takeSpare(for: path, bytes: bytes) {
            file = spare
            unpopulated = nil
        } else {
            file = try storage.makeSegment(path, bytes: bytes)
            // An app creates the first segment at launch, mostly for later use. Any other segment is filled
            // immediately, and prefaulting all its pages together costs less than a fault on each page.
            unpopulated = number == 1 ? file : nil
            if number > 1 { file.populate() }
        }
        let salt = Checksum.salt(folder: folder, segment: number)
        guard var next = SegmentAppender(number: number, file: file, salt: salt, encryptor: encryptor) else {
            throw StorageError(.other, operation: "map", path: path)
        }
        // The marker is written before the old segment is sealed, so that at all times one of the segments records
        // the numbers in memory.
        next.writeMarker(marker)
        if var old = appender {
            old.seal(sequence: sequence)
            retired.append(RetiredSegment(file: old.file, length: old.used))
            // Maintenance normally finishes segments, off the recording thread; their number is bounded in case no
            // maintenance runs.
            if retired.count > 1 { retired.removeFirst().finish() }
        }
        appender = next
        lastSegment = number
        append(kind: .origin, origin, sequence: sequence)
    }

    private func makeEncryptor(for segment: UInt32) throws(StorageError) -> FrameEncryptor? {
        guard let keys else { return nil }
        return try FrameEncryptor(keys, folder: folder, segment: segment)
    }

    /// Writes a marker of the numbers held only in memory.
    ///
    /// Nil removes the marker. If this process is killed, readers find the marker. The marker requires no additional
    /// space; without a segment, it cannot be written.
    mutating func writeMarker(_ range: DroppedRange?) {
        marker = range
        appender?.writeMarker(range)
    }

    /// Abandons all segments without completing them.
    ///
    /// Called when the folder was recreated and contains none of the segments.
    mutating func startOver() {
        appender = nil
        spare = nil
        unpopulated = nil
        retired = []
        firstUnsynchronized = lastSegment + 1
        lastNamed = lastSegment
        isPathFlushed = false
    }

    /// Completes the current segment.
    ///
    /// Nothing can be appended until the next ``roll(payload:sequence:origin:)``.
    ///
    /// - Parameters:
    ///   - sequence: the last sequence number accounted for.
    ///   - lost: sequence numbers that could not be written.
    mutating func close(sequence: UInt64, lost: DroppedRange? = nil) {
        for segment in takeRetired() { segment.finish() }
        if spare != nil {
            spare = nil
            do {
                try storage.remove(folder + "/" + SegmentName.spare)
            } catch {
                // The spare segment is removed together with the folder.
            }
        }
        unpopulated = nil
        guard var last = appender else { return }
        appender = nil
        last.seal(sequence: sequence, lost: lost)
        RetiredSegment(file: last.file, length: last.used).finish()
    }

    // MARK: Maintenance, off the recording thread

    /// The path and size of the next segment to create in advance.
    ///
    /// Nil if no segment is needed yet.
    func spareWanted() -> (path: String, bytes: Int)? {
        guard spare == nil, let appender, appender.isPastMark else { return nil }
        return (folder + "/" + SegmentName.spare, segmentBytes)
    }

    /// Accepts a segment created in advance.
    ///
    /// Returns false if there is already a spare segment, or if there is no current segment.
    mutating func offerSpare(_ file: any SegmentStorage) -> Bool {
        guard spare == nil, appender != nil else { return false }
        spare = file
        return true
    }

    /// Returns the current segment, but only once, if it was not created in advance.
    ///
    /// The segment's pages still need to be prefaulted.
    mutating func takeUnpopulated() -> (any SegmentStorage)? {
        defer { unpopulated = nil }
        return unpopulated
    }

    /// Removes and returns the complete segments whose unused space has not been freed yet.
    mutating func takeRetired() -> [RetiredSegment] {
        defer { retired = [] }
        return retired
    }

    private mutating func takeSpare(for path: String, bytes: Int) throws(StorageError) -> (any SegmentStorage)? {
        guard let file = spare, file.memory.count >= bytes else { return nil }
        try storage.rename(folder + "/" + SegmentName.spare, to: path)
        spare = nil
        return file
    }

    /// Returns the plan for a flush of everything appended so far.
    func flushPlan() -> LogFlushPlan {
        LogFlushPlan(
            folder: folder,
            storage: storage,
            finished: firstUnsynchronized < lastSegment ? firstUnsynchronized..<lastSegment : nil,
            current: appender?.file,
            currentNumber: lastSegment,
            isFolderStale: lastNamed < lastSegment,
            isPathStale: !isPathFlushed,
            root: root
        )
    }

    /// Records that a flush plan succeeded.
    mutating func flushSucceeded(_ plan: LogFlushPlan) {
        // The current segment must be flushed again, because more records will be written to it.
        firstUnsynchronized = max(firstUnsynchronized, plan.currentNumber)
        lastNamed = max(lastNamed, plan.currentNumber)
        isPathFlushed = true
    }

    /// Records that a flush plan failed.
    ///
    /// The plan's segments are never flushed again, because another flush would not prove durability.
    mutating func flushFailed(_ plan: LogFlushPlan) {
        firstUnsynchronized = max(firstUnsynchronized, plan.currentNumber + 1)
    }
}

/// A complete segment whose unused space has not been freed yet.
struct RetiredSegment: Sendable {
    let file: any SegmentStorage
    let length: Int

    func finish() {
        do {
            try file.finish(length: length)
        } catch {
            // All records are in place, and readers stop at the seal. Only the unused space was not freed.
        }
    }
}

/// The layout of a log on disk.
public struct LogOptions: Sendable, Hashable {
    /// The number of bytes reserved for each segment.
    ///
    /// At least 4 KiB, at most 1 GiB; 1 MiB by default. Larger segments roll less often; smaller segments free space
    /// sooner.
    public var segmentBytes: Int

    /// Creates the options.
    public init(segmentBytes: Int = 1 << 20) {
        self.segmentBytes = min(max(segmentBytes, 4096), 1 << 30)
    }
}
