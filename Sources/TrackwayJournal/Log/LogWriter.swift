// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The writing end of a log: the current segment and how to get the next. A value; its owner holds a lock around it.
struct LogWriter: Sendable {
    let folder: String
    let storage: any JournalStorage
    private let segmentBytes: Int
    private(set) var appender: SegmentAppender?
    /// The newest segment's number; 0 before the first.
    private(set) var lastSegment: UInt32
    /// The first segment that was not flushed to stable storage as a whole.
    private(set) var firstUnsynchronized: UInt32
    /// The newest segment whose name in the folder was flushed.
    private var lastNamed: UInt32

    init(folder: String, storage: any JournalStorage, options: LogOptions, lastSegment: UInt32) {
        self.folder = folder
        self.storage = storage
        segmentBytes = options.segmentBytes
        self.lastSegment = lastSegment
        firstUnsynchronized = lastSegment + 1
        lastNamed = lastSegment
    }

    /// Where the next record will start.
    var end: LogPosition {
        appender?.position ?? LogPosition(segment: lastSegment + 1, offset: UInt32(SegmentPreamble.size))
    }

    /// Whether the current segment has room; if not, ``roll(payload:sequence:origin:)`` comes first.
    @inline(__always)
    func fits(_ payload: Int) -> Bool {
        appender?.fits(payload: payload) ?? false
    }

    /// Appends to the current segment, which has room.
    @inline(__always)
    mutating func append(_ header: FrameHeader, payload: UnsafeRawBufferPointer, payloadChecksum: UInt32) {
        appender?.append(header, payload: payload, payloadChecksum: payloadChecksum)
    }

    /// Appends a small record, its checksum computed here; the segment has room.
    mutating func append(kind: FrameKind, _ payload: [UInt8], sequence: UInt64, context: UInt32 = 0) {
        payload.withUnsafeBytes { bytes in
            let header = FrameHeader(kind: kind, payload: bytes.count, sequence: sequence, context: context)
            appender?.append(header, payload: bytes, payloadChecksum: Checksum.payload(bytes))
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
        let opening = SegmentPreamble.size + FrameHeader.stride(payload: origin.count) + 2 * FrameHeader.size
        let bytes = max(segmentBytes, opening + FrameHeader.stride(payload: payload) + 64)
        let path = SegmentName.path(folder, number)
        let file = try storage.makeSegment(path, bytes: bytes)
        let salt = Checksum.salt(folder: folder, segment: number)
        guard let next = SegmentAppender(number: number, file: file, salt: salt) else {
            throw StorageError(.other, operation: "map", path: path)
        }
        if var old = appender {
            do {
                try old.seal(sequence: sequence)
            } catch {
                // Only the giving back of unused space failed: every record is in place, and readers stop at the seal.
            }
        }
        appender = next
        lastSegment = number
        append(kind: .origin, origin, sequence: sequence)
    }

    /// Completes the current segment; nothing can be appended until the next ``roll(payload:sequence:origin:)``.
    mutating func close(sequence: UInt64) {
        guard var last = appender else { return }
        appender = nil
        do {
            try last.seal(sequence: sequence)
        } catch {
            // As in `roll`: the records are in place.
        }
    }

    /// What must be flushed to make everything appended so far survive power loss.
    func flushPlan() -> LogFlushPlan {
        LogFlushPlan(
            folder: folder,
            storage: storage,
            finished: firstUnsynchronized < lastSegment ? firstUnsynchronized..<lastSegment : nil,
            current: appender?.file,
            currentNumber: lastSegment,
            isFolderStale: lastNamed < lastSegment
        )
    }

    /// A flush plan was carried out.
    mutating func flushed(_ plan: LogFlushPlan) {
        // The current segment stays on the list: it will be written to again.
        firstUnsynchronized = max(firstUnsynchronized, plan.currentNumber)
        lastNamed = max(lastNamed, plan.currentNumber)
    }
}
