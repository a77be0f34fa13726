// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

/// Local destinations: recording, reading back and removing events.
@Suite struct LocalDestinationTests {
    static func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.destinations.append(.local("exports"))
        change(&configuration)
        return configuration
    }

    @Test func `an app's own uploader reads pending events and removes them after the upload`()
        async throws
    {
        let memory = try InMemoryAnalytics(Self.configuration())
        let analytics = memory.analytics
        analytics.setGlobalAttributes(["channel": "App Store"])
        analytics.record("order", ["total": 99.9], items: [Item(id: "A-1")], to: ["exports"])
        analytics.record("for every destination")
        analytics.record("for the collector", to: ["collector"])
        #expect(analytics.pendingCount(for: "exports") == 2)

        let snapshot = try analytics.pendingEvents(for: "exports")
        analytics.record("later", to: ["exports"])
        var uploaded: [RecordedEvent] = []
        for try await event in snapshot.events { uploaded.append(event) }
        var again: [EventID] = []
        for try await batch in snapshot.batches(of: BatchLimits(events: 1, bytes: 1 << 20)) {
            #expect(batch.records.count == 1)
            again += try batch.records.map { try batch.event($0).id }
        }
        #expect(again == uploaded.map(\.id))
        #expect(uploaded.map(\.name) == ["order", "for every destination"])
        #expect(uploaded.first?.attributes["total"]?.double == 99.9)
        #expect(uploaded.first?.items.map(\.id) == ["A-1"])
        #expect(uploaded.first?.global("channel")?.string == "App Store")
        #expect(try snapshot.countEvents() == 2)
        #expect(try snapshot.remove() == 2)
        #expect(try snapshot.remove() == 0)
        #expect(analytics.pendingCount(for: "exports") == 1)
        let account = try #require(analytics.ledger().destinations["exports"])
        #expect((account.delivered, account.pending, account.droppedTotal) == (2, 1, 0))
    }

    @Test func `the SDK never sends events for a local destination, even on request`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration { $0.destinations = [.local("exports")] })
        for number in 1...100 { memory.analytics.record("e\(number)") }
        #expect(memory.analytics.requestUpload(of: ["exports"], force: true) == false)
        let report = await memory.analytics.flush(timeout: .seconds(5))
        #expect(report.destinations.isEmpty)
        await memory.analytics.shutdown()
        #expect(memory.transport.requests.isEmpty)
        #expect(memory.analytics.pendingCount(for: "exports") == 100)
    }

    @Test
    func `pending events survive a restart, even for a local destination added at run time`() async throws {
        let first = try InMemoryAnalytics(InMemoryAnalytics.usualConfiguration)
        try first.analytics.addDestination(.local("added"))
        first.analytics.record("before", to: ["added"])
        await first.analytics.shutdown()

        first.clock.advance(by: .seconds(1))
        let second = try InMemoryAnalytics(
            InMemoryAnalytics.usualConfiguration,
            storage: first.storage,
            clock: first.clock
        )
        #expect(second.analytics.localDestinationIDs == ["added"])
        #expect(throws: TrackwayError.self) { try second.analytics.pendingEvents(for: "added") }
        try second.analytics.addDestination(.local("added"))
        second.analytics.record("after", to: ["added"])
        let snapshot = try second.analytics.pendingEvents(for: "added")
        #expect(try snapshot.names() == ["before", "after"])
    }

    @Test func `events held by consent are not returned, and rejected events are counted`() throws {
        let memory = try InMemoryAnalytics(Self.configuration { $0.privacy.consent = .pending })
        let analytics = memory.analytics
        analytics.record("while consent was undecided")
        #expect(try analytics.pendingEvents(for: "exports").countEvents() == 0)
        analytics.setConsent(.granted)
        let granted = try analytics.pendingEvents(for: "exports")
        // The decision is recorded, too.
        #expect(try granted.countEvents() == 2)
        analytics.setConsent(.denied)
        analytics.record("refused")
        var count: Int?
        while count == nil {
            do throws(TrackwayError) {
                count = try analytics.pendingEvents(for: "exports").countEvents()
            } catch {
                // Denied events are dropped concurrently, which invalidates a snapshot taken before the drop.
                guard error.code == .snapshotOutdated else { throw error }
            }
        }
        #expect(count == 0)
    }

    @Test func `an erasure invalidates snapshots and empties local destinations`()
        async throws
    {
        let memory = try InMemoryAnalytics(Self.configuration())
        memory.analytics.record("e", to: ["exports"])
        let snapshot = try memory.analytics.pendingEvents(for: "exports")
        try await memory.analytics.erase()
        #expect { try snapshot.names() } throws: {
            ($0 as? TrackwayError)?.code == .snapshotOutdated
        }
        #expect { try snapshot.remove() } throws: { ($0 as? TrackwayError)?.code == .snapshotOutdated }
        // Local destinations get the tombstone, too, so that the app can erase the events that it stored elsewhere.
        #expect(try memory.analytics.pendingEvents(for: "exports").names() == [CapturedName.installationErased])
    }

    @Test
    func `a snapshot does not retain the analytics instance and throws after its release`()
        throws
    {
        var memory: InMemoryAnalytics? = try InMemoryAnalytics(Self.configuration())
        memory?.analytics.record("e", to: ["exports"])
        let snapshot = try #require(try memory?.analytics.pendingEvents(for: "exports"))
        weak let analytics = memory?.analytics
        memory = nil
        #expect(analytics == nil)
        withExtendedLifetime(snapshot) {}
    }

    @Test(arguments: [
        ("collector" as DestinationID, TrackwayError.Code.destinationKindMismatch), ("unknown", .unknownDestination),
    ])
    func `a snapshot of a destination that is not local throws an error with a recovery suggestion`(
        id: DestinationID,
        code: TrackwayError.Code
    ) throws {
        let memory = try InMemoryAnalytics(Self.configuration())
        #expect { try memory.analytics.pendingEvents(for: id) } throws: {
            ($0 as? TrackwayError)?.code == code
        }
    }

    @Test
    func `a local destination and a delivered destination cannot replace each other`() throws {
        let memory = try InMemoryAnalytics(Self.configuration())
        #expect { try memory.analytics.replaceDestination(.local("collector")) } throws: {
            ($0 as? TrackwayError)?.code == .destinationKindMismatch
        }
        let collector = DestinationConfiguration(
            CollectorDestination(id: "exports", url: "http://collector.test", writeKey: "test")
        )
        #expect { try memory.analytics.replaceDestination(collector) } throws: {
            ($0 as? TrackwayError)?.code == .destinationKindMismatch
        }
        try memory.analytics.replaceDestination(.local("exports"))
    }

    @Test
    func `with eight recording threads and concurrent snapshots, no event is lost or returned twice`()
        async throws
    {
        let memory = try InMemoryAnalytics(Self.configuration())
        let analytics = memory.analytics
        let handledNames = Locked<[String]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 1...8 {
                group.addTask {
                    for number in 1...250 { analytics.record("\(thread).\(number)", to: ["exports"]) }
                }
            }
            for _ in 1...3 {
                group.addTask {
                    for _ in 1...20 {
                        let names: [String]
                        do {
                            names = try analytics.pendingEvents(for: "exports").names()
                        } catch let error as TrackwayError where error.code == .snapshotOutdated {
                            continue
                        }
                        #expect(Set(names).count == names.count)
                    }
                }
            }
            group.addTask {
                for _ in 1...20 {
                    let snapshot = try analytics.pendingEvents(for: "exports")
                    let names = try snapshot.names()
                    #expect(try snapshot.remove() == names.count)
                    handledNames.withLock { $0 += names }
                }
            }
            try await group.waitForAll()
        }
        let last = try analytics.pendingEvents(for: "exports")
        let lastNames = try last.names()
        handledNames.withLock { $0 += lastNames }
        let all = handledNames.withLock { $0 }
        #expect(all.count == 2000)
        #expect(Set(all).count == 2000)
        for thread in 1...8 {
            #expect(all.filter { $0.hasPrefix("\(thread).") } == (1...250).map { "\(thread).\($0)" })
        }
    }
}

extension LocalDestinationTests {
    @Test
    func `removed events leave no bytes on disk once their segment is deleted, no matter which happens first`() throws {
        for removesFirst in [false, true] {
            let memory = try InMemoryAnalytics(Self.configuration { $0.destinations = [.local("exports")] })
            let disk = try #require(memory.storage.base as? MemoryStorage)
            func holders() -> [String] {
                disk.paths.filter { path in
                    String(decoding: disk.contents(of: path) ?? [], as: UTF8.self).contains("hush")
                }
            }
            memory.analytics.record("hush")
            #expect(!holders().isEmpty)
            if !removesFirst { try memory.analytics.storage.journal.startNewSegment() }
            try memory.analytics.pendingEvents(for: "exports").remove()
            if removesFirst { try memory.analytics.storage.journal.startNewSegment() }
            try memory.analytics.storage.journal.deleteSettledFiles()
            #expect(holders() == [], "\(removesFirst)")
        }
    }
}

extension PendingEvents {
    /// Returns the names of all events, read without suspending.
    fileprivate func names() throws(TrackwayError) -> [String] {
        var names: [String] = []
        var iterator = events.makeAsyncIterator()
        while let event = try iterator.next() { names.append(event.name) }
        return names
    }
}
