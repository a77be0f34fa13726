// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SAPUsageCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

/// Combinations of policy, consent, user, and store implementation, with a restart in each.
@Suite("Storing and sending by policy and consent")
struct UsageDecisionTableTests {
    /// The decision on one subject, if any.
    enum Decision: CaseIterable, Sendable {
        case never, yes, no
    }

    /// A row of the table.
    struct Row: Sendable, CustomStringConvertible {
        let policy: Decision
        let consent: Decision
        let isKnown: Bool
        let isOwnStore: Bool

        static let all = Decision.allCases.flatMap { policy in
            Decision.allCases.flatMap { consent in
                [true, false].flatMap { isKnown in
                    [true, false].map { Row(policy: policy, consent: consent, isKnown: isKnown, isOwnStore: $0) }
                }
            }
        }

        /// The expected values.
        var isStored: Bool { policy != .no && !(isKnown && consent == .no) }
        var isSent: Bool { policy == .yes && isKnown && consent == .yes }
        var reason: DropReason { policy == .no ? .disabled : .consentDenied }
        var description: String { "policy \(policy), consent \(consent), known \(isKnown), own store \(isOwnStore)" }
    }

    private let userID = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")

    private func store(_ row: Row, _ app: UsageApp) throws -> any UsageStoring {
        let userID = try #require(userID)
        if row.isOwnStore { return CustomStore(row.isKnown ? userID.uuidString : Usage.unattributedStorageID) }
        return try app.store(of: row.isKnown ? userID : nil)
    }

    private func decide(_ row: Row, _ usage: Usage) throws {
        let userID = try #require(userID)
        switch row.policy {
        case .never: break
        case .yes: usage.enableDataCollection()
        case .no: usage.disableDataCollection()
        }
        switch row.consent {
        case .never: break
        case .yes: usage.consentForUser(userID, given: true)
        case .no: usage.consentForUser(userID)
        }
    }

    private func check(_ row: Row, _ app: UsageApp, _ store: any UsageStoring, before: Int) throws {
        let usage = app.usage
        #expect(usage.outputEnabled() == row.isSent)
        #expect(usage.dataCollectionEnabled == (row.policy == .yes))
        #expect(usage.userConsent == (row.isKnown && row.consent == .yes))
        #expect(usage.userID == (row.isKnown ? userID?.uuidString : nil))
        #expect(usage.hasConsentForUser(try #require(userID)) == (row.consent == .yes))
        let dropped = usage.droppedReports[row.reason] ?? 0
        usage.reporter().report(.event("a"))
        #expect(app.events(store).count == before + (row.isStored ? 1 : 0))
        #expect(usage.droppedReports[row.reason] ?? 0 == dropped + (row.isStored ? 0 : 1))
    }

    @Test(arguments: Row.all)
    func `each row applies with decisions before or after configuring the store, and after a restart`(_ row: Row) throws
    {
        for isDecidedFirst in [true, false] {
            let app = UsageApp()
            let store = try store(row, app)
            if isDecidedFirst { try decide(row, app.usage) }
            app.usage.configure(with: store)
            if !isDecidedFirst { try decide(row, app.usage) }
            try check(row, app, store, before: 0)

            let next = app.restarted()
            let nextStore = row.isOwnStore ? store : try self.store(row, next)
            next.usage.configure(with: nextStore)
            try check(row, next, nextStore, before: row.isStored ? 1 : 0)
        }
    }

    @Test(arguments: Row.all.filter { !$0.isOwnStore })
    func `each transition between rows takes effect immediately and survives a restart`(_ from: Row) throws {
        for to in Row.all
        where !to.isOwnStore && to.isKnown == from.isKnown && to.policy != .never && to.consent != .never {
            let app = UsageApp()
            app.usage.configure(with: try store(from, app))
            try decide(from, app.usage)
            app.usage.reporter().report(.event("before"))
            try decide(to, app.usage)
            #expect(app.usage.outputEnabled() == to.isSent, "\(from) to \(to)")
            let next = app.restarted()
            let store = try store(to, next)
            next.usage.configure(with: store)
            #expect(next.usage.outputEnabled() == to.isSent, "\(from) to \(to)")
            // Withdrawing consent also removes the stored records.
            let isKept = from.isStored && !(to.isKnown && to.consent == .no)
            #expect(next.events(store) == (isKept ? ["before"] : []), "\(from) to \(to)")
        }
    }

    @Test
    func `session data starts once records may be sent, and ends before sending is disallowed`() throws {
        let userID = try #require(userID)
        let app = UsageApp()
        let store = try app.store(of: userID)
        app.usage.configure(with: store, addSessionData: "shop")
        app.usage.enableDataCollection(addSessionData: "shop")
        #expect(app.events(store).isEmpty)
        app.usage.consentForUser(userID, given: true, addSessionData: "shop")
        app.usage.consentForUser(userID, given: true, addSessionData: "shop")
        app.usage.enableDataCollection(addSessionData: "shop")
        #expect(app.events(store) == ["SessionStart"])
        #expect(store.snapshot(for: Usage.defaultTargetID).all.first?.info["application"] as? String == "shop")
        app.usage.disableDataCollection(addSessionData: true)
        app.usage.disableDataCollection(addSessionData: true)
        app.usage.enableDataCollection()
        app.usage.disableDataCollection()
        #expect(app.events(store) == ["SessionStart", "SessionEnd"])
        app.usage.enableDataCollection()

        let next = app.restarted()
        let reopened = try next.store(of: userID)
        next.usage.configure(with: reopened, addSessionData: "shop")
        #expect(next.events(reopened) == ["SessionStart", "SessionEnd", "SessionStart"])
    }

    @Test
    func `stored records are removed with consent, even if the user consents again immediately`() throws {
        let userID = try #require(userID)
        let app = UsageApp()
        let store = try app.store(of: userID)
        app.usage.configure(with: store)
        for target in ["a", "B"] { app.usage.reporter(for: target).report(.event("before")) }
        app.usage.consentForUser(userID)
        app.usage.consentForUser(userID, given: true)
        app.usage.reporter(for: "a").report(.event("after"))
        #expect(app.events(store, "a") == ["after"])
        #expect(app.events(store, "B").isEmpty)
        let next = app.restarted()
        #expect(next.events(try next.store(of: userID), "a") == ["after"])
    }

    @Test
    func `another user's decision is remembered and has no effect on the current user`() throws {
        let userID = try #require(userID)
        let other = try #require(UUID(uuidString: "0C2A7C36-5D0B-4C6E-8C0F-6C1E2B7F90A4"))
        let app = UsageApp()
        let store = try app.store(of: userID)
        app.usage.configure(with: store)
        app.usage.enableDataCollection()
        app.usage.consentForUser(userID, given: true)
        app.usage.reporter().report(.event("a"))
        app.usage.consentForUser(other)
        #expect(app.usage.outputEnabled())
        #expect(app.events(store) == ["a"])
        #expect(!app.usage.hasConsentForUser(other))

        let next = app.restarted()
        let otherStore = try next.store(of: other)
        next.usage.configure(with: otherStore)
        next.usage.reporter().report(.event("b"))
        #expect(next.events(otherStore).isEmpty)
        #expect(next.usage.droppedReports == [.consentDenied: 1])
    }
}
