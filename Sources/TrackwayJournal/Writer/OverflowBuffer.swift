// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Events held in memory while the storage rejects writes.
///
/// The buffer is a bounded queue, written in order as soon as the storage accepts writes again. Events and the
/// contexts before them count toward the limit. A context without events is replaced by the next context, so
/// consecutive context changes take no more space than one context.
struct OverflowBuffer: Sendable {
    enum Item: Sendable {
        case event(FrameHeader, payload: [UInt8], checksum: UInt32)
        case context(generation: UInt32, json: [UInt8])
        case dropped(DroppedRange)
    }

    /// The bytes counted toward the limit for each item, in addition to its content.
    static let overhead = 64
    /// The maximum number of loss ranges with separate reasons.
    ///
    /// Beyond this limit, a loss is counted under the reason of the previous loss.
    static let maxRanges = 256

    let limit: Int
    private(set) var bytes = 0
    private var items: [Item] = []
    private var head = 0
    private var ranges = 0
    /// The newest context, if no held event was recorded in it; else nil.
    private var context: (generation: UInt32, json: [UInt8])?

    init(limit: Int) {
        self.limit = limit
    }

    var isEmpty: Bool { head == items.count && context == nil }

    /// The next item to write.
    var first: Item? {
        if head < items.count { return items[head] }
        return context.map { .context(generation: $0.generation, json: $0.json) }
    }

    /// The first held sequence number, including losses; nil if none.
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

    /// The number of events that could not be held, by reason.
    ///
    /// No file records these losses yet.
    var dropped: [DropReason: UInt64] {
        items[head...].reduce(into: [:]) { counts, item in
            if case .dropped(let range) = item { counts[range.reason, default: 0] += UInt64(range.sequences.count) }
        }
    }

    /// Holds an event.
    ///
    /// Returns false if the event and its pending context do not fit.
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

    /// Sets the context for subsequently recorded events.
    mutating func hold(context json: [UInt8], generation: UInt32) {
        context = (generation, json)
    }

    /// Records that an event could not be held.
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

    /// Records that consecutive events could not be stored.
    mutating func drop(_ sequences: ClosedRange<UInt64>, _ reason: DropReason) {
        ranges += 1
        items.append(.dropped(DroppedRange(sequences: sequences, reason: reason)))
    }

    /// Drops every held event.
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

    /// Rewrites every held context.
    ///
    /// The new contexts' sizes replace the old sizes in the count toward the limit.
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
        // Free the memory of written items, even if the storage accepts a few items and then rejects writes again.
        if head == items.count || head >= 1024 {
            items.removeFirst(head)
            head = 0
        }
    }

    /// Discards everything; returns the number of discarded events.
    mutating func removeAll() -> UInt64 {
        var events: UInt64 = 0
        for item in items[head...] {
            if case .event = item { events += 1 }
        }
        self = OverflowBuffer(limit: limit)
        return events
    }
}
