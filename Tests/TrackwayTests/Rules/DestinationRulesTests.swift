// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDelivery
import TrackwayDestinationKit
import TrackwayDestinations
import TrackwayJournal
import TrackwayTesting

@testable import Trackway

@Suite("Destination rules")
struct DestinationRulesTests {
    private static func analytics(
        _ rules: [DestinationID: DestinationRules],
        storage: FaultyStorage? = nil,
        transport: ScriptedTransport = ScriptedTransport(),
        change: (inout Configuration) -> Void = { _ in }
    ) throws -> InMemoryAnalytics {
        var configuration = Configuration(
            appID: "test",
            destinations: [QueueFixture.destination("collector"), QueueFixture.destination("audit")],
            consent: .granted
        )
        configuration.capture = []
        for (id, rules) in rules { configuration.setRules(rules, for: id) }
        change(&configuration)
        return try InMemoryAnalytics(configuration, storage: storage, transport: transport)
    }

    private static let redacting: [DestinationID: DestinationRules] = [
        "audit": [.deny("debug_*"), .redact("email"), .rename("buy", to: "purchase")]
    ]

    /// All bytes sent to a destination, with the bodies decompressed.
    private static func sent(to id: DestinationID, by memory: InMemoryAnalytics) throws -> String {
        try memory.transport.requests.filter { $0.url.contains("//\(id).test") }.map { request in
            let isZipped = request.headers["content-encoding"] == "gzip"
            return String(decoding: isZipped ? try Gzip.inflate(request.body) : request.body, as: UTF8.self)
        }.joined()
    }

    @Test
    func `rules change what one destination gets, while the other one and the journal keep the original events`()
        async throws
    {
        let memory = try Self.analytics(Self.redacting)
        let analytics = memory.analytics
        analytics.setGlobalAttributes(["email": "secret-global", "channel": "store"])
        analytics.setUserAttributes(["email": "secret-user", "age": 3])
        analytics.record(
            "buy",
            ["email": "secret-event", "total": 5],
            items: [Item(id: "1", ["email": "secret-item"])]
        )
        analytics.record("debug_tap")
        #expect(await analytics.flush().isComplete)
        #expect(memory.arrived(at: "collector") == ["_profile_set", "buy", "debug_tap"])
        #expect(memory.arrived(at: "audit") == ["_profile_set", "purchase"])
        let (all, some) = (try Self.sent(to: "collector", by: memory), try Self.sent(to: "audit", by: memory))
        for secret in ["secret-global", "secret-user", "secret-event", "secret-item"] {
            #expect(all.contains(secret))
            #expect(!some.contains(secret), "\(secret)")
        }
        #expect(some.contains("\"age\""))
        #expect(some.contains("\"channel\":\"store\""))
        #expect(memory.events(named: "buy").first?.attributes["email"] == "secret-event")
        let ledger = analytics.ledger()
        #expect(ledger.isBalanced)
        #expect(
            ledger.destinations["audit"]
                == Ledger.Account(recorded: 3, delivered: 2, dropped: [.deniedByRule: 1], changed: 2)
        )
        #expect(ledger.destinations["collector"] == Ledger.Account(recorded: 3, delivered: 3))
    }

    @Test
    func `a dead letter contains nothing that was redacted`() async throws {
        let memory = try Self.analytics(Self.redacting)
        memory.transport.always(.acceptAllBut([0: "name_invalid"]), to: "audit")
        memory.analytics.record("buy", ["email": "secret-event", "total": 5])
        _ = await memory.analytics.flush()
        #expect(memory.analytics.ledger().destinations["audit"]?.dropped == [.rejected: 1])
        // Refused events count as dropped, not as changed and delivered.
        #expect(memory.analytics.ledger().destinations["audit"]?.changed == 0)
        let folder = memory.folder + "/set-aside"
        let storedBytes = try memory.storage.names(in: folder).flatMap {
            try memory.storage.contents(of: "\(folder)/\($0)") ?? []
        }
        let text = String(decoding: storedBytes, as: UTF8.self)
        #expect(text.contains("purchase"))
        #expect(!text.contains("secret-event"))
    }

    @Test
    func `rules remain when a destination gets a new key, and change when the app changes them`() async throws {
        let memory = try Self.analytics(Self.redacting)
        let analytics = memory.analytics
        try analytics.replaceDestination(
            DestinationConfiguration(CollectorDestination(id: "audit", url: "http://audit.test", writeKey: "new"))
        )
        analytics.record("debug_tap")
        #expect(await analytics.flush().isComplete)
        #expect(memory.arrived(at: "audit") == [])
        analytics.options.rules["audit"] = [.deny("buy")]
        analytics.record("debug_tap")
        analytics.record("buy")
        #expect(await analytics.flush().isComplete)
        #expect(memory.arrived(at: "audit") == ["debug_tap"])
        analytics.options.rules["audit"] = nil
        analytics.record("buy")
        #expect(await analytics.flush().isComplete)
        #expect(memory.arrived(at: "audit") == ["debug_tap", "buy"])
        #expect(memory.diagnostics == [])
    }

    @Test
    func `a destination can be added at run time with rules, which stay with its id`() async throws {
        let memory = try Self.analytics([:])
        let analytics = memory.analytics
        try analytics.addDestination(QueueFixture.destination("late").configured(rules: [.deny("debug_*")]))
        #expect(throws: TrackwayError.self) {
            try analytics.addDestination(QueueFixture.destination("late").configured(rules: [.deny("*")]))
        }
        for round in 1...2 {
            analytics.record("debug_tap")
            analytics.record("tap")
            #expect(await analytics.flush().isComplete)
            #expect(memory.arrived(at: "late") == Array(repeating: "tap", count: round))
            analytics.removeDestination("late")
            try analytics.addDestination(QueueFixture.destination("late"))
        }
        analytics.options.rules["nobody"] = [.deny("*")]
        #expect(memory.diagnostics.map(\.code) == [.unknownDestination])
        try analytics.addDestination(QueueFixture.destination("nobody"))
        analytics.record("tap")
        #expect(await analytics.flush().isComplete)
        #expect(memory.arrived(at: "nobody") == [])
    }

    @Test
    func `rules for an unknown destination are rejected because they would have no effect`() {
        #expect {
            try Self.analytics(["audi": [.redact("email")]])
        } throws: { error in
            (error as? TrackwayError)?.code == .unknownDestination
        }
    }

    @Test
    func `invalid rules are reported with their position, and the other rules apply`() async throws {
        let rules: DestinationRules = [
            .deny(""), .deny("a*b"), .redact("", in: "x"), .rename("a", to: ""), .rename("b", to: "_x"), .sample(.nan),
            .sample(-1, of: "none"), .sample(1.5), .deny("debug_*"),
        ]
        let memory = try Self.analytics(["audit": rules])
        #expect(
            memory.diagnostics.map(\.field) == [
                "destinations.audit.rules[0]", "destinations.audit.rules[1]", "destinations.audit.rules[2]",
                "destinations.audit.rules[3]", "destinations.audit.rules[4]",
                "destinations.audit.rules[5].share", "destinations.audit.rules[6].share",
                "destinations.audit.rules[7].share",
            ]
        )
        #expect(
            memory.diagnostics.map(\.code) == Array(repeating: .ruleInvalid, count: 5)
                + Array(repeating: .settingOutOfRange, count: 3)
        )
        for name in ["a", "b", "none", "debug_tap"] { memory.analytics.record(name) }
        #expect(await memory.analytics.flush().isComplete)
        #expect(memory.arrived(at: "audit") == ["a", "b"])
        // A reported problem is not reported again with every other change.
        memory.analytics.options.sessions.timeout = .seconds(60)
        #expect(memory.diagnostics.count == 8)
        memory.analytics.options.rules["audit"] = [.sample(2)]
        #expect(memory.diagnostics.count == 9)
        try memory.analytics.addDestination(QueueFixture.destination("late").configured(rules: [.sample(2)]))
        #expect(memory.diagnostics.count == 10)
    }

    @Test
    func `a tombstone reaches a destination whose rules deny everything`() async throws {
        let memory = try Self.analytics(["audit": [.deny("*"), .redact("*"), .sample(0)]])
        memory.analytics.record("tap")
        try await memory.analytics.erase()
        #expect(await memory.analytics.flush().isComplete)
        #expect(memory.arrived(at: "audit") == ["_installation_erased"])
        let delivered = try #require(memory.transport.delivered.last { $0.url.contains("//audit.test") })
        #expect(delivered.event.attributes["installation"] != nil)
        #expect(delivered.event.attributes["proof"] != nil)
    }

    @Test
    func `the rules in effect when consent is granted apply to the events that waited for it`() async throws {
        let memory = try Self.analytics(["audit": [.deny("tap")]])
        let analytics = memory.analytics
        analytics.setConsent(.pending)
        analytics.record("tap")
        analytics.record("buy")
        _ = await analytics.flush()
        #expect(analytics.ledger().destinations["audit"] == Ledger.Account(recorded: 3, pending: 3))
        analytics.options.rules["audit"] = [.deny("buy")]
        analytics.setConsent(.granted)
        #expect(await analytics.flush().isComplete)
        #expect(memory.arrived(at: "audit") == ["tap"])
        #expect(analytics.ledger().isBalanced)
    }

    @Test
    func `sampling makes the same decision for a user before and after sign-in and on every start`() async throws {
        let disk = Locked<FaultyStorage?>(nil)
        let transport = ScriptedTransport()
        for start in 0..<3 {
            let memory = try Self.analytics(
                ["audit": [.sample(0.5)]],
                storage: disk.withLock { $0 },
                transport: transport
            )
            memory.analytics.record("before \(start)")
            memory.analytics.identify("ann")
            memory.analytics.record("after \(start)")
            #expect(await memory.analytics.flush().isComplete)
            disk.withLock { $0 = memory.storageAfterKill() }
        }
        let names = transport.delivered.filter { $0.url.contains("//audit.test") }.map(\.event.name)
        #expect(names.isEmpty || names.filter { !$0.hasPrefix("_") }.count == 6)
    }

    @Test
    func `destinations with other formats also get only the changed event`() async throws {
        var configuration = Configuration(
            appID: "test",
            destinations: [
                .clickstream(
                    appID: "test",
                    endpoint: try #require(URL(string: "http://clickstream.test/collect")),
                    isCompressed: false
                ),
                .sensorsAnalytics(
                    serverURL: try #require(URL(string: "http://sensors.test/sa?project=p")),
                    id: "sensors"
                ),
                .sift(accountID: "account", beaconKey: "key", serverURLFormat: "http://sift.test/%@"),
            ],
            consent: .granted
        )
        configuration.capture = []
        for id in ["clickstream", "sensors", "sift"] as [DestinationID] {
            configuration.set(id) { $0.rules = [.redact("email"), .deny("debug_*"), .rename("buy", to: "purchase")] }
        }
        let memory = try InMemoryAnalytics(configuration)
        let analytics = memory.analytics
        analytics.setGlobalAttributes(["email": "secret-global"])
        analytics.identify("ann")
        analytics.setUserAttributes(["email": "secret-user", "age": 3])
        analytics.record("_profile_increment", ["email": 7_777_777, "age": 1])
        analytics.record("buy", ["email": "secret-event", "total": 5])
        analytics.record("debug_tap")
        _ = await analytics.flush()
        #expect(!memory.transport.requests.isEmpty)
        for request in memory.transport.requests {
            let text = Self.text(of: request)
            #expect(!text.contains("secret"), "\(request.url)")
            #expect(!text.contains("7777777"), "\(request.url)")
            #expect(!text.contains("debug_tap"), "\(request.url)")
        }
        let clickstream = memory.transport.requests.filter { $0.url.contains("clickstream") }.map(Self.text).joined()
        #expect(clickstream.contains("purchase"))
        #expect(clickstream.contains("_profile_set"))
        #expect(analytics.ledger().isBalanced)
        for account in analytics.ledger().destinations.values { #expect(account.dropped[.deniedByRule] == 1) }
    }

    /// A request body as text, decompressed and with form fields decoded.
    private static func text(of request: WireRequest) -> String {
        var body = String(decoding: request.body, as: UTF8.self)
        if let data = body.split(separator: "&").first(where: { $0.hasPrefix("data_list=") }) {
            let base64 = data.dropFirst("data_list=".count).replacing("%2B", with: "+").replacing("%2F", with: "/")
                .replacing("%3D", with: "=")
            // If decoding fails, the encoded text remains, which lacks the names that the tests look for.
            body =
                Base64.decode(Array(base64.utf8)).flatMap { try? Gzip.inflate($0) }.map {
                    String(decoding: $0, as: UTF8.self)
                } ?? body
        } else if request.headers["content-encoding"] == "gzip" {
            // As above.
            body = (try? Gzip.inflate(request.body)).map { String(decoding: $0, as: UTF8.self) } ?? body
        }
        return body
    }
}
