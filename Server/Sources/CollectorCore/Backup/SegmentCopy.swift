// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal

/// Copies a segment of the intake log while the collector may be writing to it.
struct SegmentCopy: Sendable {
    /// The bytes up to the end of the last record, without unused space.
    let bytes: [UInt8]
    let segment: BackupSegment

    /// Reads a segment; nil if it was removed or contains nothing yet.
    ///
    /// - Parameters:
    ///   - number: The segment's number.
    ///   - folder: The folder of the log.
    ///   - isNewest: Whether records may still be appended. A partly written record at the end is then left out.
    init?(_ number: UInt32, in folder: String, isNewest: Bool, _ storage: any JournalStorage) throws {
        let start = LogPosition(segment: number, offset: 0)
        var reader = LogReader(folder: folder, storage: storage, from: start, isComplete: !isNewest)
        var records = 0
        var end: LogPosition?
        var lastBatch: LogPosition?
        while let entry = try reader.next(), entry.start.segment == number {
            end = entry.end
            // Lower kinds are the log's own.
            guard entry.kind.rawValue >= FrameKind.intake.rawValue else { continue }
            records += 1
            if entry.kind == .intake || entry.kind == .quarantine { lastBatch = entry.start }
        }
        guard var bytes = try storage.wholeContents(of: folder + "/" + Self.name(number)) else { return nil }
        if isNewest {
            guard let end else { return nil }
            bytes.removeLast(max(0, bytes.count - Int(end.offset)))
        } else {
            // The seal and damaged bytes are kept; only unused space is left out.
            let used = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
            let length = max((used + 7) & ~7, Int(end?.offset ?? 0))
            bytes.removeLast(max(0, bytes.count - length))
        }
        self.bytes = bytes
        segment = BackupSegment(
            records: records,
            damaged: reader.damage.gaps + reader.damage.tornTails,
            end: end ?? LogPosition(segment: number, offset: 0),
            lastReceived: try lastBatch.flatMap { try Self.received($0, in: folder, storage) },
            isOpen: isNewest
        )
    }

    /// Returns when the batch at a position arrived; nil if that cannot be read.
    private static func received(
        _ position: LogPosition,
        in folder: String,
        _ storage: any JournalStorage
    ) throws -> Timestamp? {
        var reader = LogReader(folder: folder, storage: storage, from: position)
        guard let entry = try reader.next(), entry.start == position else { return nil }
        return reader.withPayload(of: entry) { payload in
            let end = payload.firstIndex(of: UInt8(ascii: "\n")) ?? payload.count
            // A header that cannot be parsed has no time; the record itself is copied unchanged.
            let header = try? JSONValue.parse(UnsafeRawBufferPointer(rebasing: payload[..<end]))
            return header?["received"]?.integer.map { Timestamp(milliseconds: $0) }
        }
    }

    private static let suffix = ".segment"

    /// Returns a segment's file name.
    static func name(_ number: UInt32) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits + suffix
    }

    /// Returns the number of the segment with a path in the collector's folder; nil for other files.
    static func number(ofPath path: String) -> UInt32? {
        guard path.hasPrefix(BackupWriter.logPrefix), path.hasSuffix(suffix) else { return nil }
        return UInt32(path.dropFirst(BackupWriter.logPrefix.count).dropLast(suffix.count))
    }
}
