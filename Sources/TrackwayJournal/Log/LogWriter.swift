// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The writing end of a log: the current segment and how to get the next. A value; its owner holds a lock around it.
struct LogWriter: Sendable {
    let folder: String
    let storage: any JournalStorage
    private let segmentBytes: Int
    /// What segments are encrypted with; nil for plain ones.
    private let keys: FolderKeys?
    private(set) var appender: SegmentAppender?
    /// The newest segment's number; 0 before the first.
    private(set) var lastSegment: UInt32
    /// The first segment that was not flushed to stable storage as a whole.
    private(set) var firstUnsynchronized: UInt32
    /// The next segment, made ahead of need; see ``offerSpare(_:)``.
    private var spare: (any SegmentStorage)?
    /// Complete segments whose unused space is still to be given back.
    private var retired: [RetiredSegment] = []
    /// The current segment, when its pages are still to be made ready; see ``takeUnpopulated()``.
    private var unpopulated: (any SegmentStorage)?
    /// See ``note(_:)``.
    private var noted: DroppedRange?
    /// The newest segment whose name in the folder was flushed.
    private var lastNamed: UInt32
    private let root: String
    /// Whether the folders above the log's were flushed.
    private var isPathFlushed = false

    /// - Parameters:
    ///   - folder: the log's folder.
    ///   - root: the topmost folder above it that is ours.
    ///   - storage: where it lies.
    ///   - options: how it is laid out.
    ///   - lastSegment: the newest segment there is; 0 for none.
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

    /// Where the next record will start.
    var end: LogPosition {
        appender?.position ?? LogPosition(segment: lastSegment + 1, offset: UInt32(SegmentPreamble.size))
    }

    /// Whether the current segment has room; if not, ``roll(payload:sequence:origin:)`` comes first.
    func fits(_ payload: Int) -> Bool {
        appender?.fits(payload: payload) ?? false
    }

    /// Something did not fit below the mark. True when that is because half of the segment has been filled: the next one can
    /// be made ahead of need.
    mutating func passMark() -> Bool {
        appender?.passMark() ?? false
    }

    /// Whether the current segment is plain and has room, and nobody need be told how full it is; see ``passMark()``.
    @inline(__always)
    func fitsPlain(_ payload: Int) -> Bool {
        appender?.fitsPlain(payload: payload) ?? false
    }

    /// Appends to the current segment, which is plain and has room.
    @inline(__always)
    mutating func appendPlain(_ header: FrameHeader, payload: UnsafeRawBufferPointer, payloadChecksum: UInt32) {
        appender?.appendPlain(header, payload: payload, payloadChecksum: payloadChecksum)
    }

    /// Appends to the current segment, which has room.
    ///
    /// - Returns: false when it could not be encrypted; then nothing was written.
    mutating func append(_ header: FrameHeader, payload: UnsafeRawBufferPointer, payloadChecksum: UInt32) -> Bool {
        appender?.append(header, payload: payload, payloadChecksum: payloadChecksum) ?? false
    }

    /// Appends a small record of the log's own, its checksum computed here; the segment has room.
    mutating func append(kind: FrameKind, _ payload: [UInt8], sequence: UInt64, context: UInt32 = 0) {
        payload.withUnsafeBytes { bytes in
            let header = FrameHeader(kind: kind, payload: bytes.count, sequence: sequence, context: context)
            // One that cannot be encrypted is missing; events stand without it.
            _ = appender?.append(header, payload: bytes, payloadChecksum: Checksum.payload(bytes))
        }
    }

    /// Starts the next segment and completes the current one.
    ///
    /// The new one is made first: when there is no space for it, the current one stays as it is and may still take a
    /// smaller record.
    ///
    /// - Parameters:
    ///   - payload: bytes the next record needs, records that open the segment included.
    ///   - sequence: the last sequence number written so far.
    ///   - origin: what the segment says about its writer, the content of its first record.
    mutating func roll(payload: Int, sequence: UInt64, origin: [UInt8]) throws(StorageError) {
        let number = lastSegment + 1
        // The origin's frame, the next record's, the context's and the seal's become longer where they are encrypted.
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
            // The first one is begun by an app that starts, and mostly for later. Any other is filled at once: making its pages ready
            // together costs less than meeting them one by one.
            unpopulated = number == 1 ? file : nil
            if number > 1 { file.populate() }
        }
        let salt = Checksum.salt(folder: folder, segment: number)
        guard var next = SegmentAppender(number: number, file: file, salt: salt, encryptor: encryptor) else {
            throw StorageError(.other, operation: "map", path: path)
        }
        // Before the old segment is sealed: what waits in memory is noted somewhere at any moment.
        next.note(noted)
        if var old = appender {
            old.seal(sequence: sequence)
            retired.append(RetiredSegment(file: old.file, length: old.used))
            // Normally left to whoever keeps house, off the recording thread; bounded when nobody does.
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

    /// Notes which numbers are in memory only, where a reader finds it if this process is killed; nil when none is. Needs no
    /// space; without a segment there is no place for it.
    mutating func note(_ range: DroppedRange?) {
        noted = range
        appender?.note(range)
    }

    /// Leaves everything behind, as it is: the folder was made anew and holds nothing of it.
    mutating func startOver() {
        appender = nil
        spare = nil
        unpopulated = nil
        retired = []
        firstUnsynchronized = lastSegment + 1
        lastNamed = lastSegment
        isPathFlushed = false
    }

    /// Completes the current segment; nothing can be appended until the next ``roll(payload:sequence:origin:)``.
    ///
    /// - Parameters:
    ///   - sequence: the last sequence number accounted for.
    ///   - lost: numbers that could not be written.
    mutating func close(sequence: UInt64, lost: DroppedRange? = nil) {
        for segment in takeRetired() { segment.finish() }
        if spare != nil {
            spare = nil
            do {
                try storage.remove(folder + "/" + SegmentName.spare)
            } catch {
                // It goes with the folder.
            }
        }
        unpopulated = nil
        guard var last = appender else { return }
        appender = nil
        last.seal(sequence: sequence, lost: lost)
        RetiredSegment(file: last.file, length: last.used).finish()
    }

    // MARK: Keeping house, off the recording thread

    /// Where the next segment is to be made ahead of need, and how large; nil when there is no need yet.
    func spareWanted() -> (path: String, bytes: Int)? {
        guard spare == nil, let appender, appender.isPastMark else { return nil }
        return (folder + "/" + SegmentName.spare, segmentBytes)
    }

    /// Takes a segment made ahead of need; false when there is one already.
    mutating func offerSpare(_ file: any SegmentStorage) -> Bool {
        guard spare == nil, appender != nil else { return false }
        spare = file
        return true
    }

    /// Hands out the current segment, once, when it was not made ahead of need: its pages are still to be made ready.
    mutating func takeUnpopulated() -> (any SegmentStorage)? {
        defer { unpopulated = nil }
        return unpopulated
    }

    /// Hands out the complete segments whose unused space is still to be given back.
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

    /// What must be flushed to make everything appended so far survive power loss.
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

    /// A flush plan was carried out.
    mutating func flushed(_ plan: LogFlushPlan) {
        // The current segment stays on the list: it will be written to again.
        firstUnsynchronized = max(firstUnsynchronized, plan.currentNumber)
        lastNamed = max(lastNamed, plan.currentNumber)
        isPathFlushed = true
    }

    /// A flush plan failed: flushing the segments it names again would prove nothing, so that is never done.
    mutating func flushFailed(_ plan: LogFlushPlan) {
        firstUnsynchronized = max(firstUnsynchronized, plan.currentNumber + 1)
    }
}

/// A complete segment whose unused space is still to be given back.
struct RetiredSegment: Sendable {
    let file: any SegmentStorage
    let length: Int

    func finish() {
        do {
            try file.finish(length: length)
        } catch {
            // Every record is in place, and readers stop at the seal: only space was not given back.
        }
    }
}

/// How a log is laid out on disk.
public struct LogOptions: Sendable, Hashable {
    /// Bytes reserved for each segment. Larger segments roll less often; smaller ones give space back sooner.
    /// At least 4 KiB, at most 1 GiB; 1 MiB unless told otherwise.
    public var segmentBytes: Int

    /// Makes the options.
    public init(segmentBytes: Int = 1 << 20) {
        self.segmentBytes = min(max(segmentBytes, 4096), 1 << 30)
    }
}
