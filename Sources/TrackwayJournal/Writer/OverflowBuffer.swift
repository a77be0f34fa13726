// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What waits in memory while the storage refuses: a bounded queue, written in order as soon as that works again.
///
/// Events and the contexts in front of them count. A context that no event followed is replaced by the next one, so
/// changing contexts take no more room than one.
struct OverflowBuffer: Sendable {
    enum Item: Sendable {
        case event(FrameHeader, payload: [UInt8], checksum: UInt32)
        case context(generation: UInt32, json: [UInt8])
        case dropped(DroppedRange)
    }

    /// What an item takes beside its bytes, as far as the limit is concerned.
    static let overhead = 64
    /// Ranges of losses kept apart for their reasons; beyond, a loss is counted under the reason of the one before it.
    static let maxRanges = 256

    let limit: Int
    private(set) var bytes = 0
    private var items: [Item] = []
    private var head = 0
    private var ranges = 0
    /// The newest context, while no event that waits was recorded in it.
    private var context: (generation: UInt32, json: [UInt8])?

    init(limit: Int) {
        self.limit = limit
    }

    var isEmpty: Bool { head == items.count && context == nil }

    /// What is to be written next.
    var first: Item? {
        if head < items.count { return items[head] }
        return context.map { .context(generation: $0.generation, json: $0.json) }
    }

    /// The first sequence number that waits; nil when no event does.
    var firstSequence: UInt64? {
        for item in items[head...] {
            switch item {
            case .event(let header, _, _): return header.sequence
            case .dropped(let range): return range.sequences.lowerBound
            case .context: continue
            }
        }
        return nil
    }

    /// Events that could not even wait and are not written down as such yet, by reason.
    var dropped: [DropReason: UInt64] {
        items[head...].reduce(into: [:]) { counts, item in
            if case .dropped(let range) = item { counts[range.reason, default: 0] += UInt64(range.sequences.count) }
        }
    }

    /// Queues an event; false when it does not fit, together with the context it was recorded in.
    mutating func hold(_ header: FrameHeader, payload: UnsafeRawBufferPointer, checksum: UInt32) -> Bool {
        let before = context.map { $0.json.count + Self.overhead } ?? 0
        let cost = payload.count + Self.overhead + before
        guard cost <= limit, bytes <= limit - cost else { return false }
        bytes += cost
        if let context {
            items.append(.context(generation: context.generation, json: context.json))
            self.context = nil
        }
        items.append(.event(header, payload: Array(payload), checksum: checksum))
        return true
    }

    /// Notes the context of what is recorded from now on.
    mutating func hold(context json: [UInt8], generation: UInt32) {
        context = (generation, json)
    }

    /// Notes that an event could not even wait.
    mutating func drop(_ sequence: UInt64, _ reason: DropReason) {
        if head < items.count, case .dropped(let last) = items[items.count - 1],
            last.sequences.upperBound + 1 == sequence, last.reason == reason || ranges >= Self.maxRanges
        {
            let range = last.sequences.lowerBound...sequence
            items[items.count - 1] = .dropped(DroppedRange(sequences: range, reason: last.reason))
            return
        }
        ranges += 1
        items.append(.dropped(DroppedRange(sequences: sequence...sequence, reason: reason)))
    }

    /// Notes that consecutive events could not be kept.
    mutating func drop(_ sequences: ClosedRange<UInt64>, _ reason: DropReason) {
        ranges += 1
        items.append(.dropped(DroppedRange(sequences: sequences, reason: reason)))
    }

    /// Gives up every event that waits.
    mutating func dropAll(_ reason: DropReason) {
        let waiting = items[head...]
        let context = context
        self = OverflowBuffer(limit: limit)
        for item in waiting {
            switch item {
            case .event(let header, _, _):
                drop(header.sequence, reason)
            case .dropped(let range):
                drop(range.sequences, range.reason)
            case .context(let generation, let json):
                self.context = (generation, json)
            }
        }
        self.context = context ?? self.context
    }

    /// Has every context that waits made anew. What they take counts as before.
    mutating func rewriteContexts(_ rewrite: ([UInt8]) -> [UInt8]) {
        for index in items.indices[head...] {
            guard case .context(let generation, let json) = items[index] else { continue }
            let new = rewrite(json)
            bytes += new.count - json.count
            items[index] = .context(generation: generation, json: new)
        }
        if let known = context { context = (known.generation, rewrite(known.json)) }
    }

    mutating func removeFirst() {
        guard head < items.count else {
            context = nil
            return
        }
        switch items[head] {
        case .event(_, let payload, _): bytes -= payload.count + Self.overhead
        case .context(_, let json): bytes -= json.count + Self.overhead
        case .dropped: ranges -= 1
        }
        head += 1
        // What was written gives its memory back, also when the storage takes a little and refuses again.
        if head == items.count || head >= 1024 {
            items.removeFirst(head)
            head = 0
        }
    }

    /// Forgets everything; how many events waited.
    mutating func removeAll() -> UInt64 {
        var events: UInt64 = 0
        for item in items[head...] {
            if case .event = item { events += 1 }
        }
        self = OverflowBuffer(limit: limit)
        return events
    }
}
