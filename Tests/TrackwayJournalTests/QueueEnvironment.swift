// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// A journal in memory with queues and an ordinary destination.
struct QueueEnvironment {
    static let limits = (events: 100, bytes: 1 << 20)

    var storage: any JournalStorage = MemoryStorage()
    let clock = SteppedClock()
    var destinations: [DestinationID] = ["collector", "queue"]
    var maximumBytes = 1 << 30
    var maximumAge: Duration = .seconds(1 << 40)

    func open(_ destinations: [DestinationID]? = nil, expected: [DestinationID] = []) throws -> Journal {
        // Writers are distinguished and ordered by their start time.
        clock.advance(.milliseconds(1))
        let configuration = JournalConfiguration(
            folder: "/journal",
            destinations: destinations ?? self.destinations,
            expected: expected,
            maximumBytes: maximumBytes,
            maximumAge: maximumAge,
            segmentBytes: 4096
        )
        return try Journal(configuration, clock: clock, bootID: "boot", storage: storage)
    }

    /// The existing segments of all writers.
    var segments: [String] {
        guard let memory = storage as? MemoryStorage else { return [] }
        return memory.paths.filter { $0.hasSuffix(SegmentName.suffix) }
    }
}

extension JournalConsumer {
    /// Reads and settles a queue's released events, and returns their payloads in order.
    func deliverReleased(_ queue: DestinationID, events: Int = 7) throws -> [String] {
        var texts: [String] = []
        while let batch = try read(for: queue, limits: (events: events, bytes: 1 << 20), onlyReleased: true) {
            texts += batch.texts
            try settle(batch, records: 0..<batch.events.records.count, delivered: batch.events.records.count)
        }
        return texts
    }

    func waitingTexts(_ queue: DestinationID, limit: Int = 1000) throws -> [String] {
        try waitingEvents(for: queue, limit: limit).map { String(decoding: $0, as: UTF8.self) }
    }
}
