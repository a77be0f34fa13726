// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayJournal
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Rules applied to stored events")
struct RuleFilterTests {
    private static let installation = InstallationID(high: 1, low: 2)

    private static func filter(_ rules: DestinationRules) -> RuleFilter {
        RuleFilter(rules, for: "audit", of: installation)
    }

    private static func judge(
        _ json: [UInt8],
        _ filter: inout RuleFilter,
        context: [UInt8] = Array("{}".utf8),
        generation: UInt32 = 1
    ) -> FilteredEvent {
        json.withUnsafeBytes { filter.filter($0, in: context, generation: generation) }
    }

    private static func event(_ name: String, _ attributes: Attributes = [:]) -> [UInt8] {
        Event(
            id: EventID(high: 1, low: 2),
            name: name,
            time: Timestamp(milliseconds: 3),
            monotonic: MonotonicTime(milliseconds: 4),
            attributes: attributes
        ).json()
    }

    @Test
    func `an event that no rule changes is passed on byte for byte`() {
        var filter = Self.filter([.deny("debug_*"), .redact("email"), .rename("buy", to: "purchase")])
        #expect(Self.judge(Self.event("tap", ["n": 1]), &filter) == .unchanged)
        #expect(Self.judge(Array(#"{ "name" : "tap" }"#.utf8), &filter) == .dropped(.damaged))
        var denies = Self.filter([.deny("debug_*")])
        #expect(Self.judge(Array(#"{ "mono":1, "name" : "tap", "new":[1] }"#.utf8), &denies) == .unchanged)
        #expect(Self.judge(Array(#"{"name":"debug_tap"}"#.utf8), &denies) == .dropped(.deniedByRule))
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"name":1}"#, #"{"id":"x"}"#, #"{"id":1,"name":"tap"}"#, "{\"name\":\"\u{1}",
    ])
    func `an unreadable event is not sent, because its content cannot be checked`(_ text: String) {
        var filter = Self.filter([.allow("*")])
        #expect(Self.judge(Array(text.utf8), &filter) == .dropped(.damaged))
    }

    @Test
    func `an event larger than the default limits is changed without truncation`() throws {
        var limits = EventLimits()
        limits.eventBytes = 4 << 20
        limits.stringBytes = 4 << 20
        let text = String(repeating: "x", count: 2 << 20)
        let large = Event(
            id: EventID(high: 1, low: 2),
            name: "upload",
            time: Timestamp(milliseconds: 3),
            monotonic: MonotonicTime(milliseconds: 4),
            attributes: ["email": "a", "text": .string(text)]
        ).json(limits: limits)
        var filter = Self.filter([.redact("email")])
        guard case .changed(let json?, nil) = Self.judge(large, &filter) else {
            Issue.record("not changed")
            return
        }
        let changed = try Event(json: json, limits: JSONLimits(bytes: 8 << 20))
        #expect(changed.attributes == ["text": .string(text)])
    }

    @Test
    func
        `redaction covers global attributes and the user's attributes, ids and groups, and nothing else in the context`()
        throws
    {
        let context = RecordedContext(
            app: ["id": "shop", "email": "app"],
            device: ["email": "device"],
            boot: "b",
            user: RecordedContext.User(
                id: "ann",
                uniqueID: "u-1",
                identities: ["email": "a@b.c", "phone": "1"],
                groups: ["email": "g", "company": "acme"],
                attributes: [
                    .init(name: "email", value: "a@b.c", setAt: Timestamp(milliseconds: 1)),
                    .init(name: "age", value: 3, setAt: Timestamp(milliseconds: 1)),
                ],
                subject: "user-ann"
            ),
            global: ["email": "a@b.c", "channel": "store"]
        )
        var filter = Self.filter([.redact("email", in: "sign_up")])
        let outcome = Self.judge(Self.event("sign_up"), &filter, context: context.json())
        guard case .changed(nil, let changed?) = outcome else {
            Issue.record("not changed")
            return
        }
        var expected = context
        expected.user.identities = ["phone": "1"]
        expected.user.groups = ["company": "acme"]
        expected.user.attributes.removeFirst()
        expected.global = ["channel": "store"]
        #expect(try RecordedContext(json: changed.json) == expected)
        // Contexts are evaluated once each and are distinguished by their numbers.
        #expect(Self.judge(Self.event("sign_up"), &filter, context: context.json()) == outcome)
        #expect(Self.judge(Self.event("tap"), &filter, context: context.json()) == .unchanged)
        let next = Self.judge(Self.event("sign_up"), &filter, context: context.json(), generation: 2)
        guard case .changed(nil, let other?) = next else {
            Issue.record("not changed")
            return
        }
        #expect(other.json == changed.json)
        #expect(other.number != changed.number)
    }

    @Test
    func `an unreadable context is replaced with an empty one`() {
        var filter = Self.filter([.redact("email")])
        let outcome = Self.judge(Self.event("tap"), &filter, context: Array("{\"global\"".utf8))
        #expect(outcome == .changed(event: nil, context: FilteredContext(number: 0, json: Array("{}".utf8))))
        // An empty context needs no replacement.
        #expect(Self.judge(Self.event("tap"), &filter, generation: 2) == .unchanged)
    }

    @Test
    func `without a user in the context, sampling by person uses the installation`() {
        let isHeld = Sample.contains(Self.installation.description, share: 0.5, salt: "audit")
        var filter = Self.filter([.sample(0.5)])
        #expect((Self.judge(Self.event("tap"), &filter) == .unchanged) == isHeld)
        var installations = Self.filter([.sample(0.5, by: .installation)])
        #expect((Self.judge(Self.event("tap"), &installations) == .unchanged) == isHeld)
        // Sampling by event uses the event's id.
        let id = EventID(high: 1, low: 2).description
        var events = Self.filter([.sample(0.5, by: .event)])
        #expect(
            (Self.judge(Self.event("tap"), &events) == .unchanged) == Sample.contains(id, share: 0.5, salt: "audit")
        )
    }
}
