// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import trackway_cluster

/// Tests erasures of users with real servers and processes.
@Suite(
    "Erasing users from a cluster",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(if: NATSServerBinary.isAvailable, "nats-server is not installed and could not be installed."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .serialized
)
struct EngineErasureTests {
    private static let isFullRun = ProcessInfo.processInfo.environment["TRACKWAY_FULL"] == "1"
    private static let kills = isFullRun ? 200 : 6
    private static var events: Int { ErasureCluster.eventsPerPerson }

    /// Returns the exit status of `trackway-cluster erasures verify`.
    private static func verify(_ receipt: [UInt8], _ cluster: ErasureCluster, id: String? = nil) async throws -> Int32 {
        let path = cluster.folder + "/receipt.json"
        try Data(receipt).write(to: URL(fileURLWithPath: path))
        let url = "http://127.0.0.1:\(await cluster.collectors[0].port)"
        return try EngineCollector.run(
            ["erasures", "verify", path, "--url", url, "--key", "dev"] + (id.map { ["--id", $0] } ?? [])
        ).status
    }

    /// Returns the rows of a query's result, in order of their text.
    private static func rows(_ query: String, _ database: String, _ cluster: ErasureCluster) async throws -> [Substring]
    {
        do {
            return try await cluster.clickHouse.query(query, database: database).split(separator: "\n").sorted()
        } catch is NoResponseError {
            // The server answers with nothing if there are no rows.
            return []
        }
    }

    /// Checks that the tables are the same as tables that are filled from the changed stream.
    private static func compareWithNewTables(_ cluster: ErasureCluster) async throws {
        await cluster.forwarder.stop(signal: "TERM")
        let options = cluster.options.map { $0.hasSuffix("/trackway") ? String($0.dropLast(8)) + "later" : $0 }
        let initialized = try EngineCollector.run(["cluster", "init"] + options)
        #expect(initialized.status == 0, "\(initialized)")
        let forwarded = try EngineCollector.run(["cluster", "forward", "--until-caught-up"] + options)
        #expect(forwarded.status == 0, "\(forwarded)")
        let queries = [
            "events": "SELECT * FROM events",
            "ids": "SELECT id FROM ids WHERE position IN (SELECT position FROM events)",
            "sessions": "SELECT * FROM sessions", "people": "SELECT * FROM people", "visits": "SELECT * FROM visits",
            "timeline": "SELECT * FROM timeline", "usage": "SELECT * FROM usage", "devices": "SELECT * FROM devices",
            "traits": "SELECT user, installation, kind, content FROM traits",
            "contexts": "SELECT installation, context, block, body FROM contexts WHERE body != '{}' "
                + "AND installation NOT IN (SELECT installation FROM erasures)",
            "descriptions": "SELECT installation, context, block, app, version FROM descriptions",
            "places": "SELECT kind, whose, installation, block, events, earliest, latest FROM places WHERE kind != 0",
            "names": "SELECT name, quarter, block, events, first, last FROM names",
            "failures": "SELECT position, installation, content FROM failures",
            "merges": "SELECT * FROM merges",
        ]
        for (table, query) in queries {
            let condition =
                ["ids", "names"].contains(table) ? "1" : "installation NOT IN (SELECT installation FROM erasures)"
            let text =
                query.replacing(" FROM \(table)", with: " FROM \(table) FINAL")
                + (query.contains("WHERE") ? "" : " WHERE \(condition)")
            // Ids are bytes that are not text.
            let rows = "SELECT hex(toString(tuple(*))) FROM (\(text)) FORMAT TabSeparated"
            let (old, new) = (
                try await Self.rows(rows, "trackway", cluster), try await Self.rows(rows, "later", cluster)
            )
            let difference = Set(old).symmetricDifference(new)
            #expect(
                old == new && (!old.isEmpty || ["usage", "merges"].contains(table)),
                "\(table): \(difference.sorted().prefix(4))"
            )
        }
        let audit = try EngineCollector.run(
            ["cluster", "audit"] + cluster.options.filter { !$0.contains("erasure-key") }
        )
        #expect(audit.status == 0, "\(audit)")
        try await cluster.forwarder.start()
    }

    @Test(.timeLimit(.minutes(20)))
    func `erasing users removes every byte of them, keeps the others, and gives receipts`() async throws {
        try await ErasureCluster.run { cluster in
            let people = 9
            try await cluster.fill(0..<people)
            try await cluster.waitForTables(events: people * Self.events)
            let whole = try await cluster.request("GET", "/v1/users/\(ErasureCluster.user(2))/erasure")
            #expect(whole.json["events"]?.integer == Int64(Self.events), "\(whole.text)")
            #expect(whole.json["installations"]?.array?.first?["shared"]?.boolean == false, "\(whole.text)")
            let shared = try await cluster.request("GET", "/v1/users/\(ErasureCluster.user(4))/erasure", at: 1)
            #expect(shared.json["events"]?.integer == Int64(Self.events), "\(shared.text)")
            #expect(shared.json["installations"]?.array?.first?["shared"]?.boolean == true, "\(shared.text)")
            for person in [2, 4] {
                let archive = try await cluster.request("GET", "/v1/users/\(ErasureCluster.user(person))/export", at: 1)
                // The archive ends with its counts.
                let counts = "{\"events\":\(Self.events),\"sessions\":1,\"installations\":1,\"rejected\":1,"
                #expect(
                    archive.status == 200 && archive.text.suffix(120).contains(counts),
                    "\(archive.text.suffix(120))"
                )
            }
            let unknown = try await cluster.request("DELETE", "/v1/users/nobody-knows")
            #expect(unknown.status == 404, "\(unknown.text)")

            let erased = [2, 4, 6]
            var receipts: [(person: Int, receipt: [UInt8])] = []
            for person in erased {
                let id = try await cluster.erase(person, at: person % 2)
                receipts.append((person, try await cluster.receipt(id, at: 1 - person % 2)))
            }
            for (person, receipt) in receipts {
                let json = try JSONValue.parse(receipt)
                #expect(json["log"]?["events"]?.integer == Int64(Self.events), "\(person) \(json)")
                #expect(json["log"]?["rejected"]?.integer == 1, "\(person) \(json)")
                #expect(json["index"]?["events"]?.integer == Int64(Self.events), "\(person) \(json)")
                #expect(json["shared_installations"]?.integer == (ErasureCluster.isShared(person) ? 1 : 0), "\(json)")
                #expect(try await Self.verify(receipt, cluster, id: ErasureCluster.user(person)) == 0)
                #expect(try await Self.verify(receipt, cluster, id: "another-person") == 1)
                let changed = String(decoding: receipt, as: UTF8.self).replacing("\"events\":12", with: "\"events\":13")
                #expect(try await Self.verify(Array(changed.utf8), cluster) == 1)
            }
            let list = try await cluster.request("GET", "/v1/erasures", at: 1)
            #expect(
                list.json["erasures"]?.array?.count == 3 && list.json["pending"]?.array?.isEmpty == true,
                "\(list.text)"
            )
            // Later events are refused by every collector.
            for collector in 0...1 {
                let late = try await cluster.request(
                    "POST",
                    "/v1/events",
                    body: Array(
                        (#"{"context":{"user":{"id":"\#(ErasureCluster.user(4))"}}}"# + "\n"
                            + #"{"name":"late","attributes":{"mark":"late-q"}}"#).utf8
                    ),
                    at: collector
                )
                #expect(late.text.contains("user_erased"), "\(late.text)")
            }
            try await cluster.waitForTables(events: (people - erased.count) * Self.events)
            for person in 0..<people {
                let found = try await cluster.request("GET", "/v1/users/\(ErasureCluster.user(person))")
                if erased.contains(person) {
                    #expect(found.status == 404, "\(person) \(found.text)")
                } else {
                    #expect(found.json["events"]?.integer == Int64(Self.events), "\(person) \(found.text)")
                }
            }
            try await Self.compareWithNewTables(cluster)
            let files = try await cluster.files(with: erased.flatMap { ErasureCluster.marks($0) } + ["late-q"])
            #expect(files.isEmpty, "\(files.prefix(10))")
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `erasing a merged user removes all ids of the person, and statements about them`() async throws {
        try await ErasureCluster.run { cluster in
            let people = 6
            try await cluster.fill(0..<people)
            func user(_ number: Int) -> String { ErasureCluster.user(number) }
            func alias(_ from: Int, _ to: Int, by person: Int) async throws {
                let installation = ErasureCluster.installation(person)
                let lines = [
                    #"{"batch":{"installation":"\#(installation)"}}"#,
                    #"{"context":{"user":{"id":"\#(user(person))"},"session":{"id":"session-\#(person)"}}}"#,
                    #"{"name":"_alias","time":1700000000000,"attributes":{"_alias_from":"\#(user(from))","_alias_to":"\#(user(to))"}}"#,
                ]
                let body = Array(lines.joined(separator: "\n").utf8)
                let answer = try await cluster.request("POST", "/v1/events", body: body, at: 1)
                try #require(answer.status == 200, "\(answer.text)")
            }
            try await cluster.waitForTables(events: people * Self.events)
            for (from, to, collector) in [(4, 2, 0), (1, 0, 1)] {
                let path = "/v1/users/\(user(from))/merge?into=\(user(to))"
                let answer = try await cluster.request("POST", path, at: collector)
                #expect(answer.status == 202 && answer.json["outcome"]?.string == "merged", "\(answer.text)")
            }
            // The operator decided about this user, so the alias is an event of person 0 without an effect.
            try await alias(4, 5, by: 0)
            try await cluster.waitForTables(events: people * Self.events + 1)
            for (person, ids, events) in [(4, [2, 4], 24), (1, [0, 1], 25), (5, [5], 12)] {
                let found = try await cluster.request("GET", "/v1/users/\(user(person))", at: 1)
                #expect(found.json["id"]?.string == user(ids[0]), "\(found.text)")
                #expect(found.json["events"]?.integer == Int64(events), "\(found.text)")
                #expect(found.json["merged"]?.array?.map(\.string) ?? [] == ids.dropFirst().map(user), "\(found.text)")
            }
            let again = try await cluster.request("POST", "/v1/users/\(user(2))/merge?into=\(user(4))")
            #expect(again.status == 409, "\(again.text)")

            let preview = try await cluster.request("GET", "/v1/users/\(user(4))/erasure")
            #expect(preview.json["users"]?.array?.map(\.string) == [user(2), user(4)], "\(preview.text)")
            #expect(preview.json["events"]?.integer == 24, "\(preview.text)")
            let requested = try await cluster.request("DELETE", "/v1/users/\(user(4))")
            let erasures = requested.json["erasures"]?.array?.compactMap(\.string) ?? []
            try #require(erasures.count == 2, "\(requested.text)")
            for erasure in erasures { _ = try await cluster.receipt(erasure) }

            // Without the alias, person 0 has its own events again.
            try await cluster.waitForTables(events: (people - 2) * Self.events)
            for (person, events) in [(0, 24), (1, 24), (2, nil), (3, 12), (4, nil), (5, 12)] {
                let found = try await cluster.request("GET", "/v1/users/\(user(person))")
                #expect(found.status == (events == nil ? 404 : 200), "\(person) \(found.text)")
                #expect(found.json["events"]?.integer == events.map { Int64($0) }, "\(person) \(found.text)")
            }
            let undone = try await cluster.request("POST", "/v1/users/\(user(1))/unmerge", at: 1)
            #expect(undone.status == 202, "\(undone.text)")
            for _ in 0..<600 {
                let found = try await cluster.request("GET", "/v1/users/\(user(1))")
                if found.json["id"]?.string == user(1) { break }
                try await ContinuousClock().sleep(for: .milliseconds(100))
            }
            let separate = try await cluster.request("GET", "/v1/users/\(user(1))")
            #expect(separate.json["events"]?.integer == Int64(Self.events), "\(separate.text)")
            try await Self.compareWithNewTables(cluster)
            let files = try await cluster.files(with: ErasureCluster.marks(2) + ErasureCluster.marks(4))
            #expect(files.isEmpty, "\(files.prefix(10))")
        }
    }

    @Test(.timeLimit(.minutes(120)))
    func `killing parts of a cluster during erasures leaves no data of erased users and all data of the others`()
        async throws
    {
        try await ErasureCluster.run { cluster in
            let people = Self.isFullRun ? 24 : 6
            try await cluster.fill(0..<people)
            try await cluster.waitForTables(events: people * Self.events)
            var random = SeededNumberGenerator(seed: 91)
            var receipts: [(person: Int, receipt: [UInt8])] = []
            let erased = (0..<people).filter { $0 % 3 != 0 }.prefix(Self.isFullRun ? 10 : 2)
            var kills = 0
            for (index, person) in erased.enumerated() {
                let id = try await cluster.erase(person, at: person % 2)
                while kills < Self.kills * (index + 1) / erased.count {
                    try await ContinuousClock().sleep(for: .milliseconds(Int.random(in: 0...1_500, using: &random)))
                    try await cluster.killAndRestart(Int.random(in: 0...7, using: &random))
                    kills += 1
                }
                receipts.append((person, try await cluster.receipt(id)))
            }
            try await cluster.waitForTables(events: (people - erased.count) * Self.events)
            for person in 0..<people where !erased.contains(person) {
                let found = try await cluster.request("GET", "/v1/users/\(ErasureCluster.user(person))")
                #expect(found.json["events"]?.integer == Int64(Self.events), "\(person) \(found.text)")
            }
            for (person, receipt) in receipts {
                let json = try JSONValue.parse(receipt)
                #expect(json["log"]?["events"]?.integer == Int64(Self.events), "\(person) \(json)")
                #expect(try await Self.verify(receipt, cluster, id: ErasureCluster.user(person)) == 0)
            }
            try await Self.compareWithNewTables(cluster)
            let files = try await cluster.files(with: erased.flatMap { ErasureCluster.marks($0) })
            #expect(files.isEmpty, "\(files.prefix(10))")
            print("\(kills) kills during \(erased.count) erasures")
        }
    }
}
