// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Inspects an installation's folder without changing anything.
///
/// The inspector takes no lock and writes no file. It is safe to use while apps record and deliver; in that case, the
/// report shows a single point in time.
public struct JournalInspector: Sendable {
    private let folder: JournalFolder
    private let storage: any JournalStorage

    /// Creates an inspector for the installation in `folder`.
    public init(folder: String, storage: any JournalStorage = DiskStorage()) {
        self.folder = JournalFolder(folder)
        self.storage = storage
    }

    /// Reads the whole folder and returns a report.
    ///
    /// - Throws: ``JournalError`` if the journal does not exist or cannot be read.
    /// - Complexity: O(size of the journal).
    public func inspect() throws(JournalError) -> JournalReport {
        do {
            var report = JournalReport()
            let identity = try storage.contents(of: folder.installation)
            let names = try storage.names(in: folder.writers)
            guard identity != nil || !names.isEmpty else {
                throw JournalError(
                    .storage,
                    "\(folder.root) contains no journal; specify the folder that contains 'installation' and 'writers'"
                )
            }
            report.installation = identity.flatMap { ChecksummedKeyValueFile($0)?["installation"] }.flatMap {
                InstallationID($0)
            }
            let totals = try SettledTotals.load(folder, storage, of: report.installation)
            report.settled = Ledger(recorded: totals.recorded, destinations: totals.accounts)
            for id in names.compactMap({ WriterID($0) }).ordered() {
                report.writers.append(try writer(id))
            }
            var deadLetters = LogReader(folder: folder.deadLetters, storage: storage)
            while let entry = try deadLetters.next() {
                if entry.kind == .deadLetter { report.deadLetters += 1 }
            }
            return report
        } catch let error as JournalError {
            throw error
        } catch {
            throw JournalError(error as? StorageError ?? StorageError(.other, operation: "inspect", path: folder.root))
        }
    }

    /// Calls `body` with every intact record of a writer, in order.
    ///
    /// Stops when `body` returns false. The payload of an addressed event is passed without its route.
    public func records(
        of writer: WriterID,
        _ body: (_ record: LogEntry, _ payload: [UInt8], _ route: [DestinationID]) -> Bool
    ) throws(JournalError) {
        var reader = LogReader(folder: folder.writer(writer), storage: storage)
        while let entry = try reader.next() {
            let payload = reader.payload(of: entry)
            let routeLength = min(entry.routeLength ?? 0, payload.count)
            let route = String(decoding: payload.prefix(routeLength), as: UTF8.self)
                .split(separator: ",").compactMap { DestinationID($0) }
            if !body(entry, Array(payload.dropFirst(routeLength)), route) { return }
        }
    }

    /// Returns a writer's last event and the event's boot.
    ///
    /// Nil if the writer's log no longer contains an event. The event's monotonic time belongs to that boot.
    ///
    /// - Complexity: O(size of the writer's last segment); more only if that segment contains no event.
    package func lastEvent(of writer: WriterID) throws(JournalError) -> (payload: [UInt8], boot: String)? {
        let log = folder.writer(writer)
        let segments: [UInt32]
        do {
            segments = try SegmentName.all(in: log, storage)
        } catch {
            throw JournalError(error)
        }
        for number in segments.reversed() {
            let start = LogPosition(segment: number, offset: 0)
            var reader = LogReader(folder: log, storage: storage, from: start, isComplete: true)
            var boot = ""
            var last: LogEntry?
            while let entry = try reader.next(), entry.start.segment == number {
                if entry.kind == .origin { boot = SegmentOrigin(reader.payload(of: entry))?.boot ?? "" }
                if entry.kind == .event { last = entry }
            }
            guard let last else { continue }
            reader.seek(to: last.start)
            guard let entry = try reader.next(), entry.start == last.start else { return nil }
            return (Array(reader.payload(of: entry).dropFirst(entry.routeLength ?? 0)), boot)
        }
        return nil
    }

    private func writer(_ id: WriterID) throws -> JournalReport.Writer {
        var report = JournalReport.Writer(id: id)
        for number in try SegmentName.all(in: folder.writer(id), storage) {
            let bytes = try storage.size(of: SegmentName.path(folder.writer(id), number)) ?? 0
            report.segments.append(JournalReport.Segment(number: number, bytes: bytes))
        }
        do {
            try count(id, into: &report)
        } catch {
            report.problem = error.description
        }
        for destination in try CursorFile.destinations(of: id, folder, storage).ordered() {
            guard let cursor = try CursorFile.load(id, destination, folder, storage) else { continue }
            report.cursors.append(
                JournalReport.Position(
                    destination: destination,
                    position: cursor.position,
                    next: cursor.next,
                    delivered: cursor.delivered,
                    dropped: cursor.dropped,
                    skipped: cursor.skipped,
                    isBalanced: cursor.isBalanced
                )
            )
        }
        return report
    }

    private func count(_ id: WriterID, into report: inout JournalReport.Writer) throws(JournalError) {
        for index in report.segments.indices {
            let number = report.segments[index].number
            var reader = LogReader(
                folder: folder.writer(id),
                storage: storage,
                from: LogPosition(segment: number, offset: 0)
            )
            while let entry = try reader.next(), entry.start.segment == number {
                report.segments[index].damage = reader.damage
                report.segments[index].records += 1
                if entry.kind == .origin, let origin = SegmentOrigin(reader.payload(of: entry)) {
                    report.started = report.started ?? origin.begun.wall
                    report.boot = origin.boot
                }
                guard entry.kind == .event else { continue }
                report.segments[index].events += 1
                let first = report.segments[index].sequences?.lowerBound ?? entry.sequence
                report.segments[index].sequences = first...max(first, entry.sequence)
            }
            if reader.position.segment == number { report.segments[index].damage = reader.damage }
        }
    }
}

/// The contents of an installation's folder, as read by ``JournalInspector``.
public struct JournalReport: Sendable, Hashable {
    /// The installation; nil if its file is missing or damaged.
    public var installation: InstallationID?
    /// The installation's writers, oldest first.
    public var writers: [Writer] = []
    /// The number of dead letters kept for inspection.
    public var deadLetters = 0
    /// Counts of writers whose folders were removed.
    public var settled = Ledger()

    /// One process's part of the journal.
    public struct Writer: Sendable, Hashable {
        /// The writer.
        public var id: WriterID
        /// The wall-clock time at which the writer started.
        ///
        /// Nil if no segment contains the time anymore.
        public var started: Timestamp?
        /// The boot in which the writer ran.
        public var boot: String?
        /// The writer's segments, in order.
        public var segments: [Segment] = []
        /// Each destination's cursor in the writer's log.
        public var cursors: [Position] = []
        /// The reason the writer's log could not be read.
        ///
        /// Nil if the log was read.
        public var problem: String?
    }

    /// One file of records.
    public struct Segment: Sendable, Hashable {
        /// The segment's number, starting at 1.
        public var number: UInt32
        /// The file's size in bytes, including reserved space.
        public var bytes: Int
        /// The number of intact events in the segment.
        public var events = 0
        /// The number of intact records of any kind.
        public var records = 0
        /// The sequence numbers of the first and last events.
        ///
        /// Nil if none.
        public var sequences: ClosedRange<UInt64>?
        /// The damage that was skipped.
        public var damage = LogDamage()
    }

    /// One destination's cursor in a writer's log.
    public struct Position: Sendable, Hashable {
        /// The destination.
        public var destination: DestinationID
        /// The position at which reading continues.
        public var position: LogPosition
        /// The first unsettled sequence number.
        public var next: UInt64
        /// The number of events that the destination accepted.
        public var delivered: UInt64
        /// The number of dropped events, by reason.
        public var dropped: [DropReason: UInt64]
        /// The number of events addressed only to other destinations.
        public var skipped: UInt64
        /// Whether the cursor's counts are consistent.
        public var isBalanced: Bool
    }

    /// The number of intact events in all segments.
    public var events: Int { writers.flatMap(\.segments).reduce(0) { $0 + $1.events } }

    /// Whether any segment is damaged.
    public var isDamaged: Bool { writers.flatMap(\.segments).contains { !$0.damage.isEmpty } }
}
