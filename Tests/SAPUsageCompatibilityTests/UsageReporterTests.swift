// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SAPUsageCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Reporters")
struct UsageReporterTests {
    /// A custom reporter class.
    private final class Stamping: UsageReporter {
        override func report(_ event: UsageRecord.Event, date: Date = Usage.now, info: UsageInfo = [:]) {
            super.report(event, date: date, info: info.merging(["build": 381]) { customReporter, _ in customReporter })
        }
    }

    @Test
    func `each target has one reporter`() throws {
        let app = UsageApp()
        let store = try app.store()
        app.usage.configure(with: store)
        let reporter = app.usage.reporter(for: "a")
        #expect(app.usage.reporter(for: "a") === reporter)
        #expect(app.usage.reporter(for: "b") !== reporter)
        #expect(app.usage.reporter() === app.usage.reporter(for: Usage.defaultTargetID))
        reporter.report(.event("x"))
        #expect(app.usage.targetIdentifiers() == ["a", "b", "default"])
        #expect(store.targetIdentifiers() == ["a"])
    }

    @Test
    func `a reporter created before the configuration never reports, but the next one does`() throws {
        let app = UsageApp()
        let earlyReporter = app.usage.reporter()
        #expect(app.usage.reporter() === earlyReporter)
        earlyReporter.report(.event("early"))
        let store = try app.store()
        app.usage.configure(with: store)
        earlyReporter.report(.event("late"))
        #expect(app.usage.reporter() !== earlyReporter)
        app.usage.reporter().report(.event("good"))
        #expect(app.events(store) == ["good"])
        // A reporter that was never registered belongs to no instance, so the shared instance counts its reports.
        #expect(app.codes == ["usage_not_configured"])
    }

    @Test
    func `a custom reporter reports once it is registered and gets every call`() throws {
        let app = UsageApp()
        let store = try app.store()
        app.usage.configure(with: store)
        let plain = app.usage.reporter(for: "t")
        let customReporter = Stamping()
        app.usage.register(reporter: customReporter, for: "t")
        #expect(app.usage.reporter(for: "t") === customReporter)
        customReporter.report(.event("a"))
        customReporter.report(UsageRecord(.event("b"), info: ["build": 1]))
        plain.report(.event("replaced"))
        #expect(store.snapshot(for: "t").all.map { $0.info["build"] as? Int } == [381, 1])
        #expect(app.usage.droppedReports == [.usageReporterInvalid: 1])

        let second = Stamping()
        app.usage.register(reporter: second, for: "t")
        customReporter.report(.event("replaced, too"))
        app.usage.register(reporter: second, for: "t")
        second.report(.event("c"))
        #expect(app.events(store, "t") == ["a", "b", "c"])
        #expect(app.codes == ["usage_reporter_invalid", "usage_reporter_invalid"])

        app.usage.register(reporter: second, for: "u")
        second.report(.event("d"))
        #expect(app.events(store, "u") == ["d"])
        #expect(app.usage.reporter(for: "t") !== second)
    }

    @Test
    func `an unregistered reporter stops reporting until it is registered again`() throws {
        let app = UsageApp()
        let store = try app.store()
        app.usage.configure(with: store)
        let reporter = app.usage.reporter(for: "t")
        app.usage.unregisterReporter(from: "t")
        app.usage.unregisterReporter(from: "nobody")
        reporter.report(.event("a"))
        #expect(app.usage.droppedReports == [.usageReporterInvalid: 1])
        app.usage.register(reporter: reporter, for: "t")
        reporter.report(.event("b"))
        #expect(app.events(store, "t") == ["b"])
    }

    @Test
    func `a disabled reporter ignores calls`() throws {
        let app = UsageApp()
        let store = try app.store()
        app.usage.configure(with: store)
        let reporter = app.usage.reporter()
        #expect(reporter.enabled)
        reporter.enabled = false
        reporter.report(.event("a"))
        reporter.enabled = true
        reporter.report(.event("b"))
        #expect(app.events(store) == ["b"])
        #expect(app.usage.droppedReports.isEmpty)
    }

    @Test
    func `only the first configuration counts, and the default store is readable before it`() throws {
        let app = UsageApp()
        let first = try app.store(of: UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10"))
        #expect(app.usage.store?.storageID == Usage.unattributedStorageID)
        #expect(!app.usage.outputEnabled())
        app.usage.configure(with: first)
        app.usage.configure(with: try app.store())
        #expect(app.usage.store?.storageID == first.storageID)
        #expect(app.codes == ["usage_configured_twice"])
    }

    @Test
    func `a custom store works and gets only JSON values`() {
        let app = UsageApp()
        let store = CustomStore("somebody")
        app.usage.configure(with: store)
        app.usage.reporter(for: "t").report(.event("a"), info: ["n": 1, "date": Date(timeIntervalSince1970: 0)])
        #expect(store.storedRecords.map { Set($0.record.info.keys) } == [["n"]])
        #expect(app.usage.targetIdentifiers() == ["t"])
        #expect(app.usage.userID == "somebody")
        #expect(app.codes == ["usage_info_invalid"])
    }

    @Test
    func `a custom store may report while it stores`() {
        final class Talking: UsageStoring {
            let storageID = "somebody"
            let initTimestamp = Date(timeIntervalSince1970: 0)
            var usage: Usage?
            var names: [String] = []
            func removeRecords(before date: Date, after end: Date?, targetID: String) {}
            func snapshot(for targetID: String) -> any UsageSnapshotting { CustomStore("").snapshot(for: targetID) }
            func snapshot(for targetID: String, till date: Date?) -> any UsageSnapshotting { snapshot(for: targetID) }
            func store(record: UsageRecord, for targetID: String) {
                names.append(record.event.description)
                if targetID == "t" { usage?.reporter(for: "told").report(.event("stored")) }
            }
            func targetIdentifiers() -> [String] { [] }
        }
        let app = UsageApp()
        let store = Talking()
        store.usage = app.usage
        app.usage.configure(with: store)
        app.usage.reporter(for: "t").report(.event("a"))
        #expect(store.names == ["a", "stored"])
        store.usage = nil
    }

    @Test
    func `reports from eight threads to three targets are all stored exactly once`() async throws {
        let app = UsageApp()
        let store = try app.store()
        let usage = app.usage
        usage.configure(with: store)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<100 {
                        usage.reporter(for: "T\(number % 3)").report(.event("\(thread)-\(number)"))
                    }
                }
            }
        }
        let names = (0..<3).flatMap { app.events(store, "T\($0)") }
        #expect(names.count == 800)
        #expect(Set(names).count == 800)
        #expect(store.targetIdentifiers() == ["T0", "T1", "T2"])
    }
}
