// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Everything that was recorded on a ``SimulatedDevice``, whatever became of the storage it was recorded on.
struct SimulatedHistory: Sendable {
    private struct Place: Hashable {
        var writer: WriterID
        var sequence: UInt64
    }

    private var events: [Place: RecordedEvent] = [:]
    /// When each writer began: first come, first told.
    private var order: [WriterID: Int] = [:]

    /// A process began to write.
    mutating func began(_ writer: WriterID) {
        if order[writer] == nil { order[writer] = order.count }
    }

    /// Keeps what a storage holds.
    mutating func keep(_ recorded: [RecordedEvent]) {
        for event in recorded { events[Place(writer: event.writer, sequence: event.sequence)] = event }
    }

    /// Every event: process after process, each in its own order.
    var all: [RecordedEvent] {
        events.values.sorted { left, right in
            (order[left.writer] ?? .max, left.sequence) < (order[right.writer] ?? .max, right.sequence)
        }
    }
}
