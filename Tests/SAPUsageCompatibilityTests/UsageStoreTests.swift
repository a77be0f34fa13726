// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayEvents
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

@Suite("Usage stores, snapshots and removal")
struct UsageStoreTests {
    private let app = UsageApp()

    private static func day(_ number: Double) -> Date { Date(timeIntervalSince1970: number * 86_400) }

    /// Returns a store with a record for each of these days, in this order.
    private func store(_ days: [Double]) throws -> UsageStore {
        let store = try app.store()
        add(days, to: store)
        return store
    }

    private func add(_ days: [Double], to store: UsageStore) {
        for day in days { store.store(record: UsageRecord(.event("\(Int(day))"), date: Self.day(day)), for: "t") }
    }

    @Test("a snapshot contains records stored before it, and removes exactly those")
    func snapshot() throws {
        let store = try store([1, 2])
        let snapshot = store.snapshot(for: "t")
        add([3], to: store)
        #expect(snapshot.recordCount() == 2)
        #expect(snapshot.all.map(\.event.description) == ["1", "2"])
        snapshot.removeRecords()
        snapshot.removeRecords()
        #expect(app.events(store, "t") == ["3"])
        #expect(try app.restarted().store().snapshot(for: "t").all.map(\.event.description) == ["3"])
    }

    @Test("a body may stop, report and remove records while reading")
    func body() throws {
        let store = try store([1, 2, 3])
        var seen: [String] = []
        store.snapshot(for: "t").records { record in
            seen.append(record.event.description)
            store.store(record: UsageRecord(.event("more")), for: "t")
            return seen.count < 2
        }
        #expect(seen == ["1", "2"])
        #expect(store.snapshot(for: "t").recordCount() == 5)
        let snapshot = try #require(store.snapshot(for: "t") as? UsageSnapshot)
        snapshot.records { _ in
            snapshot.removeRecords()
            return true
        }
        // Either all records were read at once, or the read ended with an error, but never with a wrong result.
        #expect(snapshot.failure == nil || snapshot.failure?.code == .snapshotOutdated)
        #expect(store.snapshot(for: "t").recordCount() == 0)
    }

    @Test("a snapshot whose records another one removed is reported as outdated")
    func outdated() throws {
        let store = try store([1, 2])
        let first = try #require(store.snapshot(for: "t") as? UsageSnapshot)
        store.snapshot(for: "t").removeRecords()
        #expect(first.all.isEmpty)
        #expect(first.failure?.code == .snapshotOutdated)
        #expect(app.codes == ["snapshot_outdated"])
        first.removeRecords()
        #expect(first.failure == nil)
    }

    @Test(
        "removal by date includes both ends and survives a restart",
        arguments: [
            (3.0, nil, ["4", "5"]), (5, nil, []), (0, nil, ["1", "5", "3", "2", "4"]), (4, 2, ["1", "5"]),
            (2, 2, ["1", "5", "3", "4"]), (9, 5, ["1", "3", "2", "4"]), (2, 4, ["1", "5", "3", "2", "4"]),
        ] as [(Double, Double?, [String])]
    )
    func removal(before: Double, after: Double?, left: [String]) throws {
        let store = try store([1, 5, 3, 2, 4])
        store.removeRecords(before: Self.day(before), after: after.map { Self.day($0) }, targetID: "t")
        #expect(app.events(store, "t").sorted() == left.sorted())
        #expect(app.codes == ((after ?? before) > before ? ["usage_range_empty"] : []))
        #expect(store.snapshot(for: "t").recordCount() == left.count)
        let next = app.restarted()
        let again = try next.store()
        #expect(next.events(again, "t").sorted() == left.sorted())
        // Records stored later stay, regardless of their date.
        add([3], to: again)
        #expect(next.events(again, "t").sorted() == (left + ["3"]).sorted())
        again.snapshot(for: "t").removeRecords()
        #expect(again.snapshot(for: "t").recordCount() == 0)
        add([3], to: again)
        #expect(next.events(again, "t") == ["3"])
    }

    @Test("successive removals by date affect only their target's records")
    func removals() throws {
        let store = try store([1, 2, 3, 4, 5, 6])
        store.store(record: UsageRecord(.event("other"), date: Self.day(1)), for: "u")
        for day in [1.0, 2, 3] { store.removeRecords(before: Self.day(day), targetID: "t") }
        store.removeRecords(before: Self.day(5), after: Self.day(5), targetID: "t")
        #expect(app.events(store, "t") == ["4", "6"])
        #expect(app.events(store, "u") == ["other"])
        let snapshot = store.snapshot(for: "t", till: Self.day(4))
        #expect(snapshot.all.map(\.event.description) == ["4"])
        snapshot.removeRecords()
        #expect(app.events(store, "t") == ["6"])
        store.removeRecords(targetID: "t")
        #expect(app.events(store, "t").isEmpty)
        #expect(store.targetIdentifiers() == ["u"])
        store.removeRecords(targetID: "nobody")
    }

    @Test("each user has a folder, shared by all stores for that user")
    func folders() throws {
        let person = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
        let one = try app.store(of: person)
        let same = try app.store(of: person)
        let other = try app.store()
        one.store(record: UsageRecord(.event("a")), for: "t")
        #expect(app.events(same, "t") == ["a"])
        #expect(app.events(other, "t").isEmpty)
        #expect(one.storageID == "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
        #expect(other.storageID == Usage.unattributedStorageID)
        app.memory.clock.advance(by: .seconds(60))
        #expect(try app.restarted().store(of: person).initTimestamp == one.initTimestamp)
    }

    @Test("with a key no file contains plain text, and only the same key opens the store again")
    func encrypted() throws {
        var store: UsageStore? = try UsageStore(app.environment.folder, nil, "a secret", in: app.environment)
        store?.store(record: UsageRecord(.event("hush")), for: "hidden")
        for key in ["another", nil] {
            #expect { try UsageStore(self.app.environment.folder, nil, key, in: self.app.environment) } throws: {
                ($0 as? TrackwayError)?.code == .encryptionKeyMissing
            }
        }
        #expect(store?.targetIdentifiers() == ["hidden"])
        store = nil
        let later = app.restarted()
        let disk = later.memory.storage
        for key in ["another", "", nil] {
            #expect { try UsageStore(later.environment.folder, nil, key, in: later.environment) } throws: {
                ["encryption_key_missing", "invalid_encryption_key"].contains(($0 as? TrackwayError)?.code.rawValue)
            }
        }
        let again = try UsageStore(later.environment.folder, nil, "a secret", in: later.environment)
        #expect(later.events(again, "hidden") == ["hush"])
        var paths = [again.folder.path]
        var files = 0
        while let path = paths.popLast() {
            let names = (try? disk.names(in: path)) ?? []
            paths += names.map { path + "/" + $0 }
            guard names.isEmpty, let bytes = try? disk.contents(of: path) else { continue }
            files += 1
            for text in ["hush", "hidden", "usage_record"] {
                #expect(Data(bytes).range(of: Data(text.utf8)) == nil, "\(path)")
            }
        }
        #expect(files > 3)
    }

    @Test("a URL that is not a folder and an unusable disk are rejected")
    func refused() throws {
        let page = try #require(URL(string: "https://example.com/usage"))
        #expect { try UsageStore(page, nil, in: app.environment) } throws: {
            ($0 as? TrackwayError)?.code == .storageUnavailable
        }
        let real = UsageEnvironment()
        #expect { try UsageStore(URL(fileURLWithPath: "/dev/null/usage"), nil, in: real) } throws: {
            ($0 as? TrackwayError)?.code == .storageUnavailable
        }
    }

    @Test("on a real disk a reopened store contains what was stored and not removed")
    func realDisk() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "usage-\(InstallationSecret.generate())"
        )
        defer { try? FileManager.default.removeItem(at: folder) }  // The system eventually deletes the folder.
        let environment = UsageEnvironment { $0.storage.folder = folder }
        let person = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
        for turn in 1...3 {
            let store = try UsageStore(folder, person, in: environment)
            let usage = Usage(environment)
            usage.configure(with: store)
            #expect(usage.outputEnabled() == (turn > 1))
            usage.enableDataCollection()
            usage.consentForUser(try #require(person), given: true)
            for day in [1.0, 2] { usage.reporter(for: "T").report(.event("\(turn)"), date: Self.day(day)) }
            store.removeRecords(before: Self.day(1), targetID: "T")
            #expect(store.snapshot(for: "T").all.map(\.event.description) == (1...turn).map { "\($0)" })
            #expect(store.targetIdentifiers() == ["T"])
        }
    }

    @Test("a removal that cannot be saved is reported and repeated on the next request")
    func diskFails() throws {
        let store = try store([1, 2])
        app.memory.storage.fail(.replace, with: .noSpace, paths: "/usage")
        let snapshot = try #require(store.snapshot(for: "t", till: Self.day(1)) as? UsageSnapshot)
        snapshot.removeRecords()
        #expect(snapshot.failure?.code == .storageUnavailable)
        #expect(app.events(store, "t") == ["1", "2"])
        #expect(Set(app.codes) == ["usage_state_not_kept", "storage_unavailable"])
        add([3], to: store)
        app.memory.storage.heal()
        snapshot.removeRecords()
        #expect(snapshot.failure == nil)
        #expect(app.events(store, "t") == ["2", "3"])
    }

    @Test("the last unattributed session is stored once for a user who is now known")
    func unattributed() throws {
        let person = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
        app.usage.configure(with: try app.store())
        for event in [.sessionStart, .event("old"), .sessionEnd, .sessionStart, .event("a"), .event("b")]
            as [UsageRecord.Event]
        {
            app.usage.reporter().report(event)
            app.usage.reporter(for: "u").report(event)
        }

        let second = app.restarted()
        let store = try second.store(of: person)
        second.usage.configure(with: store, retainLastUnattributedSession: true)
        _ = second.usage.reporter(injectUnattributed: false)
        #expect(second.events(store).isEmpty)
        second.usage.reporter().report(.event("mine"))
        _ = second.usage.reporter()
        #expect(second.events(store) == ["SessionStart", "a", "b", "mine"])
        second.usage.register(reporter: UsageReporter(), for: "u", injectUnattributed: false)
        #expect(second.events(store, "u").isEmpty)

        let third = second.restarted()
        let again = try third.store(of: person)
        third.usage.configure(with: again, retainLastUnattributedSession: true)
        third.usage.register(reporter: UsageReporter(), for: "u")
        // The preceding session is now the last one and is moved in the same way.
        _ = third.usage.reporter()
        #expect(third.events(again) == ["SessionStart", "a", "b", "mine", "SessionStart", "old", "SessionEnd"])
        #expect(third.events(again, "u") == ["SessionStart", "a", "b"])

        let fourth = third.restarted()
        let nobody = try fourth.store()
        #expect(fourth.events(nobody).isEmpty)
        #expect(fourth.events(nobody, "u") == ["SessionStart", "old", "SessionEnd"])
        let last = try fourth.store(of: person)
        fourth.usage.configure(with: last)
        _ = fourth.usage.reporter(for: "u")
        #expect(fourth.events(last, "u").count == 3)
    }

    @Test("a user who withdrew consent gets no unattributed records, which stay in their store")
    func unattributedRefused() throws {
        let person = try #require(UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10"))
        app.usage.configure(with: try app.store())
        app.usage.reporter().report(.sessionStart)
        app.usage.consentForUser(person)
        let next = app.restarted()
        let store = try next.store(of: person)
        next.usage.configure(with: store, retainLastUnattributedSession: true)
        _ = next.usage.reporter()
        #expect(next.events(store).isEmpty)
        next.usage.consentForUser(person, given: true)
        _ = next.usage.reporter()
        #expect(next.events(store) == ["SessionStart"])
        #expect(next.events(try next.store()).isEmpty)
    }

    @Test("a process that died between storing and removing stores nothing twice")
    func unattributedOnce() throws {
        let person = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
        app.usage.configure(with: try app.store())
        for event in [.sessionStart, .event("a"), .event("a")] as [UsageRecord.Event] {
            app.usage.reporter().report(event)
        }
        // The first two were stored, and none was removed.
        let half = app.restarted()
        let records = try half.store().snapshot(for: Usage.defaultTargetID).all
        let first = try half.store(of: person)
        for record in records.prefix(2) { first.store(record: record, for: Usage.defaultTargetID) }
        #expect(try !half.store().core.beginMove(Usage.defaultTargetID))
        let next = half.restarted()
        let store = try next.store(of: person)
        next.usage.configure(with: store, retainLastUnattributedSession: true)
        _ = next.usage.reporter()
        #expect(next.events(store) == ["SessionStart", "a", "a"])
    }

    @Test("concurrent snapshots and stores lose no record and remove none that was not read")
    func together() async throws {
        let store = try app.store()
        let read = Locked<[String]>([])
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<200 { store.store(record: UsageRecord(.event("\(thread)-\(number)")), for: "t") }
                }
            }
            // One task removes the records that it has read; the others only read.
            group.addTask {
                for _ in 0..<50 {
                    let snapshot = store.snapshot(for: "t")
                    let names = snapshot.all.map(\.event.description)
                    snapshot.removeRecords()
                    read.withLock { $0 += names }
                    await Task.yield()
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<20 {
                        let names = store.snapshot(for: "t").all.map(\.event.description)
                        #expect(Set(names).count == names.count)
                        await Task.yield()
                    }
                }
            }
        }
        let all = read.withLock { $0 } + app.events(store, "t")
        #expect(all.count == 1_600)
        #expect(Set(all).count == 1_600)
    }
}

/// An unattributed store and a user's store, each plain or encrypted.
@Suite("Last unattributed session with encryption keys")
struct UnattributedEncryptionTests {
    /// The keys of the two stores.
    struct Keys: Sendable, CustomStringConvertible {
        let nobody: String?
        let person: String?
        var description: String { "unattributed \(nobody ?? "plain"), user \(person ?? "plain")" }
        /// Whether the session is readable.
        var isReadable: Bool { nobody == nil || nobody == person }

        static let all = [nil, "a", "b"].flatMap { nobody in [nil, "a"].map { Keys(nobody: nobody, person: $0) } }
    }

    private let person = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")

    @Test(
        "the session is stored once for the user, whichever store has a key, and leaves nothing behind",
        arguments: Keys.all,
        [true, false]
    )
    func keys(_ keys: Keys, _ hasEarlier: Bool) throws {
        func store(_ app: UsageApp, _ person: UUID?, _ key: String?) throws -> UsageStore {
            try UsageStore(app.environment.folder, person, key, in: app.environment)
        }
        var app = UsageApp()
        app.usage.configure(with: try store(app, nil, keys.nobody))
        let earlier: [UsageRecord.Event] = hasEarlier ? [.sessionStart, .event("earlier")] : []
        for event in earlier + [.sessionStart, .event("hush-hush")] { app.usage.reporter().report(event) }

        app = app.restarted()
        let own = try store(app, person, keys.person)
        app.usage.configure(with: own, retainLastUnattributedSession: true)
        app.usage.reporter().report(.event("mine"))
        #expect(app.events(own) == (keys.isReadable ? ["SessionStart", "hush-hush"] : []) + ["mine"])
        #expect(app.codes == (keys.isReadable ? [] : ["encryption_key_missing"]))
        let isPlainLeft = keys.person == nil && keys.isReadable || keys.nobody == nil && !keys.isReadable
        #expect(app.files(holding: "hush-hush").isEmpty == !isPlainLeft)

        app = app.restarted()
        let nobody = try store(app, nil, keys.nobody)
        #expect(
            app.events(nobody)
                == earlier.map(\.description) + (keys.isReadable ? [] : ["SessionStart", "hush-hush"])
        )
        let again = try store(app, person, keys.person)
        app.usage.configure(with: again)
        _ = app.usage.reporter()
        #expect(app.events(again) == (keys.isReadable ? ["SessionStart", "hush-hush"] : []) + ["mine"])
    }
}
