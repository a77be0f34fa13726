// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Consent decisions of people")
struct ConsentHistoryTests {
    private static func context(_ user: String?) -> String {
        user.map { #"{"context":{"user":{"id":"\#($0)"}}}"# } ?? #"{"context":{"session":{"id":"s"}}}"#
    }

    private static func decision(_ number: UInt64, _ decision: String, time: Int64, more: String = "") -> String {
        line(number, "_consent", time: time, attributes: #"{"_consent_decision":"\#(decision)"\#(more)}"#)
    }

    /// Returns an index of a phone of ann's, and of a tablet that ann, bob and a visitor use.
    private static func index(eventsBetween: Int = 1) async throws -> IndexEnvironment {
        let environment = try IndexEnvironment()
        var phone = Batch(1, 1, 1...UInt64(3 + eventsBetween))
        phone.lines = [
            context(nil),
            decision(
                101,
                "granted",
                time: 1_000,
                more: #","_consent_scope":"device","_consent_source":"banner","_consent_version":"v1""#
            ),
            context("ann"),
        ]
        for number in 0..<eventsBetween { phone.lines.append(line(1_000 + UInt64(number), "look", time: 1_500)) }
        phone.lines += [
            decision(102, "denied", time: 3_000, more: #","_consent_category":"marketing""#),
            // Any client can send such an event.
            line(103, "_consent", time: 2_000, attributes: #"{"_consent_decision":7,"_consent_source":null}"#),
        ]
        try environment.append(phone)
        var tablet = Batch(2, 1, 1...3)
        tablet.lines = [
            context("bob"), decision(201, "granted", time: 500), context("ann"),
            decision(202, "granted", time: 2_500), context(nil), decision(203, "pending", time: 9_000),
        ]
        try environment.append(tablet)
        try await environment.index()
        return environment
    }

    private static func numbers(_ history: ConsentHistory?) -> [UInt64] {
        history?.decisions.map { $0.event.id.low & 0xFFFF } ?? []
    }

    @Test
    func `decisions follow the identity rules, latest first by device time`() async throws {
        let environment = try await Self.index()
        defer { withExtendedLifetime(environment) {} }
        let history = try #require(try await environment.store.consentHistory(of: .user("ann")))
        #expect(Self.numbers(history) == [102, 202, 103, 101])
        #expect(history.decisions.map(\.decision) == ["denied", "granted", nil, "granted"])
        #expect(history.decisions.map(\.category) == ["marketing", nil, nil, nil])
        #expect(history.decisions.map(\.isVisit) == [false, false, false, true])
        #expect(history.decisions.last?.source == "banner" && history.decisions.last?.version == "v1")
        #expect(history.next == nil)
        #expect(Self.numbers(try await environment.store.consentHistory(of: .user("bob"))) == [201])
        #expect(Self.numbers(try await environment.store.consentHistory(of: .visitor(.numbered(2)))) == [203])
        #expect(try await environment.store.consentHistory(of: .user("nobody")) == nil)
    }

    @Test(arguments: [1, 2, 3, 4, 5])
    func `pages neither repeat nor omit a decision, even among many other events`(limit: Int) async throws {
        let environment = try await Self.index(eventsBetween: 500)
        defer { withExtendedLifetime(environment) {} }
        var seen: [UInt64] = []
        var after: TimelineCursor?
        repeat {
            let page = try #require(
                try await environment.store.consentHistory(of: .user("ann"), after: after, limit: limit)
            )
            #expect(page.decisions.count <= limit)
            seen += Self.numbers(page)
            after = page.next
        } while after != nil
        #expect(seen == [102, 202, 103, 101])
    }
}
