// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
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

    @Test
    func `a snapshot contains records stored before it, and removes exactly those`() throws {
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

    @Test
    func `a body may stop, report and remove records while reading`() throws {
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
        // Either all records were read at once, or the read ended with an error. The result is never wrong.
        #expect(snapshot.failure == nil || snapshot.failure?.code == .snapshotOutdated)
        #expect(store.snapshot(for: "t").recordCount() == 0)
    }

    @Test
    func `a snapshot whose records another one removed is reported as outdated`() throws {
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
        arguments: [
            (3.0, nil, ["4", "5"]), (5, nil, []), (0, nil, ["1", "5", "3", "2", "4"]), (4, 2, ["1", "5"]),
            (2, 2, ["1", "5", "3", "4"]), (9, 5, ["1", "3", "2", "4"]), (2, 4, ["1", "5", "3", "2", "4"]),
        ] as [(Double, Double?, [String])]
    )
    func `removal by date includes both ends and survives a restart`(before: Double, after: Double?, left: [String])
        throws
    {
        let store = try store([1, 5, 3, 2, 4])
        store.removeRecords(before: Self.day(before), after: after.map { Self.day($0) }, targetID: "t")
        #expect(app.events(store, "t").sorted() == left.sorted())
        #expect(app.codes == ((after ?? before) > before ? ["usage_range_empty"] : []))
        #expect(store.snapshot(for: "t").recordCount() == left.count)
        let next = app.restarted()
        let reopened = try next.store()
        #expect(next.events(reopened, "t").sorted() == left.sorted())
        // Records stored later stay, regardless of their date.
        add([3], to: reopened)
        #expect(next.events(reopened, "t").sorted() == (left + ["3"]).sorted())
        reopened.snapshot(for: "t").removeRecords()
        #expect(reopened.snapshot(for: "t").recordCount() == 0)
        add([3], to: reopened)
        #expect(next.events(reopened, "t") == ["3"])
    }

    @Test
    func `successive removals by date affect only their target's records`() throws {
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

    @Test
    func `each user has a folder, shared by all stores for that user`() throws {
        let userID = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
        let one = try app.store(of: userID)
        let same = try app.store(of: userID)
        let other = try app.store()
        one.store(record: UsageRecord(.event("a")), for: "t")
        #expect(app.events(same, "t") == ["a"])
        #expect(app.events(other, "t").isEmpty)
        #expect(one.storageID == "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
        #expect(other.storageID == Usage.unattributedStorageID)
        app.memory.clock.advance(by: .seconds(60))
        #expect(try app.restarted().store(of: userID).initTimestamp == one.initTimestamp)
    }

    @Test
    func `with a key, no file contains plain text, and only the same key opens the store again`() throws {
        var store: UsageStore? = try UsageStore(app.environment.folder, nil, "a secret", in: app.environment)
        store?.store(record: UsageRecord(.event("hush")), for: "hidden")
        for key in ["another", nil] {
            #expect { try UsageStore(self.app.environment.folder, nil, key, in: self.app.environment) } throws: {
                ($0 as? TrackwayError)?.code == .encryptionKeyMissing
            }
        }
        #expect(store?.targetIdentifiers() == ["hidden"])
        store = nil
        let nextApp = app.restarted()
        let disk = nextApp.memory.storage
        for key in ["another", "", nil] {
            #expect { try UsageStore(nextApp.environment.folder, nil, key, in: nextApp.environment) } throws: {
                ["encryption_key_missing", "invalid_encryption_key"].contains(($0 as? TrackwayError)?.code.rawValue)
            }
        }
        let reopened = try UsageStore(nextApp.environment.folder, nil, "a secret", in: nextApp.environment)
        #expect(nextApp.events(reopened, "hidden") == ["hush"])
        var paths = [reopened.folder.path]
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

    @Test
    func `a URL that is not a folder and an unusable disk are rejected`() throws {
        let page = try #require(URL(string: "https://example.com/usage"))
        #expect { try UsageStore(page, nil, in: app.environment) } throws: {
            ($0 as? TrackwayError)?.code == .storageUnavailable
        }
        let real = UsageEnvironment()
        #expect { try UsageStore(URL(fileURLWithPath: "/dev/null/usage"), nil, in: real) } throws: {
            ($0 as? TrackwayError)?.code == .storageUnavailable
        }
    }

    @Test
    func `on a real disk, a reopened store contains what was stored and not removed`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "usage-\(InstallationSecret.generate())"
        )
        defer { try? FileManager.default.removeItem(at: folder) }  // The system eventually deletes the folder.
        let environment = UsageEnvironment { $0.storage.folder = folder }
        let userID = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
        for turn in 1...3 {
            let store = try UsageStore(folder, userID, in: environment)
            let usage = Usage(environment)
            usage.configure(with: store)
            #expect(usage.outputEnabled() == (turn > 1))
            usage.enableDataCollection()
            usage.consentForUser(try #require(userID), given: true)
            for day in [1.0, 2] { usage.reporter(for: "T").report(.event("\(turn)"), date: Self.day(day)) }
            store.removeRecords(before: Self.day(1), targetID: "T")
            #expect(store.snapshot(for: "T").all.map(\.event.description) == (1...turn).map { "\($0)" })
            #expect(store.targetIdentifiers() == ["T"])
        }
    }

    @Test
    func `a removal that cannot be saved is reported and repeated on the next request`() throws {
        let store = try store([1, 2])
        app.memory.storage.fail(.replace, with: .noSpace, paths: "/usage")
        let snapshot = try #require(store.snapshot(for: "t", till: Self.day(1)) as? UsageSnapshot)
        snapshot.removeRecords()
        #expect(snapshot.failure?.code == .storageUnavailable)
        #expect(app.events(store, "t") == ["1", "2"])
        #expect(Set(app.codes) == ["usage_state_not_kept", "storage_unavailable"])
        add([3], to: store)
        app.memory.storage.clearFaults()
        snapshot.removeRecords()
        #expect(snapshot.failure == nil)
        #expect(app.events(store, "t") == ["2", "3"])
    }

    @Test
    func `the last unattributed session is stored once for a user who is now known`() throws {
        let userID = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
        app.usage.configure(with: try app.store())
        for event in [.sessionStart, .event("old"), .sessionEnd, .sessionStart, .event("a"), .event("b")]
            as [UsageRecord.Event]
        {
            app.usage.reporter().report(event)
            app.usage.reporter(for: "u").report(event)
        }

        let second = app.restarted()
        let store = try second.store(of: userID)
        second.usage.configure(with: store, retainLastUnattributedSession: true)
        _ = second.usage.reporter(injectUnattributed: false)
        #expect(second.events(store).isEmpty)
        second.usage.reporter().report(.event("mine"))
        _ = second.usage.reporter()
        #expect(second.events(store) == ["SessionStart", "a", "b", "mine"])
        second.usage.register(reporter: UsageReporter(), for: "u", injectUnattributed: false)
        #expect(second.events(store, "u").isEmpty)

        let third = second.restarted()
        let reopened = try third.store(of: userID)
        third.usage.configure(with: reopened, retainLastUnattributedSession: true)
        third.usage.register(reporter: UsageReporter(), for: "u")
        // The preceding session is now the last one and is moved in the same way.
        _ = third.usage.reporter()
        #expect(third.events(reopened) == ["SessionStart", "a", "b", "mine", "SessionStart", "old", "SessionEnd"])
        #expect(third.events(reopened, "u") == ["SessionStart", "a", "b"])

        let fourth = third.restarted()
        let unattributedStore = try fourth.store()
        #expect(fourth.events(unattributedStore).isEmpty)
        #expect(fourth.events(unattributedStore, "u") == ["SessionStart", "old", "SessionEnd"])
        let last = try fourth.store(of: userID)
        fourth.usage.configure(with: last)
        _ = fourth.usage.reporter(for: "u")
        #expect(fourth.events(last, "u").count == 3)
    }

    @Test
    func `a user who withdrew consent gets no unattributed records, which stay in their store`() throws {
        let userID = try #require(UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10"))
        app.usage.configure(with: try app.store())
        app.usage.reporter().report(.sessionStart)
        app.usage.consentForUser(userID)
        let next = app.restarted()
        let store = try next.store(of: userID)
        next.usage.configure(with: store, retainLastUnattributedSession: true)
        _ = next.usage.reporter()
        #expect(next.events(store).isEmpty)
        next.usage.consentForUser(userID, given: true)
        _ = next.usage.reporter()
        #expect(next.events(store) == ["SessionStart"])
        #expect(next.events(try next.store()).isEmpty)
    }

    @Test
    func `a process that died between storing and removing stores nothing twice`() throws {
        let userID = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
        app.usage.configure(with: try app.store())
        for event in [.sessionStart, .event("a"), .event("a")] as [UsageRecord.Event] {
            app.usage.reporter().report(event)
        }
        // The first two were stored, and none was removed.
        let half = app.restarted()
        let records = try half.store().snapshot(for: Usage.defaultTargetID).all
        let first = try half.store(of: userID)
        for record in records.prefix(2) { first.store(record: record, for: Usage.defaultTargetID) }
        #expect(try !half.store().core.beginMove(Usage.defaultTargetID))
        let next = half.restarted()
        let store = try next.store(of: userID)
        next.usage.configure(with: store, retainLastUnattributedSession: true)
        _ = next.usage.reporter()
        #expect(next.events(store) == ["SessionStart", "a", "a"])
    }

    @Test
    func `concurrent snapshots and stores lose no record and remove no unread record`() async throws {
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
        let unattributed: String?
        let user: String?
        var description: String { "unattributed \(unattributed ?? "plain"), user \(user ?? "plain")" }
        /// Whether the session is readable.
        var isReadable: Bool { unattributed == nil || unattributed == user }

        static let all = [nil, "a", "b"].flatMap { unattributed in
            [nil, "a"].map { Keys(unattributed: unattributed, user: $0) }
        }
    }

    private let userID = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")

    @Test(
        arguments: Keys.all,
        [true, false]
    )
    func `the session is stored once for the user, whichever store has a key, and leaves nothing behind`(
        _ keys: Keys,
        _ hasEarlier: Bool
    ) throws {
        func store(_ app: UsageApp, _ userID: UUID?, _ key: String?) throws -> UsageStore {
            try UsageStore(app.environment.folder, userID, key, in: app.environment)
        }
        var app = UsageApp()
        app.usage.configure(with: try store(app, nil, keys.unattributed))
        let earlier: [UsageRecord.Event] = hasEarlier ? [.sessionStart, .event("earlier")] : []
        for event in earlier + [.sessionStart, .event("hush-hush")] { app.usage.reporter().report(event) }

        app = app.restarted()
        let userStore = try store(app, userID, keys.user)
        app.usage.configure(with: userStore, retainLastUnattributedSession: true)
        app.usage.reporter().report(.event("mine"))
        #expect(app.events(userStore) == (keys.isReadable ? ["SessionStart", "hush-hush"] : []) + ["mine"])
        #expect(app.codes == (keys.isReadable ? [] : ["encryption_key_missing"]))
        let isPlainLeft = keys.user == nil && keys.isReadable || keys.unattributed == nil && !keys.isReadable
        #expect(app.files(containing: "hush-hush").isEmpty == !isPlainLeft)

        app = app.restarted()
        let unattributedStore = try store(app, nil, keys.unattributed)
        #expect(
            app.events(unattributedStore)
                == earlier.map(\.description) + (keys.isReadable ? [] : ["SessionStart", "hush-hush"])
        )
        let reopened = try store(app, userID, keys.user)
        app.usage.configure(with: reopened)
        _ = app.usage.reporter()
        #expect(app.events(reopened) == (keys.isReadable ? ["SessionStart", "hush-hush"] : []) + ["mine"])
    }
}
