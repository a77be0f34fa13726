// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// One destination's position in one writer's log, with counts of everything before it.
///
/// Invariant, checked by ``isBalanced``: every sequence number from ``base`` up to but not including ``next`` was
/// delivered, dropped for a reason, or addressed to other destinations.
struct Cursor: Sendable, Equatable {
    /// The position at which reading continues.
    var position = LogPosition.start
    /// The first sequence number for which this destination is accountable.
    var base: UInt64 = 1
    /// The first sequence number that is not settled yet.
    var next: UInt64 = 1
    /// The number of events that the destination accepted.
    var delivered: UInt64 = 0
    /// The number of delivered events that the destination's rules changed.
    var changed: UInt64 = 0
    /// The number of events addressed only to other destinations.
    var skipped: UInt64 = 0
    /// The number of dropped events, by reason.
    var dropped: [DropReason: UInt64] = [:]
    /// The release mark of a queue: the first sequence number not released to delivery.
    ///
    /// Nil before the first transfer. Numbers before the cursor are settled, regardless of the mark.
    var mark: UInt64?
    /// Losses not yet reported to the destination.
    var unreportedLosses = DroppedRanges()
    /// Sequence numbers for other destinations, not yet reported to this destination.
    var unreportedSkips = SkippedRanges()
    /// Whether the app itself reads and removes the destination's events.
    ///
    /// See ``JournalSnapshot``. The flag is stored in the cursor file, so that a process that does not know the
    /// destination does not trim the destination's events by age.
    var isAppManaged = false

    /// Whether lost events are due to be reported to the destination soon.
    var hasReportableLosses: Bool { unreportedLosses.ranges.contains { !$0.reason.isCausedByRule } }
    /// Whether the destination has gaps whose report can wait for an event.
    ///
    /// The numbers in these gaps were for other destinations, or the destination's own rules omitted them. A
    /// destination that has never received anything about the writer has no such gaps, because it need not know that
    /// all of the writer's events were for other destinations.
    var hasReportableSkips: Bool { firstOmitted != nil && hasReceivedAny }
    /// The first omitted or skipped number not yet reported; nil if none.
    var firstOmitted: UInt64? {
        let omitted = unreportedLosses.ranges.first { $0.reason.isCausedByRule }?.sequences.lowerBound
        guard let skipped = unreportedSkips.ranges.first?.lowerBound else { return omitted }
        return min(omitted ?? skipped, skipped)
    }
    /// Whether the unreported losses or skips reach half of their limit.
    ///
    /// Beyond the limit, the oldest ranges are discarded.
    var isNearRangeLimit: Bool {
        unreportedLosses.ranges.count >= DroppedRanges.limit / 2
            || unreportedSkips.ranges.count >= SkippedRanges.limit / 2
    }
    private var hasReceivedAny: Bool {
        delivered > 0 || dropped.keys.contains { !$0.isCausedByRule }
            || droppedTotal > unreportedLosses.ranges.reduce(0) { $0 + UInt64($1.sequences.count) }
    }
    var droppedTotal: UInt64 { dropped.values.reduce(0, +) }
    var isBalanced: Bool { next - base == delivered + skipped + droppedTotal }

    /// The first sequence number of a queue that may be waiting for a transfer.
    var firstWaiting: UInt64 { max(next, mark ?? base) }

    /// The number of sequence numbers between the cursor and its release mark.
    var released: UInt64 {
        let mark = mark ?? base
        return mark > next ? mark - next : 0
    }

    /// Counts numbers as dropped.
    ///
    /// - Parameter isReported: true when the request being settled reports the ranges to the destination.
    mutating func drop(_ ranges: [DroppedRange], isReported: Bool) {
        for range in ranges {
            dropped[range.reason, default: 0] += UInt64(range.sequences.count)
            if !isReported { unreportedLosses.insert(range) }
        }
    }

    /// Counts the sequence numbers of events addressed to other destinations; see ``drop(_:isReported:)``.
    mutating func skip(_ ranges: [ClosedRange<UInt64>], isReported: Bool) {
        for range in ranges {
            skipped += UInt64(range.count)
            if !isReported { unreportedSkips.insert(range) }
        }
    }

    /// Advances the cursor over numbers that are all counted.
    mutating func advance(to next: UInt64, at position: LogPosition) {
        self.next = next
        self.position = position
        assert(isBalanced, "every number before the cursor must be accounted for")
    }
}

extension Cursor {
    /// Creates a cursor for a destination that is accountable from `next` on.
    init(at position: LogPosition, next: UInt64) {
        self.position = position
        base = next
        self.next = next
    }

    /// Creates a cursor for a destination that was added to an existing log.
    ///
    /// Earlier numbers were for other destinations, and are reported to this destination as skipped.
    init(addedAt position: LogPosition, next: UInt64) {
        self.init(at: position, next: next)
        if next > 1 { unreportedSkips.insert(1...(next - 1)) }
    }

    /// Creates a replacement for a damaged cursor, before the oldest remaining event.
    ///
    /// The outcomes of earlier events can no longer be distinguished. These events count as damaged, although most
    /// were delivered: reported counts must not shrink, and a loss must not count as a delivery.
    init(damagedBefore first: UInt64) {
        next = first
        if first > base { dropped[.damaged] = first - base }
    }

    /// Returns the contents of the cursor file.
    ///
    /// The contents include the writer and the destination, so that the file is valid only at its own path.
    func fileBytes(of writer: WriterID, for destination: DestinationID) -> [UInt8] {
        var lines = ChecksummedKeyValueFile()
        lines.add("cursor", 2)
        lines.add("writer", writer)
        lines.add("destination", destination)
        lines.add("position", position)
        lines.add("base", base)
        lines.add("next", next)
        lines.add("delivered", delivered)
        lines.add("skipped", skipped)
        if changed > 0 { lines.add("changed", changed) }
        if let mark { lines.add("released", mark) }
        if isAppManaged { lines.add("kept", 1) }
        for (reason, count) in dropped.ordered(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.add("dropped", "\(count) \(reason.rawValue)")
        }
        for range in unreportedLosses.ranges {
            lines.add("unreported", DroppedRanges.text(of: range))
        }
        for range in unreportedSkips.ranges { lines.add("untold-skip", SkippedRanges.text(of: range)) }
        return lines.bytes
    }

    /// Parses a cursor file.
    ///
    /// Nil when the file is damaged, or belongs to another writer or destination. Older files (`cursor 1`), which
    /// contain neither the writer nor the destination, are accepted at any path.
    init?(fileBytes bytes: [UInt8], of writer: WriterID, for destination: DestinationID) {
        guard let lines = ChecksummedKeyValueFile(bytes), let place = lines["position"].flatMap(LogPosition.init),
            let base = lines.number("base"), let next = lines.number("next"),
            let delivered = lines.number("delivered"), let skipped = lines.number("skipped"), base <= next
        else { return nil }
        let isNamed = lines.number("cursor").map { $0 >= 2 } ?? false
        guard !isNamed || (lines["writer"] == writer.description && lines["destination"] == destination.rawValue)
        else { return nil }
        position = place
        self.base = base
        self.next = next
        self.delivered = delivered
        self.skipped = skipped
        changed = lines.number("changed") ?? 0
        if let text = lines["released"] {
            guard let mark = UInt64(text) else { return nil }
            self.mark = mark
        }
        isAppManaged = lines.number("kept") == 1
        for line in lines.all("dropped") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let count = UInt64(parts[0]) else { return nil }
            dropped[DropReason(rawValue: String(parts[1]))] = count
        }
        for line in lines.all("unreported") {
            guard let range = DroppedRanges.range(from: line) else { return nil }
            unreportedLosses.insert(range)
        }
        for line in lines.all("untold-skip") {
            guard let range = SkippedRanges.range(from: line) else { return nil }
            unreportedSkips.insert(range)
        }
    }
}

/// The cursor files in a writer's folder.
enum CursorFile {
    /// The maximum number of reads of a file that appears damaged while it changes.
    private static let maxReads = 4

    /// Returns a destination's cursor; nil if it is missing or damaged.
    ///
    /// A damaged file counts as missing: reading then restarts at the oldest stored record, and the back end
    /// recognizes events it already has. The delivering process may be overwriting the file, so a file that appears
    /// damaged is reread until it stops changing, at most `maxReads` times.
    static func load(
        _ writer: WriterID,
        _ destination: DestinationID,
        _ folder: JournalFolder,
        _ storage: any JournalStorage
    ) throws(StorageError) -> Cursor? {
        let path = folder.cursor(writer, destination)
        var former: [UInt8]?
        for _ in 0..<maxReads {
            guard let bytes = try storage.contents(of: path) else { return nil }
            if let cursor = Cursor(fileBytes: bytes, of: writer, for: destination) { return cursor }
            if bytes == former { return nil }
            former = bytes
        }
        return nil
    }

    /// Returns the destinations that have a cursor in a writer's folder.
    static func destinations(
        of writer: WriterID,
        _ folder: JournalFolder,
        _ storage: any JournalStorage
    ) throws(StorageError) -> [DestinationID] {
        destinations(among: try storage.names(in: folder.writer(writer)))
    }

    /// Returns the destinations that have a cursor among the names of a writer's files.
    static func destinations(among names: [String]) -> [DestinationID] {
        names.compactMap { name in
            guard name.hasPrefix(JournalFolder.cursorPrefix) else { return nil }
            // A file that is still being written has a temporary name, which is not a valid destination ID.
            return DestinationID(String(name.dropFirst(JournalFolder.cursorPrefix.count)))
        }
    }
}
