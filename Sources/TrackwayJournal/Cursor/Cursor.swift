// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// How far one destination has come in one writer's log, and what became of everything before.
///
/// Invariant, checked by ``isBalanced``: every sequence number from ``base`` up to, not including, ``next`` was
/// delivered, dropped for a reason, or addressed to other destinations.
struct Cursor: Sendable, Hashable {
    /// Where reading goes on.
    var position = LogPosition.start
    /// The first sequence number this destination is accountable for.
    var base: UInt64 = 1
    /// The first sequence number that is not settled yet.
    var next: UInt64 = 1
    /// Events the destination accepted.
    var delivered: UInt64 = 0
    /// How many of those were changed on their way, by rules of the destination's.
    var changed: UInt64 = 0
    /// Events addressed to other destinations only.
    var skipped: UInt64 = 0
    /// Events given up, by reason.
    var dropped: [DropReason: UInt64] = [:]
    /// The release mark of a queue: the first sequence number not released to delivery; nil before the first transfer.
    /// What the cursor has passed is settled, wherever the mark stands.
    var mark: UInt64?
    /// Losses the destination has not been told of yet.
    var unreported = DroppedRanges()
    /// Numbers for other destinations that this one has not been told of yet.
    var untoldSkips = SkippedRanges()
    /// Whether the events wait for the app itself, which reads them back and removes them; see ``JournalSnapshot``. It stands in
    /// the file, so that no process trims them by age that does not know the destination.
    var isKept = false

    /// Whether the destination is to be told soon of events that were lost.
    var owesLosses: Bool { unreported.ranges.contains { !$0.reason.isByRule } }
    /// Whether the destination misses numbers that it is told when that costs least: they were for others, or its own rules
    /// left them out. One that never heard of the writer misses nothing: it need not hear that all of its events were for
    /// others.
    var owesSkips: Bool { firstOmitted != nil && isHeardOf }
    /// The first number of those; nil when there is none.
    var firstOmitted: UInt64? {
        let omitted = unreported.ranges.first { $0.reason.isByRule }?.sequences.lowerBound
        guard let skipped = untoldSkips.ranges.first?.lowerBound else { return omitted }
        return min(omitted ?? skipped, skipped)
    }
    /// Whether so many ranges wait to be told that more might not be remembered.
    var isFullOfUntold: Bool {
        unreported.ranges.count >= DroppedRanges.limit / 2 || untoldSkips.ranges.count >= SkippedRanges.limit / 2
    }
    private var isHeardOf: Bool {
        delivered > 0 || dropped.keys.contains { !$0.isByRule }
            || droppedTotal > unreported.ranges.reduce(0) { $0 + UInt64($1.sequences.count) }
    }
    var droppedTotal: UInt64 { dropped.values.reduce(0, +) }
    var isBalanced: Bool { next - base == delivered + skipped + droppedTotal }

    /// The first sequence number of a queue that may wait for a transfer.
    var firstWaiting: UInt64 { max(next, mark ?? base) }

    /// How many numbers lie between the cursor and its mark.
    var released: UInt64 {
        let mark = mark ?? base
        return mark > next ? mark - next : 0
    }

    /// Counts numbers that are given up.
    ///
    /// - Parameter isTold: true when the destination learns of them with the request that is being settled.
    mutating func drop(_ ranges: [DroppedRange], isTold: Bool) {
        for range in ranges {
            dropped[range.reason, default: 0] += UInt64(range.sequences.count)
            if !isTold { unreported.insert(range) }
        }
    }

    /// Counts numbers that are for other destinations; see ``drop(_:isTold:)``.
    mutating func skip(_ ranges: [ClosedRange<UInt64>], isTold: Bool) {
        for range in ranges {
            skipped += UInt64(range.count)
            if !isTold { untoldSkips.insert(range) }
        }
    }

    /// Moves on, over numbers that are all counted.
    mutating func advance(to next: UInt64, at position: LogPosition) {
        self.next = next
        self.position = position
        assert(isBalanced, "every number before the cursor is accounted for")
    }
}

extension Cursor {
    /// A cursor of a destination that is accountable from a number on.
    init(at position: LogPosition, next: UInt64) {
        self.position = position
        base = next
        self.next = next
    }

    /// A cursor of a destination that was added when a log had been begun: what came before was for others, and the
    /// destination is told so.
    init(addedAt position: LogPosition, next: UInt64) {
        self.init(at: position, next: next)
        if next > 1 { untoldSkips.insert(1...(next - 1)) }
    }

    /// A cursor in place of a damaged one, before the oldest event that is left.
    ///
    /// What became of those before cannot be told apart any more. They count as damaged, though most were delivered: a
    /// count that was once given does not shrink, and no loss is called a delivery.
    init(forgottenBefore first: UInt64) {
        next = first
        if first > base { dropped[.damaged] = first - base }
    }

    /// The file's bytes. They name writer and destination, so that the file proves itself in its place only.
    func fileBytes(of writer: WriterID, for destination: DestinationID) -> [UInt8] {
        var lines = CheckedLines()
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
        if isKept { lines.add("kept", 1) }
        for (reason, count) in dropped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.add("dropped", "\(count) \(reason.rawValue)")
        }
        for range in unreported.ranges {
            lines.add("unreported", DroppedRanges.text(of: range))
        }
        for range in untoldSkips.ranges { lines.add("untold-skip", SkippedRanges.text(of: range)) }
        return lines.bytes
    }

    /// Reads the file; nil when it is damaged, or another writer's or destination's.
    ///
    /// Files of before the names were in it (`cursor 1`) are taken for what their place says.
    init?(fileBytes bytes: [UInt8], of writer: WriterID, for destination: DestinationID) {
        guard let lines = CheckedLines(bytes), let place = lines["position"].flatMap(LogPosition.init),
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
        isKept = lines.number("kept") == 1
        for line in lines.all("dropped") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let count = UInt64(parts[0]) else { return nil }
            dropped[DropReason(rawValue: String(parts[1]))] = count
        }
        for line in lines.all("unreported") {
            guard let range = DroppedRanges.range(from: line) else { return nil }
            unreported.insert(range)
        }
        for line in lines.all("untold-skip") {
            guard let range = SkippedRanges.range(from: line) else { return nil }
            untoldSkips.insert(range)
        }
    }
}

/// The cursor files in a writer's folder.
enum CursorFile {
    /// How often a file is looked at that seems damaged, while it changes.
    private static let maxLooks = 4

    /// A destination's cursor; nil when it has none yet. A damaged file counts as none: reading then starts again at the
    /// oldest record kept, and the receiving end recognises what it has already.
    ///
    /// Whoever delivers may be writing over the file: what seems damaged is read again, until it stays as it is.
    static func load(
        _ writer: WriterID,
        _ destination: DestinationID,
        _ folder: JournalFolder,
        _ storage: any JournalStorage
    ) throws(StorageError) -> Cursor? {
        let path = folder.cursor(writer, destination)
        var former: [UInt8]?
        for _ in 0..<maxLooks {
            guard let bytes = try storage.contents(of: path) else { return nil }
            if let cursor = Cursor(fileBytes: bytes, of: writer, for: destination) { return cursor }
            if bytes == former { return nil }
            former = bytes
        }
        return nil
    }

    /// The destinations that have a cursor in a writer's folder.
    static func destinations(
        of writer: WriterID,
        _ folder: JournalFolder,
        _ storage: any JournalStorage
    ) throws(StorageError) -> [DestinationID] {
        destinations(among: try storage.names(in: folder.writer(writer)))
    }

    /// The destinations that have a cursor among the names of a writer's files.
    static func destinations(among names: [String]) -> [DestinationID] {
        names.compactMap { name in
            guard name.hasPrefix(JournalFolder.cursorPrefix) else { return nil }
            // A file that is just being written has no destination's name.
            return DestinationID(String(name.dropFirst(JournalFolder.cursorPrefix.count)))
        }
    }
}
