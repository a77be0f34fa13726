// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

@Suite("Withdrawn consent")
struct UsageWithdrawalTests {
    /// The state of the other user's store when that user decides.
    enum StoreState: CaseIterable, Sendable {
        /// In the default folder, not open.
        case closed
        /// In the default folder, held open by the app.
        case open
        /// Encrypted.
        case encrypted
        /// In another folder.
        case elsewhere
    }

    private let app = UsageApp()
    private let backEnd = UploadBackEnd()
    private static let other = UUID(uuid: (1, 2, 3, 4, 5, 6, 0x47, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    private func store(_ state: StoreState, _ app: UsageApp) throws -> UsageStore {
        let folder = state == .elsewhere ? URL(fileURLWithPath: "/elsewhere") : app.environment.folder
        return try UsageStore(folder, Self.other, state == .encrypted ? "a key" : nil, in: app.environment)
    }

    @Test(
        arguments: StoreState.allCases,
        [[false, false], [true, false], [false, true], [true, true]]
    )
    func `a withdrawal removes records of a user whose store is not in use, even if consent is given again`(
        _ state: StoreState,
        _ restarts: [Bool]
    ) async throws {
        var app = app
        app.usage.configure(with: try store(state, app))
        app.usage.enableDataCollection()
        app.usage.consentForUser(Self.other, given: true)
        app.usage.reporter().report(app.start())
        app.usage.reporter().report(.event("hush-hush"))
        app.usage.reporter(for: "second").report(.event("hush-hush"))

        app = app.restarted()
        app.usage.configure(with: try app.store(of: UsageApp.userID))
        let openStore = state == .open ? try store(state, app) : nil
        app.usage.consentForUser(Self.other, given: false)
        if let openStore { #expect(app.events(openStore).isEmpty) }
        if state == .closed || state == .open { #expect(app.files(containing: "hush-hush").isEmpty) }
        if restarts[0] {
            app = app.restarted()
            app.usage.configure(with: try app.store(of: UsageApp.userID))
        }
        app.usage.consentForUser(Self.other, given: true)
        if restarts[1] { app = app.restarted() } else { app = UsageApp(app.memory) }
        let reopened = try store(state, app)
        #expect(app.events(reopened).isEmpty)
        #expect(reopened.targetIdentifiers().isEmpty)
        app.usage.configure(with: reopened)
        #expect(app.usage.outputEnabled())
        app.usage.reporter().report(app.start())
        app.usage.reporter().report(.event("new"))
        #expect(await app.upload(to: backEnd) == nil)
        #expect(backEnd.sessions == [["SessionStart", "new", "SessionEnd"]])
        #expect(reopened.core.analytics.ledger().destinations["t.second"]?.delivered ?? 0 == 0)
    }

    @Test(arguments: [false, true])
    func `a withdrawal before the store is configured takes effect in the same process`(_ isOwn: Bool) async throws {
        let customStore = CustomStore(Self.other.uuidString)
        let store: any UsageStoring = isOwn ? customStore : try store(.closed, app)
        store.store(record: app.start(), for: "default")
        store.store(record: UsageRecord(.event("hush-hush"), date: app.environment.now.date), for: "default")
        app.usage.enableDataCollection()
        app.usage.consentForUser(Self.other, given: false)
        app.usage.consentForUser(Self.other, given: true)
        app.usage.configure(with: store)
        #expect(app.events(store).isEmpty)
        #expect(await app.upload(to: backEnd) == .noData)
        #expect(backEnd.requests == 0)
    }

    @Test(arguments: [false, true])
    func `a withdrawal is carried out once: records stored after new consent stay, across restarts`(_ isOwn: Bool)
        throws
    {
        var app = app
        let customStore = CustomStore(Self.other.uuidString.lowercased())
        app.usage.configure(with: isOwn ? customStore : try store(.closed, app))
        app.usage.consentForUser(Self.other, given: false)
        app.usage.reporter().report(.event("refused"))
        app.usage.consentForUser(Self.other, given: true)
        app.usage.reporter().report(.event("kept"))
        for _ in 0..<2 {
            app = app.restarted()
            let store: any UsageStoring = isOwn ? customStore : try store(.closed, app)
            app.usage.configure(with: store)
            app.usage.consentForUser(Self.other, given: true)
            #expect(app.events(store) == ["kept"])
        }
    }

    @Test
    func `a withdrawal empties a custom store of all targets and dates, even one configured later`() async throws {
        var app = app
        let customStore = CustomStore(Self.other.uuidString)
        app.usage.configure(with: customStore)
        app.usage.enableDataCollection()
        app.usage.consentForUser(Self.other, given: true)
        app.usage.reporter().report(app.start())
        app.usage.reporter().report(.event("hush-hush"))
        app.usage.reporter().report(.event("late"), date: .distantFuture)
        app.usage.reporter(for: "second").report(.event("hush-hush"))
        app.usage.consentForUser(Self.other, given: false)
        #expect(customStore.storedRecords.isEmpty)
        app.usage.consentForUser(Self.other, given: true)
        #expect(await app.upload(to: backEnd) == .noData)
        app.usage.reporter().report(.event("hush-hush"))

        app = app.restarted()
        app.usage.configure(with: try app.store(of: UsageApp.userID))
        app.usage.consentForUser(Self.other, given: false)
        app.usage.consentForUser(Self.other, given: true)
        app = app.restarted()
        app.usage.configure(with: customStore)
        #expect(customStore.storedRecords.isEmpty)
    }

    @Test
    func `a custom store that does not remove its records is reported, and the removal is requested again`() throws {
        final class Stubborn: UsageStoring {
            let storageID: String
            let initTimestamp = Date(timeIntervalSince1970: 0)
            var isStubborn = true
            var count = 1
            init(_ id: String) { storageID = id }
            func removeRecords(before date: Date, after end: Date?, targetID: String) {
                if !isStubborn { count = 0 }
            }
            func snapshot(for targetID: String) -> any UsageSnapshotting { Snapshot(store: self) }
            func snapshot(for targetID: String, till date: Date?) -> any UsageSnapshotting { Snapshot(store: self) }
            func store(record: UsageRecord, for targetID: String) { count += 1 }
            func targetIdentifiers() -> [String] { ["default"] }
            struct Snapshot: UsageSnapshotting {
                let store: Stubborn
                func records(_ body: (UsageRecord) -> Bool) {}
                func recordCount() -> Int { store.count }
                func removeRecords() {}
            }
        }
        let store = Stubborn(Self.other.uuidString)
        app.usage.configure(with: store)
        app.usage.consentForUser(Self.other, given: false)
        #expect(app.codes == ["usage_state_not_kept"])
        store.isStubborn = false
        app.usage.consentForUser(Self.other, given: true)
        #expect(store.count == 0)
    }

    @Test(arguments: [1, 3_000])
    func `a withdrawal leaves no byte of a record on the disk`(_ count: Int) throws {
        let store = try app.configureWithConsent()
        for _ in 0..<count { app.usage.reporter().report(.event("hush")) }
        #expect(!app.files(containing: "hush").isEmpty)
        app.usage.consentForUser(UsageApp.userID, given: false)
        #expect(app.files(containing: "hush").isEmpty)
        #expect(store.snapshot(for: "default").recordCount() == 0)
        let next = app.restarted()
        #expect(next.files(containing: "hush").isEmpty)
    }

    @Test(arguments: [false, true])
    func `a withdrawal between two requests ends the upload, and earlier records are never sent`(_ isOwn: Bool)
        async throws
    {
        let store = try app.configureWithConsent(isOwn ? CustomStore(UsageApp.userID.uuidString) : nil)
        app.usage.reporter().report(app.start())
        for number in 0..<450 { app.usage.reporter().report(.event("hush-hush \(number)")) }
        let usage = app.usage
        backEnd.setResponse { _, number in
            if number == 1 {
                usage.consentForUser(UsageApp.userID, given: false)
                usage.consentForUser(UsageApp.userID, given: true)
            }
            return .accept
        }
        #expect(await app.upload(to: backEnd) == .outputDisabled)
        #expect(backEnd.requests == 1)
        #expect(app.events(store).isEmpty)
        app.usage.reporter().report(app.start())
        app.usage.reporter().report(.event("new"))
        #expect(await app.upload(to: backEnd) == nil)
        #expect(backEnd.reports.last?.map(\.key) == ["SessionStart", "new", "SessionEnd"])
    }

    @Test
    func `a withdrawal also removes withheld records and the session that an upload began`() async throws {
        let store = try app.configureWithConsent()
        app.usage.reporter().report(.event("no session"))
        app.usage.reporter().report(app.start())
        app.usage.reporter().report(.event("a"))
        #expect(await app.upload(to: backEnd) == nil)
        #expect(app.events(store) == ["no session", "SessionStart"])
        app.usage.consentForUser(UsageApp.userID, given: false)
        app.usage.consentForUser(UsageApp.userID, given: true)
        #expect(app.events(store).isEmpty)
        #expect(store.targetIdentifiers().isEmpty)
    }

    @Test
    func `a withdrawal by another process prevents this one's next request`() async throws {
        let store = try app.configureWithConsent()
        app.usage.reporter().report(app.start())
        for number in 0..<450 { app.usage.reporter().report(.event("hush-hush \(number)")) }
        let environment = app.environment
        backEnd.setResponse { _, number in
            if number == 1 { Usage(environment).consentForUser(UsageApp.userID, given: false) }
            return .accept
        }
        #expect(await app.upload(to: backEnd) == .outputDisabled)
        #expect(backEnd.requests == 1)
        #expect(!app.usage.outputEnabled())
        #expect(app.events(store).isEmpty)
    }

    @Test
    func `a withdrawal that cannot be saved takes effect, and is saved with the next decision`() async throws {
        let store = try app.configureWithConsent()
        app.usage.reporter().report(.event("hush-hush"))
        app.memory.storage.fail(.replace, with: .noSpace, paths: "/decisions")
        app.usage.consentForUser(UsageApp.userID, given: false)
        #expect(app.events(store).isEmpty)
        #expect(await app.upload(to: backEnd) == .outputDisabled)
        app.memory.storage.clearFaults()
        app.usage.enableDataCollection()
        let next = app.restarted()
        #expect(!next.usage.hasConsentForUser(UsageApp.userID))
        next.usage.configure(with: try next.store(of: UsageApp.userID))
        next.usage.reporter().report(.event("refused"))
        #expect(next.usage.droppedReports == [.consentDenied: 1])
    }

    @Test
    func `a withdrawal that cannot be carried out blocks all sending until it succeeds`() async throws {
        let store = try app.configureWithConsent()
        app.usage.reporter().report(app.start())
        app.usage.reporter().report(.event("hush-hush"))
        app.memory.storage.fail(.replace, with: .noSpace, paths: "/usage")
        app.usage.consentForUser(UsageApp.userID, given: false)
        app.usage.consentForUser(UsageApp.userID, given: true)
        guard case .storage? = await app.upload(to: backEnd) else {
            Issue.record("sent")
            return
        }
        #expect(backEnd.requests == 0)
        app.memory.storage.clearFaults()
        app.usage.consentForUser(UsageApp.userID, given: true)
        #expect(app.events(store).isEmpty)
        #expect(await app.upload(to: backEnd) == .noData)
    }

    @Test
    func `a withdrawal in a decisions file of an earlier version is carried out on new consent`() throws {
        app.usage.configure(with: try store(.closed, app))
        app.usage.reporter().report(.event("hush-hush"))
        let next = app.restarted()
        try next.memory.storage.replace(
            next.environment.folder.path + "/decisions",
            with: Array(#"{"collection":true,"consents":{"\#(Self.other.uuidString)":false}}"#.utf8),
            durably: true
        )
        next.usage.configure(with: try next.store(of: UsageApp.userID))
        next.usage.consentForUser(Self.other, given: true)
        #expect(next.events(try store(.closed, next)).isEmpty)
    }
}
