// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Reads one destination's unsettled events from one writer's log, with gaps and contexts.
struct BatchReader: Sendable {
    /// The limits of one read.
    struct Limits: Sendable, Equatable {
        var events: Int
        var bytes: Int
        /// The last segment to read; nil for all.
        var throughSegment: UInt32?
        /// The sequence number of the last event to read; nil for all.
        var throughSequence: UInt64?
    }

    /// The records and gaps that one read found.
    struct RecordSlice: Sendable {
        var records: [EventBatch.Record] = []
        var contexts: [EventBatch.Context] = []
        var bytes: [UInt8] = []
        var ends: [LogPosition] = []
        var dropped: [DroppedRange] = []
        var skipped: [ClosedRange<UInt64>] = []
        /// The indices of the records that the filter changed, ascending.
        var changed: [Int] = []
        /// Where reading continues.
        var end: LogPosition
        /// The first sequence number after this slice.
        var next: UInt64
        /// True when the next event must not be sent yet.
        var isHeld = false
        /// The unreleased event at which reading stopped; nil if none.
        var waiting: UInt64?
        /// True when more can be read immediately, even if this slice contains no events.
        var isCut = false

        /// Adds an event that will never be sent.
        mutating func drop(_ sequence: UInt64, _ reason: DropReason) {
            if let last = dropped.last, last.reason == reason, last.sequences.upperBound + 1 == sequence {
                dropped[dropped.count - 1] = DroppedRange(
                    sequences: last.sequences.lowerBound...sequence,
                    reason: reason
                )
            } else {
                dropped.append(DroppedRange(sequences: sequence...sequence, reason: reason))
            }
        }

        mutating func skip(_ sequence: UInt64) {
            if let last = skipped.last, last.upperBound + 1 == sequence {
                skipped[skipped.count - 1] = last.lowerBound...sequence
            } else {
                skipped.append(sequence...sequence)
            }
        }
    }

    private var reader: LogReader
    private let destination: DestinationID
    private var contexts: [UInt32: [UInt8]] = [:]
    /// The highest sequence number found in any record so far.
    private var lastSeen: UInt64 = 0
    /// Losses recorded by the writer itself that the reader has not passed yet.
    private var recordedLosses: [DroppedRange] = []
    /// The known reasons for missing segments.
    ///
    /// See ``GapFile``.
    private var gaps: [DroppedRange] = []
    private let folder: String
    private let storage: any JournalStorage

    /// Creates a reader that starts at a cursor.
    ///
    /// The contexts in effect at that position are read from the segment's start.
    ///
    /// - Parameter boot: the boot this process runs in, if known.
    init(
        folder: String,
        storage: any JournalStorage,
        destination: DestinationID,
        from position: LogPosition,
        isComplete: Bool,
        boot: String = ""
    ) throws(JournalError) {
        self.destination = destination
        self.folder = folder
        self.storage = storage
        reader = LogReader(
            folder: folder,
            storage: storage,
            from: LogPosition(segment: position.segment, offset: 0),
            isComplete: isComplete
        )
        reader.boot = boot
        guard position.offset > UInt32(SegmentPreamble.size) else { return }
        while reader.position < position, reader.position.segment == position.segment, let entry = try reader.next() {
            if entry.start >= position {
                reader.seek(to: entry.start)
                return
            }
            lastSeen = max(lastSeen, entry.sequence)
            remember(entry)
        }
    }

    var position: LogPosition { reader.position }

    var isComplete: Bool {
        get { reader.isComplete }
        set { reader.isComplete = newValue }
    }

    /// The maximum number of loss ranges in one read.
    ///
    /// The limit bounds memory use, regardless of how much of the log is skipped.
    private static let maxRanges = 1024
    /// The maximum number of loss ranges in one read with a filter.
    ///
    /// A filter may drop individual events. The gaps that a batch reports must be remembered in case the batch is
    /// rejected.
    private static let maxFilteredRanges = DroppedRanges.limit / 2

    /// Continues reading where the last read ended.
    ///
    /// - Parameters:
    ///   - next: the first unsettled sequence number.
    ///   - rules: what may be sent, and in which form. Admission is evaluated once for each context.
    ///   - mark: the first sequence number that is not released. From that number on, reading stops before the
    ///     destination's first event and skips events for other destinations. Nil when everything is released.
    mutating func read(
        next: UInt64,
        _ limits: Limits,
        by rules: SendingRules = SendingRules(),
        releasedBefore mark: UInt64? = nil
    ) throws(JournalError) -> RecordSlice {
        var admissions = AdmissionCache(rules.admission)
        var filter = rules.filter
        let maxRanges = filter == nil ? Self.maxRanges : Self.maxFilteredRanges
        var slice = RecordSlice(end: reader.position, next: next)
        slice.records.reserveCapacity(min(limits.events, 1024))
        slice.ends.reserveCapacity(min(limits.events, 1024))
        var lastContext: UInt32?
        while true {
            let tornBefore = reader.damage.tornTails
            guard let entry = try reader.next() else {
                // Use the torn record's own sequence number so that all readers agree on it.
                if reader.damage.tornTails > tornBefore { try explain(upTo: lastSeen + 2, in: &slice) }
                // Nothing more will be read from a dead writer's log, and there may be many such logs.
                if isComplete { reader.releaseWindow() }
                break
            }
            lastSeen = max(lastSeen, entry.sequence)
            if let bound = limits.throughSegment, entry.start.segment > bound {
                // Missing numbers before this record belong to the segments up to the bound.
                if entry.kind == .origin { try explain(upTo: entry.sequence + 1, in: &slice) }
                reader.seek(to: LogPosition(segment: entry.start.segment, offset: 0))
                slice.end = reader.position
                return slice
            }
            guard entry.kind == .event else {
                remember(entry)
                if entry.kind == .origin || entry.kind == .dropped {
                    try explain(upTo: entry.sequence + 1, in: &slice)
                }
                slice.end = entry.end
                continue
            }
            guard entry.sequence >= slice.next else {
                slice.end = entry.end
                continue
            }
            if let bound = limits.throughSequence, entry.sequence > bound {
                try explain(upTo: bound + 1, in: &slice)
                reader.seek(to: entry.start)
                slice.end = reader.position
                return slice
            }
            let isFull =
                slice.records.count >= limits.events
                || (slice.bytes.count + entry.payloadLength > limits.bytes && !slice.records.isEmpty)
                || slice.dropped.count >= maxRanges
            if isFull {
                slice.isCut = true
                reader.seek(to: entry.start)
                return slice
            }
            if !isAddressedToDestination(entry) {
                try explain(upTo: entry.sequence, in: &slice)
                slice.skip(entry.sequence)
            } else if let mark, entry.sequence >= mark {
                slice.waiting = entry.sequence
                reader.seek(to: entry.start)
                return slice
            } else {
                switch rules.admission == nil
                    ? .send : admissions.admission(of: entry.context, json: contexts[entry.context])
                {
                case .send:
                    try explain(upTo: entry.sequence, in: &slice)
                    let filtered = filter == nil ? .unchanged : filtered(entry, by: &filter)
                    if case .dropped(let reason) = filtered {
                        slice.drop(entry.sequence, reason)
                    } else {
                        take(entry, as: filtered, into: &slice, &lastContext)
                    }
                case .drop(let reason):
                    try explain(upTo: entry.sequence, in: &slice)
                    slice.drop(entry.sequence, reason)
                case .hold:
                    slice.isHeld = true
                    reader.seek(to: entry.start)
                    return slice
                }
            }
            slice.next = entry.sequence + 1
            slice.end = entry.end
        }
        try explainRecordedLosses(in: &slice)
        return slice
    }

    // MARK: Parts

    /// Returns the result of filtering an event.
    private func filtered(_ entry: LogEntry, by filter: inout (any EventFilter)?) -> FilteredEvent {
        let route = entry.routeLength ?? 0
        return reader.withPayload(of: entry) { payload in
            filter?.filter(
                UnsafeRawBufferPointer(rebasing: payload.dropFirst(route)),
                in: json(of: entry.context),
                generation: entry.context
            ) ?? .unchanged
        }
    }

    /// Returns a context's JSON; `{}` when its record was damaged.
    private func json(of context: UInt32) -> [UInt8] {
        contexts[context] ?? Array("{}".utf8)
    }

    private mutating func take(
        _ entry: LogEntry,
        as filtered: FilteredEvent,
        into slice: inout RecordSlice,
        _ lastContext: inout UInt32?
    ) {
        let route = entry.routeLength ?? 0
        var event: [UInt8]?
        var context: FilteredContext?
        if case .changed(let changedEvent, let changedContext) = filtered {
            (event, context) = (changedEvent, changedContext)
            slice.changed.append(slice.records.count)
        }
        let generation = context?.generation ?? entry.context
        if lastContext != generation {
            lastContext = generation
            // Events with and without a changed context may alternate.
            if context == nil || !slice.contexts.contains(where: { $0.generation == generation }) {
                let start = slice.bytes.count
                slice.bytes.append(contentsOf: context?.json ?? json(of: entry.context))
                slice.contexts.append(
                    EventBatch.Context(generation: generation, content: start..<slice.bytes.count)
                )
            }
        }
        let start = slice.bytes.count
        if let event {
            slice.bytes.append(contentsOf: event)
        } else {
            reader.withPayload(of: entry) { payload in
                slice.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: payload.dropFirst(route)))
            }
        }
        slice.records.append(
            EventBatch.Record(
                sequence: entry.sequence,
                context: generation,
                payload: start..<slice.bytes.count
            )
        )
        slice.ends.append(entry.end)
    }

    private func isAddressedToDestination(_ entry: LogEntry) -> Bool {
        guard let route = entry.routeLength else { return true }
        return reader.withPayload(of: entry) { RouteNames($0, length: route).contains(destination) }
    }

    /// Remembers a context, or a loss recorded by the writer.
    private mutating func remember(_ entry: LogEntry) {
        if entry.kind == .context {
            contexts[entry.context] = reader.payload(of: entry)
            if contexts.count > 64, let oldest = contexts.keys.min() { contexts[oldest] = nil }
        } else if entry.kind == .dropped {
            let text = String(decoding: reader.payload(of: entry), as: UTF8.self)
            if let range = DroppedRanges.range(from: text) { recordedLosses.append(range) }
        }
    }

    /// Accounts for numbers before `bound` for which no record was found.
    private mutating func explain(upTo bound: UInt64, in slice: inout RecordSlice) throws(JournalError) {
        var isLookedUp = false
        while slice.next < bound {
            recordedLosses.removeAll { $0.sequences.upperBound < slice.next }
            gaps.removeAll { $0.sequences.upperBound < slice.next }
            let known = (recordedLosses + gaps).filter { $0.sequences.lowerBound < bound }.min {
                $0.sequences.lowerBound < $1.sequences.lowerBound
            }
            guard let known, known.sequences.lowerBound <= slice.next else {
                if !isLookedUp {
                    isLookedUp = true
                    try lookUpGaps()
                    continue
                }
                let last = (known?.sequences.lowerBound ?? bound) - 1
                slice.dropped.append(DroppedRange(sequences: slice.next...last, reason: .damaged))
                slice.next = last + 1
                continue
            }
            let last = min(known.sequences.upperBound, bound - 1)
            slice.dropped.append(DroppedRange(sequences: slice.next...last, reason: known.reason))
            slice.next = last + 1
        }
    }

    /// Reads the reasons for missing segments from the files.
    private mutating func lookUpGaps() throws(JournalError) {
        gaps = try JournalError.wrap { () throws(StorageError) in try GapFile.load(folder, storage) }
    }

    /// Accounts for losses at the log's end that the writer recorded itself.
    private mutating func explainRecordedLosses(in slice: inout RecordSlice) throws(JournalError) {
        if let last = recordedLosses.map(\.sequences.upperBound).max() { try explain(upTo: last + 1, in: &slice) }
    }
}

/// A cache of a rule's decisions for one writer's contexts.
///
/// Each context is evaluated once.
private struct AdmissionCache {
    private let rule: Admission.Rule?
    private var known: [UInt32: Admission] = [:]
    /// The most recent decision.
    ///
    /// Consecutive events nearly always share their context.
    private var latest: (context: UInt32, admission: Admission)?

    init(_ rule: Admission.Rule?) {
        self.rule = rule
    }

    /// - Parameter json: the context's JSON; nil when its record was damaged.
    mutating func admission(of context: UInt32, json: [UInt8]?) -> Admission {
        if let latest, latest.context == context { return latest.admission }
        let admission = known[context] ?? rule?(json ?? Array("{}".utf8)) ?? .send
        known[context] = admission
        latest = (context, admission)
        return admission
    }
}
