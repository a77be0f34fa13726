// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorCore

@Suite("Cohorts")
struct CohortTests {
    private static let zones: ZoneDirectory = { name, _ in name == "UTC" || name == "Europe/Berlin" ? .utc : nil }
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    private static func saved(_ json: String, name: String = "x") throws -> SavedCohort {
        try SavedCohort(try JSONValue.parse(Array(json.utf8)), name: name, zones: zones)
    }

    @Test
    func `a definition is read, written and resolved without loss`() throws {
        let json =
            #"{"name":"x","where":["person.plan=pro or person.first_seen>=2026-11-01"],"#
            + #""did":[{"event":"buy","where":["total>=10"],"times":3,"last":"90d"},"#
            + #"{"event":"open","times":1,"from":"1790000000000","to":"2026-11-21T06:38:00.000Z"}],"#
            + #""did_not":[{"event":"refund","times":1}],"zone":"Europe/Berlin"}"#
        let saved = try Self.saved(json)
        var writer = JSONWriter()
        saved.write(to: &writer)
        #expect(String(decoding: writer.array(), as: UTF8.self) == json)
        let cohort = try saved.cohort(at: Self.now, zones: Self.zones)
        #expect(cohort.conditions.count == 1 && cohort.behaviors.map(\.isNegated) == [false, false, true])
        #expect(cohort.behaviors.map(\.times) == [3, 1, 1])
        #expect(cohort.behaviors[0].to == Self.now)
        #expect(cohort.behaviors[1].from == Timestamp(milliseconds: 1_790_000_000_000))
        #expect(cohort.behaviors[2].from == nil && cohort.behaviors[2].to == nil)
        // A relative range moves with the time of the query.
        let later = try saved.cohort(at: Self.now.advanced(by: .seconds(86_400)), zones: Self.zones)
        #expect(later.behaviors[0].from == cohort.behaviors[0].from?.advanced(by: .seconds(86_400)))
    }

    @Test
    func `a range with only a start includes events that arrive later`() throws {
        let cohort = try Self.saved(#"{"did":[{"event":"buy","from":1790000000000}]}"#)
            .cohort(at: Self.now, zones: Self.zones)
        #expect(cohort.behaviors[0].from == Timestamp(milliseconds: 1_790_000_000_000))
        #expect(cohort.behaviors[0].to == nil)
    }

    @Test(
        arguments: [
            (#"{}"#, "where"), (#"[]"#, ""), (#"{"where":["plan=pro"]}"#, "where[0]"),
            (#"{"where":["person.plan"]}"#, "where[0]"), (#"{"where":[1]}"#, "where[0]"), (#"{"where":"a"}"#, "where"),
            (#"{"where":["cohort=y"]}"#, "where[0]"), (#"{"where":["person.a=1 or cohort=y"]}"#, "where[0]"),
            (#"{"did":[{"event":"a","where":["cohort=y"]}]}"#, "did[0].where[0]"),
            (#"{"did":[{"event":"a","where":["person.plan=pro"]}]}"#, "did[0].where[0]"),
            (#"{"did":[{"event":""}]}"#, "did[0].event"), (#"{"did":[{"name":"a"}]}"#, "did[0].name"),
            (#"{"did":[{"event":"a","times":0}]}"#, "did[0].times"),
            (#"{"did":[{"event":"a","times":1.5}]}"#, "did[0].times"),
            (#"{"did":[{"event":"a","times":1000001}]}"#, "did[0].times"),
            (#"{"did":[{"event":"a","last":"9000d"}]}"#, "did[0].last"),
            (#"{"did":[{"event":"a","last":"7d","from":1}]}"#, "did[0].last"),
            (#"{"did":[{"event":"a","to":1790000000000}]}"#, "did[0].from"),
            (#"{"did":[{"event":"a","from":1790000000000,"to":1780000000000}]}"#, "did[0].to"),
            (#"{"did_not":[{"event":"a","last":7}]}"#, "did_not[0].last"),
            (#"{"did":[{"event":"a"}],"zone":"Mars/Olympus"}"#, "zone"), (#"{"did":[{"event":"a"}],"zone":1}"#, "zone"),
            (#"{"did":[{"event":"a"}],"name":"other"}"#, "name"), (#"{"did":[{"event":"a"}],"extra":1}"#, "extra"),
        ]
    )
    func `an invalid definition is rejected with the member`(_ json: String, _ field: String) throws {
        let error = try #require(throws: SavedError.self) { try Self.saved(json) }
        #expect(error.kind == .malformed && error.field == field && error.message.hasSuffix("."), "\(error)")
    }

    @Test
    func `long lists are rejected`() throws {
        let eleven = Array(repeating: #"{"event":"a"}"#, count: 11).joined(separator: ",")
        #expect(throws: SavedError.self) { try Self.saved("{\"did\":[\(eleven)]}") }
        let six = Array(repeating: #"{"event":"a"}"#, count: 6).joined(separator: ",")
        #expect(throws: SavedError.self) { try Self.saved("{\"did\":[\(six)],\"did_not\":[\(six)]}") }
        let conditions = Array(repeating: #""person.a=1""#, count: 11).joined(separator: ",")
        #expect(throws: SavedError.self) { try Self.saved("{\"where\":[\(conditions)]}") }
    }

    @Test(arguments: ["", "A", "a b", "a/b", "é", "../x", String(repeating: "a", count: 65)])
    func `an invalid name is rejected`(_ name: String) throws {
        #expect(throws: SavedError.self) { try Self.saved(#"{"did":[{"event":"a"}]}"#, name: name) }
    }

    @Test
    func `cohorts survive a restart, are replaced by name, and are removed`() throws {
        let path = FileManager.default.temporaryDirectory.path + "/trackway-cohorts-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = CohortStore(path: path, at: Self.now, zones: Self.zones)
        #expect(try store.save(Self.saved(#"{"did":[{"event":"a"}]}"#, name: "b"), at: Self.now))
        #expect(try store.save(Self.saved(#"{"where":["person.p=1"]}"#, name: "a"), at: Self.now))
        #expect(try !store.save(Self.saved(#"{"did":[{"event":"z"}]}"#, name: "b"), at: Self.now))
        let again = CohortStore(path: path, at: Self.now, zones: Self.zones)
        #expect(try again.all() == store.all() && again.all().map(\.name) == ["a", "b"])
        #expect(try again.saved("b").did.map(\.event) == ["z"] && again.saved("b").changed == Self.now)
        #expect(try again.cohort(named: "a", at: Self.now)?.conditions.count == 1)
        #expect(try again.cohort(named: "none", at: Self.now) == nil)
        try again.remove("b")
        #expect(throws: SavedError.self) { try again.remove("b") }
        #expect(try CohortStore(path: path, at: Self.now, zones: Self.zones).all().map(\.name) == ["a"])
    }

    @Test(arguments: ["person.plan=pro or", "or person.plan=pro", "person.plan=pro or or person.a=1", "person.plan="])
    func `a condition with a missing part is rejected, but does not make a stored file unusable`(_ text: String) throws
    {
        let error = try #require(throws: SavedError.self) { try Self.saved(#"{"where":["\#(text)"]}"#) }
        #expect(error.kind == .malformed && error.field == "where[0]")
        let event = try #require(throws: SavedError.self) {
            try Self.saved(#"{"did":[{"event":"a","where":["\#(text)"]}]}"#)
        }
        #expect(event.kind == .malformed && event.field == "did[0].where[0]")
        let path = FileManager.default.temporaryDirectory.path + "/trackway-cohorts-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = #"{"version":1,"cohorts":[{"name":"a","where":["\#(text)"]},{"name":"b","did":[{"event":"z"}]}]}"#
        try Data(file.utf8).write(to: URL(fileURLWithPath: path))
        let store = CohortStore(path: path, at: Self.now, zones: Self.zones)
        #expect(try store.all().map(\.name) == ["a", "b"])
        #expect(try store.cohort(named: "b", at: Self.now)?.behaviors.count == 1)
        let unusable = #expect(throws: StoreError.self) { try store.cohort(named: "a", at: Self.now) }
        #expect(unusable?.message.contains("“or”") ?? false || unusable?.message.contains("no value") ?? false)
    }

    @Test
    func `a damaged file is renamed, and one of a later version is left as it is`() throws {
        let path = FileManager.default.temporaryDirectory.path + "/trackway-cohorts-" + UUID().uuidString
        let damaged = path + ".damaged-\(Self.now.milliseconds)"
        defer { for file in [path, damaged] { try? FileManager.default.removeItem(atPath: file) } }
        try Data(#"{"version":1,"cohorts":[{"name":"a"}]}"#.utf8).write(to: URL(fileURLWithPath: path))
        var warnings: [String] = []
        let store = CohortStore(path: path, at: Self.now, zones: Self.zones) { warnings.append($0) }
        #expect(try store.all().isEmpty && warnings.count == 1 && FileManager.default.fileExists(atPath: damaged))
        try Data(#"{"version":2,"cohorts":[]}"#.utf8).write(to: URL(fileURLWithPath: path))
        let newer = CohortStore(path: path, at: Self.now, zones: Self.zones) { warnings.append($0) }
        let error = #expect(throws: SavedError.self) { try newer.all() }
        #expect(error?.kind == .unavailable && warnings.count == 2)
        #expect(throws: SavedError.self) {
            try newer.save(Self.saved(#"{"did":[{"event":"a"}]}"#), at: Self.now)
        }
        #expect(throws: StoreError.self) { try newer.cohort(named: "a", at: Self.now) }
    }

    @Test
    func `the number of cohorts is limited`() throws {
        let store = CohortStore(path: nil, at: Self.now, zones: Self.zones)
        for number in 0..<CohortLimits.cohorts {
            _ = try store.save(Self.saved(#"{"did":[{"event":"a"}]}"#, name: "c\(number)"), at: Self.now)
        }
        let error = #expect(throws: SavedError.self) {
            try store.save(Self.saved(#"{"did":[{"event":"a"}]}"#, name: "more"), at: Self.now)
        }
        #expect(error?.kind == .full)
        #expect(try !store.save(Self.saved(#"{"did":[{"event":"b"}]}"#, name: "c0"), at: Self.now))
    }

    @Test
    func `cohorts saved at the same time are all kept`() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/trackway-cohorts-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = CohortStore(path: path, at: Self.now, zones: Self.zones)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    _ = try store.save(Self.saved(#"{"did":[{"event":"a"}]}"#, name: "c\(number)"), at: Self.now)
                }
            }
            try await group.waitForAll()
        }
        #expect(try CohortStore(path: path, at: Self.now, zones: Self.zones).all().count == 20)
    }
}

@Suite("Conditions on people")
struct PeopleConditionParsingTests {
    @Test(
        arguments: [
            ("person.plan=pro", QueryField.person(.attribute("plan"))),
            ("person.a.b=pro", .person(.attribute("a.b"))), (#"person."a=b"=1"#, .person(.attribute("a=b"))),
            (#"person."first_seen"=1"#, .person(.attribute("first_seen"))),
            ("person.first_seen>=2026-11-21", .person(.first(.seen))),
            ("person.first_version=2.1", .person(.first(.version))),
            ("person.first_country=[DE,AT]", .person(.first(.country))),
            (#""person.plan"=pro"#, .attribute("person.plan")), ("personal=1", .attribute("personal")),
            ("cohort=big-spenders", .cohort("big-spenders")), ("cohort!=7", .cohort("7")),
            ("cohort=true", .cohort("true")), (#""cohort"=x"#, .attribute("cohort")),
            ("cohorts=x", .attribute("cohorts")),
        ]
    )
    func `the field of a condition is read`(_ text: String, _ field: QueryField) throws {
        #expect(try QueryCondition(text, parameter: "where").field == field)
    }

    @Test(
        arguments: [
            "person.=1", #"person.""=1"#, #"person."a=1"#, "cohort=*", "cohort=", "cohort>x", "cohort~x",
            "cohort=[a,b]", "cohort=Big Spenders", "cohort", "person.first_seen>=7", "person.first_seen=yesterday",
            "person.first_seen=[2026-11-21,x]", "person.first_seen<2026-11-21T06:00",
        ]
    )
    func `an invalid condition is rejected`(_ text: String) {
        #expect(throws: InvalidQueryError.self) { try QueryCondition(text, parameter: "where") }
    }

    @Test
    func `a cohort is true or has no value, so its opposite holds for everyone else`() throws {
        let (member, other) = (
            try QueryCondition("cohort=x", parameter: "where"), try QueryCondition("cohort≠x", parameter: "where")
        )
        for value in [QueryValue.boolean(true), nil] {
            #expect(member.holds { _ in value } == (value != nil) && other.holds { _ in value } == (value == nil))
        }
        #expect(throws: InvalidQueryError.self) { try QueryField("cohort", parameter: "by") }
        #expect(try QueryField("person.plan", parameter: "by") == .person(.attribute("plan")))
    }

    @Test(
        arguments: [
            ("de_DE", "DE"), ("en-us", "US"), ("zh-Hans-CN", "CN"), ("zh_Hant_TW@calendar=roc", "TW"),
            ("es-419", "419"),
            ("de_DE.UTF-8", "DE"), ("de", nil), ("", nil), ("C", nil), ("POSIX", nil), ("en-u-ca-gregory", nil),
            ("de-1996-CH", "CH"), ("_DE", "DE"),
        ] as [(String, String?)]
    )
    func `the country of a locale is its region`(_ locale: String, _ country: String?) {
        #expect(FirstTouch.country(of: Array(locale.utf8)) == country.map { Array($0.utf8) })
    }

    @Test
    func `units and measures of groups are parsed, and invalid ones are rejected`() throws {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let zones: ZoneDirectory = { _, _ in .utc }
        let activity = try ActivityQuery(parameters: [("unit", "group:company")], now: now, zones: zones)
        #expect(activity.unit == .group("company"))
        #expect(try ActivityQuery(parameters: [("unit", "person")], now: now, zones: zones).unit == .person)
        let retention = try RetentionQuery(parameters: [("unit", "group:a:b")], now: now, zones: zones)
        #expect(retention.unit == .group("a:b"))
        let trend = try TrendQuery(parameters: [("measure", "groups:company")], now: now, zones: zones)
        #expect(trend.measure == .groups("company"))
        for unit in ["group", "group:", "company", "group:" + String(repeating: "x", count: 129)] {
            #expect(throws: InvalidQueryError.self) {
                try FunnelQuery(parameters: [("step", "a"), ("unit", unit)], now: now, zones: zones)
            }
        }
        for measure in ["groups", "groups:"] {
            #expect(throws: InvalidQueryError.self) {
                try TrendQuery(parameters: [("measure", measure)], now: now, zones: zones)
            }
        }
        let error = #expect(throws: InvalidQueryError.self) {
            try FunnelQuery(
                parameters: [("step", "a"), ("unit", "group:company"), ("people", "1")],
                now: now,
                zones: zones
            )
        }
        #expect(error?.field == "people")
    }
}
