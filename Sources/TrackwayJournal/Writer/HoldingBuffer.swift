// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What waits in memory while the storage refuses: a bounded queue, written in order as soon as that works again.
struct HoldingBuffer: Sendable {
    enum Item: Sendable {
        case event(FrameHeader, payload: [UInt8], checksum: UInt32)
        case context(generation: UInt32, json: [UInt8])
        case dropped(DroppedRange)
    }

    let limit: Int
    private(set) var bytes = 0
    private var items: [Item] = []
    private var head = 0

    init(limit: Int) {
        self.limit = limit
    }

    var isEmpty: Bool { head == items.count }
    var first: Item? { isEmpty ? nil : items[head] }

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

    /// Queues an event; false when it does not fit.
    mutating func hold(_ header: FrameHeader, payload: UnsafeRawBufferPointer, checksum: UInt32) -> Bool {
        guard bytes + payload.count <= limit else { return false }
        bytes += payload.count
        items.append(.event(header, payload: Array(payload), checksum: checksum))
        return true
    }

    mutating func hold(context json: [UInt8], generation: UInt32) {
        items.append(.context(generation: generation, json: json))
    }

    /// Notes that an event could not even wait.
    mutating func drop(_ sequence: UInt64, _ reason: DropReason) {
        if !isEmpty, case .dropped(let last) = items[items.count - 1], last.reason == reason,
            last.sequences.upperBound + 1 == sequence
        {
            let range = last.sequences.lowerBound...sequence
            items[items.count - 1] = .dropped(DroppedRange(sequences: range, reason: reason))
            return
        }
        items.append(.dropped(DroppedRange(sequences: sequence...sequence, reason: reason)))
    }

    mutating func removeFirst() {
        guard !isEmpty else { return }
        if case .event(_, let payload, _) = items[head] { bytes -= payload.count }
        head += 1
        if head == items.count {
            items.removeAll(keepingCapacity: false)
            head = 0
        }
    }

    /// Forgets everything; how many events waited.
    mutating func removeAll() -> UInt64 {
        var events: UInt64 = 0
        for item in items[head...] {
            if case .event = item { events += 1 }
        }
        self = HoldingBuffer(limit: limit)
        return events
    }
}
