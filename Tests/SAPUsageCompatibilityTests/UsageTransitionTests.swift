// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

/// Tests what is stored, injected and sent for each combination.
///
/// A combination consists of policy, consent, user, subsequent decisions, and the point at which the process ends.
@Suite("Changes of policy and consent")
struct UsageTransitionTests {
    typealias Cell = UsageDecisionTableTests.Row

    /// The point at which a process is killed and the next one begins.
    enum Restart: CaseIterable, Sendable {
        case never, beforeDeciding, afterDeciding
    }

    /// A transition between two rows.
    struct Transition: Sendable, CustomStringConvertible {
        let from: Cell
        let to: Cell
        let restart: Restart

        /// The transitions from every row to each row that decisions can produce.
        ///
        /// A decision cannot be reset to undecided.
        static let all = Cell.all.filter { !$0.isOwnStore }.flatMap { from in
            Cell.all.filter { to in
                !to.isOwnStore && to.isKnown == from.isKnown
                    && (to.policy != .never || from.policy == .never)
                    && (to.consent != .never || from.consent == .never)
            }.flatMap { to in Restart.allCases.map { Transition(from: from, to: to, restart: $0) } }
        }

        var description: String { "\(from) → \(to), restart \(restart)" }
    }

    /// The expected contents of the stores.
    private struct Expected {
        var anonymous = ["SessionStart", "unknown"]
        var ofUser: [String] = []

        /// Applies the effect of a newly requested reporter that reports these names.
        mutating func report(_ names: [String], in cell: Cell) {
            guard cell.isStored else { return }
            if cell.isKnown {
                ofUser += anonymous + names
                anonymous = []
            } else {
                anonymous += names
            }
        }

        mutating func applyDecision(_ cell: Cell) {
            if cell.isKnown, cell.consent == .no { ofUser = [] }
        }
    }

    private let userID = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")

    private func applyDecision(_ cell: Cell, after former: Cell?, _ usage: Usage) throws {
        let userID = try #require(userID)
        switch cell.policy {
        case former?.policy, .never: break
        case .yes: usage.enableDataCollection()
        case .no: usage.disableDataCollection()
        }
        switch cell.consent {
        case former?.consent, .never: break
        case .yes: usage.consentForUser(userID, given: true)
        case .no: usage.consentForUser(userID)
        }
    }

    private func configured(_ app: UsageApp, _ cell: Cell) throws -> UsageApp {
        app.usage.configure(with: try app.store(of: cell.isKnown ? userID : nil), retainLastUnattributedSession: true)
        return app
    }

    private func expect(_ expected: Expected, in app: UsageApp, _ transition: Transition) throws {
        #expect(app.events(try app.store()) == expected.anonymous, "\(transition)")
        if transition.to.isKnown { #expect(app.events(try app.store(of: userID)) == expected.ofUser, "\(transition)") }
    }

    @Test(arguments: Restart.allCases)
    func `every transition has the expected effect, with a restart before, after, or not at all`(_ restart: Restart)
        async throws
    {
        let transitions = Transition.all.filter { $0.restart == restart }
        // Each of the two decisions has 7 transitions, and the user is known or unknown.
        #expect(transitions.count == 98)
        for transition in transitions { try await perform(transition) }
    }

    private func perform(_ transition: Transition) async throws {
        let (from, to) = (transition.from, transition.to)
        var expected = Expected()
        // An unknown user uses the app before any decision.
        var app = UsageApp()
        app.memory.transport.always(.respond(WireResponse(status: 201, body: Array(#"{"report":"x"}"#.utf8))))
        let unattributedStore = try app.store()
        unattributedStore.store(record: app.environment.sessionStart(application: "shop", version: nil), for: "default")
        unattributedStore.store(record: UsageRecord(.event("unknown"), date: app.environment.now.date), for: "default")

        app = app.restarted()
        try applyDecision(from, after: nil, app.usage)
        app = try configured(app, from)
        app.usage.reporter().report(app.environment.sessionStart(application: "shop", version: nil))
        app.usage.reporter().report(.event("before"))
        expected.applyDecision(from)
        expected.report(["SessionStart", "before"], in: from)
        try expect(expected, in: app, transition)

        if transition.restart == .beforeDeciding { app = try configured(app.restarted(), from) }
        try applyDecision(to, after: from, app.usage)
        expected.applyDecision(to)
        if transition.restart == .afterDeciding { app = try configured(app.restarted(), to) }
        try expect(expected, in: app, transition)
        #expect(app.usage.outputEnabled() == to.isSent, "\(transition)")

        app.usage.reporter().report(app.environment.sessionStart(application: "shop", version: nil))
        app.usage.reporter().report(.event("after"))
        expected.report(["SessionStart", "after"], in: to)
        try expect(expected, in: app, transition)

        let error = await upload(app)
        let sent = try app.memory.transport.requests.flatMap { request in
            (try JSONValue.parse(request.body)["sessions"]?.array ?? [])
                .flatMap { $0["events"]?.array ?? [] }.compactMap { $0["key"]?.string }
        }
        if to.isSent {
            #expect(error == nil, "\(transition)")
            #expect(sent == expected.ofUser + ["SessionEnd"], "\(transition)")
            expected.ofUser = ["SessionStart"]
        } else {
            #expect(error == .outputDisabled, "\(transition)")
            #expect(sent.isEmpty, "\(transition)")
        }
        app = app.restarted()
        try expect(expected, in: app, transition)
    }

    private func upload(_ app: UsageApp) async -> SAPcpmsUsageUploader.UploadError? {
        let destination = SAPMobileServicesDestination(backendURL: "https://tenant.test", applicationID: "shop")
        let upload = SAPcpmsUpload(to: destination, by: SAPURLSession(), of: "default", from: app.usage.core)
        return await withCheckedContinuation { continuation in
            upload.begin(nil) { continuation.resume(returning: $0 as? SAPcpmsUsageUploader.UploadError) }
        }
    }
}
