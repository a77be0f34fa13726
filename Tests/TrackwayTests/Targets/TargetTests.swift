// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayEvents
import TrackwayTesting

/// Targets of the app's own: recorded for, read back, removed.
@Suite struct TargetTests {
    static func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.destinations.append(.local("exports"))
        change(&configuration)
        return configuration
    }

    @Test func `An uploader of the app's own reads what waits, and removes it once it has it`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration())
        let analytics = memory.analytics
        analytics.setGlobalAttributes(["channel": "App Store"])
        analytics.record("order", ["total": 99.9], items: [Item(id: "A-1")], to: ["exports"])
        analytics.record("for everybody")
        analytics.record("for the collector", to: ["collector"])
        #expect(analytics.pendingCount(for: "exports") == 2)

        let snapshot = try analytics.pendingEvents(for: "exports")
        analytics.record("later", to: ["exports"])
        var uploaded: [RecordedEvent] = []
        try snapshot.readEvents { event in
            uploaded.append(event)
            return true
        }
        #expect(uploaded.map(\.name) == ["order", "for everybody"])
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

    @Test func `Nothing is ever sent for a target, whoever asks for it`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration { $0.destinations = [.local("exports")] })
        for number in 1...100 { memory.analytics.record("e\(number)") }
        #expect(memory.analytics.requestUpload(of: ["exports"], force: true) == false)
        let report = await memory.analytics.flush(timeout: .seconds(5))
        #expect(report.destinations.isEmpty)
        await memory.analytics.shutdown()
        #expect(memory.transport.requests.isEmpty)
        #expect(memory.analytics.pendingCount(for: "exports") == 100)
    }

    @Test func `What waits is there after a restart, also for a target that was added at run time`() async throws {
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
        var names: [String] = []
        try snapshot.readEvents { event in
            names.append(event.name)
            return true
        }
        #expect(names == ["before", "after"])
    }

    @Test func `What consent does not let leave is not read back; what is refused is counted`() throws {
        let memory = try InMemoryAnalytics(Self.configuration { $0.privacy.consent = .pending })
        let analytics = memory.analytics
        analytics.record("while nobody had decided")
        #expect(try analytics.pendingEvents(for: "exports").countEvents() == 0)
        analytics.setConsent(.granted)
        let granted = try analytics.pendingEvents(for: "exports")
        #expect(try granted.countEvents() == 1)
        analytics.setConsent(.denied)
        analytics.record("refused")
        var count: Int?
        while count == nil {
            do throws(TrackwayError) {
                count = try analytics.pendingEvents(for: "exports").countEvents()
            } catch {
                // What is refused is dropped meanwhile, which ends the reading of a snapshot that was made before.
                guard error.code == .snapshotOutdated else { throw error }
            }
        }
        #expect(count == 0)
    }

    @Test func `An erasing ends snapshots and empties targets`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration())
        memory.analytics.record("e", to: ["exports"])
        let snapshot = try memory.analytics.pendingEvents(for: "exports")
        try await memory.analytics.erase()
        #expect { try snapshot.readEvents { _ in true } } throws: {
            ($0 as? TrackwayError)?.code == .snapshotOutdated
        }
        #expect { try snapshot.remove() } throws: { ($0 as? TrackwayError)?.code == .snapshotOutdated }
        // What tells of the erasing is for targets, too: whoever has the events elsewhere can erase them there.
        var names: [String] = []
        try memory.analytics.pendingEvents(for: "exports").readEvents { event in
            names.append(event.name)
            return true
        }
        #expect(names == [CapturedName.installationErased])
    }

    @Test func `A snapshot does not keep the analytics alive, and says that they are gone`() throws {
        var memory: InMemoryAnalytics? = try InMemoryAnalytics(Self.configuration())
        memory?.analytics.record("e", to: ["exports"])
        let snapshot = try #require(try memory?.analytics.pendingEvents(for: "exports"))
        weak let analytics = memory?.analytics
        memory = nil
        #expect(analytics == nil)
        withExtendedLifetime(snapshot) {}
    }

    @Test(arguments: [
        ("collector" as DestinationID, TrackwayError.Code.targetMismatch), ("nobody", .unknownDestination),
    ])
    func `A snapshot of something that is no target is refused with the remedy`(
        id: DestinationID,
        code: TrackwayError.Code
    ) throws {
        let memory = try InMemoryAnalytics(Self.configuration())
        #expect { try memory.analytics.pendingEvents(for: id) } throws: {
            ($0 as? TrackwayError)?.code == code
        }
    }

    @Test func `A target and a destination that is delivered do not take each other's place`() throws {
        let memory = try InMemoryAnalytics(Self.configuration())
        #expect { try memory.analytics.replaceDestination(.local("collector")) } throws: {
            ($0 as? TrackwayError)?.code == .targetMismatch
        }
        let collector = DestinationConfiguration(
            CollectorDestination(id: "exports", url: "http://collector.test", writeKey: "test")
        )
        #expect { try memory.analytics.replaceDestination(collector) } throws: {
            ($0 as? TrackwayError)?.code == .targetMismatch
        }
        try memory.analytics.replaceDestination(.local("exports"))
    }

    @Test func `Eight threads record, three snapshots are read and one is removed: nothing is lost or taken twice`()
        async throws
    {
        let memory = try InMemoryAnalytics(Self.configuration())
        let analytics = memory.analytics
        let taken = Locked<[String]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 1...8 {
                group.addTask {
                    for number in 1...250 { analytics.record("\(thread).\(number)", to: ["exports"]) }
                }
            }
            for _ in 1...3 {
                group.addTask {
                    for _ in 1...20 {
                        var names: [String] = []
                        do {
                            try analytics.pendingEvents(for: "exports").readEvents { event in
                                names.append(event.name)
                                return true
                            }
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
                    var names: [String] = []
                    try snapshot.readEvents { event in
                        names.append(event.name)
                        return true
                    }
                    #expect(try snapshot.remove() == names.count)
                    taken.withLock { $0 += names }
                }
            }
            try await group.waitForAll()
        }
        let last = try analytics.pendingEvents(for: "exports")
        try last.readEvents { event in
            taken.withLock { $0.append(event.name) }
            return true
        }
        let all = taken.withLock { $0 }
        #expect(all.count == 2000)
        #expect(Set(all).count == 2000)
        for thread in 1...8 {
            #expect(all.filter { $0.hasPrefix("\(thread).") } == (1...250).map { "\(thread).\($0)" })
        }
    }
}

extension TargetTests {
    @Test func `Removed events leave no byte once their segment was left, whichever came first`() throws {
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
            if !removesFirst { try memory.analytics.storage.journal.leaveSegment() }
            try memory.analytics.pendingEvents(for: "exports").remove()
            if removesFirst { try memory.analytics.storage.journal.leaveSegment() }
            try memory.analytics.storage.journal.deleteSettledFiles()
            #expect(holders() == [], "\(removesFirst)")
        }
    }
}
