// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

private import TrackwayCore

/// Replaces records in completed segments of a log.
///
/// A replacement has the length of the record that it replaces, so the positions of all records stay the same. Each
/// segment's file is replaced atomically: readers see either the old or the new records, even if the process is killed
/// or power fails. Only the log's owner may rewrite segments, one at a time.
public struct SegmentRewriter: Sendable {
    /// A record that replaces another one of the same length.
    public struct Replacement: Sendable, Hashable {
        /// The kind of the new record.
        public var kind: FrameKind
        /// The payload, exactly as long as the one it replaces.
        public var payload: [UInt8]

        /// Creates a replacement.
        public init(kind: FrameKind, payload: [UInt8]) {
            self.kind = kind
            self.payload = payload
        }
    }

    private let folder: String
    private let storage: any JournalStorage

    /// Creates a rewriter of the log in `folder`.
    public init(folder: String, storage: any JournalStorage = DiskStorage()) {
        self.folder = folder
        self.storage = storage
    }

    /// Returns the numbers of the segments before a position, ascending.
    ///
    /// - Throws: ``JournalError`` if the folder currently cannot be read.
    public func segments(before end: LogPosition) throws(JournalError) -> [UInt32] {
        do {
            return try SegmentName.all(in: folder, storage).filter { $0 < end.segment }
        } catch {
            throw JournalError(error)
        }
    }

    /// Returns the length of a segment's file; 0 if there is none.
    ///
    /// - Throws: ``JournalError`` if the storage cannot be read.
    public func bytes(of segment: UInt32) throws(JournalError) -> Int {
        do {
            return try storage.size(of: SegmentName.path(folder, segment)) ?? 0
        } catch {
            throw JournalError(error)
        }
    }

    /// Deletes files that a killed process left behind while it replaced a segment.
    ///
    /// Such a file contains a copy of the segment.
    ///
    /// - Throws: ``JournalError`` if a file cannot be deleted.
    public func removeUnfinishedFiles() throws(JournalError) {
        do {
            for name in try storage.names(in: folder) where name.contains("~") {
                try storage.remove(folder + "/" + name)
            }
        } catch {
            throw JournalError(error)
        }
    }

    /// Reads all intact records of a completed segment and replaces some of them.
    ///
    /// If nothing is replaced, the file stays unchanged.
    ///
    /// - Parameters:
    ///   - segment: the segment's number. No more records may be appended to it.
    ///   - replacement: returns a record's replacement; nil to keep the record.
    ///   - willReplace: called once before the file is replaced, and only if it will be. If it throws, the file stays
    ///     unchanged.
    /// - Returns: whether the file was replaced.
    /// - Throws: ``JournalError`` `storage`, in which case the segment's records are either all old or all new, or the
    ///   error of a closure.
    /// - Complexity: O(bytes of the segment), in time and in memory.
    public func rewrite(
        _ segment: UInt32,
        replacement: (LogEntry, UnsafeRawBufferPointer) throws -> Replacement?,
        willReplace: () throws -> Void
    ) throws -> Bool {
        var reader = LogReader(
            folder: folder,
            storage: storage,
            from: LogPosition(segment: segment, offset: 0),
            isComplete: true
        )
        var patches: [(offset: Int, bytes: [UInt8])] = []
        let salt = Checksum.salt(folder: folder, segment: segment)
        while let entry = try reader.next(), entry.start.segment == segment {
            guard
                let new = try reader.withPayload(of: entry, { bytes in Result { try replacement(entry, bytes) } }).get()
            else { continue }
            guard new.payload.count == entry.payloadLength, !entry.isEncrypted else {
                throw JournalError(
                    .tooLarge,
                    "the record at \(entry.start) has \(entry.payloadLength) bytes and cannot be replaced by one of "
                        + "\(new.payload.count)"
                )
            }
            patches.append((Int(entry.start.offset), Self.frame(new, replacing: entry, salt: salt)))
        }
        guard !patches.isEmpty else { return false }
        let path = SegmentName.path(folder, segment)
        guard var bytes = try storage.contents(of: path) else { return false }
        for patch in patches {
            bytes.replaceSubrange(patch.offset..<patch.offset + patch.bytes.count, with: patch.bytes)
        }
        try willReplace()
        do {
            try storage.replace(path, with: bytes, durably: true)
        } catch {
            throw JournalError(error)
        }
        return true
    }

    private static func frame(_ new: Replacement, replacing entry: LogEntry, salt: UInt32) -> [UInt8] {
        new.payload.withUnsafeBytes { payload in
            var header = FrameHeader(
                kind: new.kind,
                payload: payload.count,
                sequence: entry.sequence,
                context: entry.context
            )
            header.checksum = Checksum.frame(header, payload: Checksum.payload(payload), salt: salt)
            var bytes: [UInt8] = []
            bytes.reserveCapacity(FrameHeader.size + payload.count)
            for word in [header.length.littleEndian, header.checksum.littleEndian] {
                withUnsafeBytes(of: word) { bytes += $0 }
            }
            for word in [header.sealedWords.0.littleEndian, header.sealedWords.1.littleEndian] {
                withUnsafeBytes(of: word) { bytes += $0 }
            }
            return bytes + payload
        }
    }
}
