// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import TrackwayCore

@testable import TrackwayJournal

/// A journal on a real disk, with time under the test's control.
final class JournalEnvironment {
    let folder: TemporaryFolder
    let clock = SteppedClock()
    let destinations: [DestinationID]
    private let segmentBytes: Int
    private let maximumBytes: Int
    private let maximumAge: Duration

    init(
        _ destinations: [DestinationID] = ["collector"],
        segmentBytes: Int = 4096,
        maximumBytes: Int = 1 << 30,
        maximumAge: Duration = .seconds(1 << 40)
    ) throws {
        folder = try TemporaryFolder()
        self.destinations = destinations
        self.segmentBytes = segmentBytes
        self.maximumBytes = maximumBytes
        self.maximumAge = maximumAge
    }

    var configuration: JournalConfiguration {
        JournalConfiguration(
            folder: folder.path,
            destinations: destinations,
            maximumBytes: maximumBytes,
            maximumAge: maximumAge,
            segmentBytes: segmentBytes
        )
    }

    func open(
        boot: String = "boot-1",
        destinations: [DestinationID]? = nil,
        storage: any JournalStorage = DiskStorage()
    ) throws -> Journal {
        var configuration = configuration
        if let destinations { configuration.destinations = destinations }
        return try Journal(configuration, clock: clock, bootID: boot, storage: storage)
    }
}

/// A clock that a test advances explicitly.
final class SteppedClock: EventClock {
    private let moment = Locked(
        DualTimestamp(wall: Timestamp(milliseconds: 1_700_000_000_000), monotonic: MonotonicTime(milliseconds: 1000))
    )

    func now() -> DualTimestamp { moment.withLock { $0 } }
    func advance(_ duration: Duration) { moment.withLock { $0 = $0.advanced(by: duration) } }
    func setWall(_ wall: Timestamp) { moment.withLock { $0.wall = wall } }
}

extension Journal {
    @discardableResult
    func append(_ text: String, to route: [DestinationID] = []) -> AppendOutcome {
        Array(text.utf8).withUnsafeBytes { append($0, to: route) }
    }
}

extension JournalConsumer {
    /// Reads and settles all events, and returns their payloads in order.
    func deliverAll(_ destination: DestinationID, events: Int = 7) throws -> [String] {
        var texts: [String] = []
        while let batch = try read(for: destination, limits: (events: events, bytes: 1 << 20)) {
            texts += batch.texts
            try settle(batch, records: 0..<batch.events.records.count, delivered: batch.events.records.count)
        }
        return texts
    }
}

extension JournalBatch {
    var texts: [String] {
        events.records.map { String(decoding: events.bytes[$0.payload], as: UTF8.self) }
    }
}
