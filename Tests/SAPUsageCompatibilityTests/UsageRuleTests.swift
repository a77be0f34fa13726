// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

@Suite("Interceptors and rules for usage records")
struct UsageRuleTests {
    private static var tap: UsageRecord {
        UsageRecord(
            .event("tap"),
            date: Date(timeIntervalSinceReferenceDate: 1.25),
            info: ["email": "ann@example.com", "at": "2026-01-02T03:04:05.678Z", "none": NSNull(), "list": [1, 2]]
        )
    }

    /// Returns the records that a store contains after applying a configuration.
    private func stored(
        _ records: [UsageRecord],
        for target: String = Usage.defaultTargetID,
        _ change: (inout Configuration) -> Void
    ) throws -> (records: [String], store: UsageStore, app: UsageApp) {
        let app = UsageApp(InMemoryEnvironment(device: UsageApp.device), change)
        let store = try app.store()
        for record in records { store.store(record: record, for: target) }
        return (Self.texts(of: store, target), store, app)
    }

    private static func texts(of store: any UsageStoring, _ target: String = Usage.defaultTargetID) -> [String] {
        store.snapshot(for: target).all.map { "\($0.event) \(text(of: $0))" }
    }

    private static func text(of record: UsageRecord) -> String {
        String(decoding: JSONValue.object(record.content().info).json(), as: UTF8.self)
    }

    // MARK: Interceptors

    @Test
    func `an interceptor gets the name, info and target, and values that it does not change are kept`() throws {
        let interceptedEvents = Locked<[InterceptedEvent]>([])
        let (records, _, app) = try stored([Self.tap]) { configuration in
            configuration.interceptors = [
                Interceptor("see") { event in
                    interceptedEvents.withLock { $0.append(event) }
                    event.attributes["email"] = nil
                    event.attributes["added"] = ["a": 1]
                    event.name = "touch"
                    return .keep
                }
            ]
        }
        let event = try #require(interceptedEvents.withLock { $0.first })
        #expect(event.name == "tap" && event.route == ["t.default"])
        #expect(event.attributes["email"] == "ann@example.com" && event.attributes["none"] == nil)
        #expect(records == [#"touch {"added":{"a":1},"at":"2026-01-02T03:04:05.678Z","list":[1,2],"none":null}"#])
        #expect(app.codes.isEmpty)
    }

    @Test
    func `a record dropped by an interceptor is counted and creates no target`() throws {
        let (records, store, _) = try stored([Self.tap, UsageRecord(.event("kept"))], for: "Audit") { configuration in
            configuration.interceptors = [Interceptor("no taps") { $0.name == "tap" ? .drop : .keep }]
        }
        #expect(records == ["kept {}"])
        #expect(store.droppedRecords == [.intercepted: 1])
        #expect(store.core.analytics.ledger().intercepted == ["no taps": 1])
        let (_, other, _) = try stored([Self.tap], for: "Audit") { configuration in
            configuration.interceptors = [Interceptor("none") { _ in .drop }]
        }
        #expect(other.core.analytics.ledger().destinations.keys.sorted() == ["t.default"])
    }

    @Test
    func `session starts and ends keep their names, but may be changed and dropped`() throws {
        let session = [UsageRecord(.sessionStart, info: ["a": 1]), UsageRecord(.sessionEnd)]
        let (records, _, app) = try stored(session) { configuration in
            configuration.interceptors = [
                Interceptor("rename") { event in
                    event.name = "Other"
                    event.attributes["a"] = nil
                    return .keep
                }
            ]
        }
        #expect(records == ["SessionStart {}", "SessionEnd {}"])
        #expect(app.codes == ["interceptor_name_refused", "interceptor_name_refused"])
        let (remaining, store, _) = try stored(session) { $0.setRules([.deny("SessionEnd")], for: "default") }
        #expect(remaining == [#"SessionStart {"a":1}"#])
        #expect(store.droppedRecords == [.deniedByRule: 1])
    }

    @Test
    func `a number that is not finite is omitted with a diagnostic`() throws {
        let (records, _, app) = try stored([UsageRecord(.event("a"), info: ["x": 1])]) { configuration in
            configuration.interceptors = [
                Interceptor("nan") { event in
                    event.attributes["x"] = .double(.nan)
                    event.attributes["y"] = [.double(.infinity)]
                    return .keep
                }
            ]
        }
        #expect(records == ["a {}"])
        #expect(app.codes == ["usage_info_invalid", "usage_info_invalid"])
    }

    @Test
    func `a custom store gets records after interceptors and rules`() throws {
        let app = UsageApp(InMemoryEnvironment(device: UsageApp.device)) { configuration in
            configuration.interceptors = [
                Interceptor("no taps") { event in
                    event.attributes["seen"] = true
                    return event.name == "tap" ? .drop : .keep
                }
            ]
            configuration.setRules([.redact("email"), .deny("denied")], for: "default")
        }
        let store = CustomStore(Usage.unattributedStorageID)
        app.usage.configure(with: store)
        let reporter = app.usage.reporter()
        for name in ["tap", "denied", "kept"] { reporter.report(.event(name), info: ["email": "ann@example.com"]) }
        #expect(
            store.storedRecords.map { "\($0.record.event) \(Self.text(of: $0.record))" } == [#"kept {"seen":true}"#]
        )
        #expect(app.usage.droppedReports == [.intercepted: 1, .deniedByRule: 1])
    }

    @Test
    func `an unattributed session is intercepted only once, even if it moves to a user's store`() throws {
        let names = Locked<[String]>([])
        let interceptor = Interceptor("see") { event in
            names.withLock { $0.append(event.name) }
            event.attributes["email"] = nil
            return .keep
        }
        let device = InMemoryEnvironment(device: UsageApp.device)
        let first = UsageApp(device) { $0.interceptors = [interceptor] }
        first.usage.configure(with: try first.store())
        let reporter = first.usage.reporter()
        reporter.report(.sessionStart)
        reporter.report(.event("search"), info: ["email": "ann@example.com"])
        device.clock.advance(by: .milliseconds(1))
        let second = UsageApp(device.nextProcess()) { $0.interceptors = [interceptor] }
        let store = try second.store(of: UUID())
        second.usage.configure(with: store, retainLastUnattributedSession: true)
        _ = second.usage.reporter()
        #expect(Self.texts(of: store) == ["SessionStart {}", "search {}"])
        #expect(names.withLock { $0 } == ["SessionStart", "search"])
    }

    // MARK: Rules

    /// The keys by which rules of a target are found.
    private static let keys: [(target: String, key: DestinationID)] = [
        ("default", "default"), ("default", "t.default"), ("default", Usage.destinationID()),
        ("audit", "audit"), ("audit", "t.audit"), ("Audit", Usage.destinationID(for: "Audit")), ("Audit", "Audit"),
        ("My target", "My target"), ("My target", Usage.destinationID(for: "My target")),
    ]

    @Test(arguments: keys)
    func `rules are found by a target's name and by its ID`(target: String, key: DestinationID) throws {
        let taps = [Self.tap, UsageRecord(.event("debug_tap")), UsageRecord(.event("buy"), info: ["total": 5])]
        let (records, store, app) = try stored(taps, for: target) { configuration in
            configuration.setRules(
                [
                    .allow("buy"), .redact("e*"), .redact("none"), .rename("buy", to: "purchase"), .deny("debug_*"),
                    .deny("purchase"),
                ],
                for: key
            )
        }
        #expect(
            records == [#"tap {"at":"2026-01-02T03:04:05.678Z","list":[1,2]}"#, #"purchase {"total":5}"#]
        )
        #expect(store.droppedRecords == [.deniedByRule: 1])
        // No rule applies to records of other targets.
        store.store(record: UsageRecord(.event("debug_tap")), for: "other")
        #expect(Self.texts(of: store, "other") == ["debug_tap {}"])
        // A target that is not known yet may be a mistake.
        #expect(app.codes == (target == "default" ? [] : ["unknown_destination"]))
    }

    @Test
    func `a rule for all records denies all, and an allow rule exempts matching records`() throws {
        let records = ["a", "b"].map { UsageRecord(.event($0)) }
        #expect(try stored(records) { $0.setRules([.deny("*")], for: "default") }.records == [])
        #expect(try stored(records) { $0.setRules([.allow("b"), .deny("*")], for: "default") }.records == ["b {}"])
        #expect(try stored(records) { $0.setRules([.sample(0, by: .event)], for: "default") }.records == [])
        #expect(try stored(records) { $0.setRules([.sample(1)], for: "default") }.records == ["a {}", "b {}"])
    }

    @Test
    func `a sample contains all records of a user or none`() throws {
        var counts: [Int: Int] = [:]
        let app = UsageApp(InMemoryEnvironment(device: UsageApp.device)) {
            $0.setRules([.sample(0.5, by: .person)], for: "default")
        }
        for number in UInt8(0)..<40 {
            let store = try app.store(of: UUID(uuid: (number, 0, 0, 0, 0, 0, 64, 0, 128, 0, 0, 0, 0, 0, 0, 0)))
            for _ in 0..<4 { store.store(record: UsageRecord(.event("a")), for: Usage.defaultTargetID) }
            counts[Self.texts(of: store).count, default: 0] += 1
        }
        #expect(Set(counts.keys) == [0, 4] && counts.values.reduce(0, +) == 40)
    }

    /// Rules that cannot apply, and the contents of their diagnostics.
    private static let faults: [(key: DestinationID, rule: DestinationRule, code: String, text: String)] = [
        ("default", .deny("usage_record"), "rule_invalid", "by its own name"),
        ("default", .rename("usage_record", to: "x"), "rule_invalid", "by its own name"),
        ("default", .rename("SessionStart", to: "x"), "rule_invalid", "keep their names"),
        ("default", .deny("a*b"), "rule_invalid", "only at the end"),
        ("default", .rename("a", to: "_b"), "rule_invalid", "keep their names"),
        ("defualt", .deny("a"), "unknown_destination", "\"default\" (t.default)"),
        ("t.defualt", .deny("a"), "unknown_destination", "Usage.destinationID(for:)"),
        ("h.123", .deny("a"), "unknown_destination", "Usage.destinationID(for:)"),
    ]

    @Test(arguments: faults)
    func `a rule that cannot match is reported once, with a correction`(
        key: DestinationID,
        rule: DestinationRule,
        code: String,
        text: String
    ) throws {
        let (_, _, app) = try stored([UsageRecord(.event("c"))]) { $0.setRules([rule], for: key) }
        _ = try app.store(of: UUID())
        #expect(app.codes == [code])
        #expect(app.memory.diagnostics.first?.description.contains(text) == true, "\(app.memory.diagnostics)")
    }

    @Test
    func `rules for a target with records of an earlier process are not a mistake`() throws {
        let device = InMemoryEnvironment(device: UsageApp.device)
        let first = UsageApp(device)
        try first.store().store(record: UsageRecord(.event("a")), for: "Audit")
        device.clock.advance(by: .milliseconds(1))
        let next = UsageApp(device.nextProcess()) { $0.setRules([.deny("b")], for: "Audit") }
        let store = try next.store()
        store.store(record: UsageRecord(.event("b")), for: "Audit")
        #expect(Self.texts(of: store, "Audit") == ["a {}"])
        #expect(next.codes.isEmpty)
    }

    /// Targets and their destination IDs.
    private static let ids: [(target: String, id: String)] = [
        ("default", "t.default"), ("a-b_c.1", "t.a-b_c.1"),
        (String(repeating: "a", count: 62), "t." + String(repeating: "a", count: 62)),
    ]

    @Test(arguments: ids)
    func `a target's destination ID is its name with the prefix t.`(target: String, id: String) {
        #expect(Usage.destinationID(for: target).rawValue == id)
    }

    @Test(arguments: ["Audit", "my target", "", String(repeating: "a", count: 63)])
    func `a name that is not a valid ID is hashed`(target: String) {
        let id = Usage.destinationID(for: target).rawValue
        #expect(id.hasPrefix("h.") && id.count == 58)
    }
}
