// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import Collector
internal import CollectorJetStream
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayEvents
internal import TrackwayJournal

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

/// Forwarder processes between three real NATS servers and one ClickHouse server.
@Suite(
    "Forwarding to a ClickHouse server",
    .enabled(if: NATSServerBinary.isWanted, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests, separately from others."),
    .enabled(if: NATSServerBinary.isHere, "nats-server is not installed, and installing it failed."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs Debian's."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineForwardTests {
    /// The environment of a test.
    private struct Setting: Sendable {
        let cluster: NATSTestCluster
        let server: ClickHouseServer
        let folder: String
        let engine: [String]

        var columns: [String] { ["--to", server.url + "/trackway"] }

        func command(_ words: [String]) throws -> (status: Int32, output: String, errors: String) {
            try EngineCollector.run(words + engine + columns)
        }

        func json(_ words: [String]) throws -> JSONValue {
            let answer = try command(words + ["--json"])
            return try JSONValue.parse(Array((answer.output.split(separator: "\n").last ?? "null").utf8))
        }

        func number(_ query: String) async throws -> Int {
            let answer = try await server.ask(query)
            return try #require(Int(answer.trimmingCharacters(in: .whitespacesAndNewlines)), "\(answer)")
        }
    }

    private static func run(_ body: @Sendable (Setting) async throws -> Void) async throws {
        try await NATSTestCluster.run { cluster in
            try await ClickHouseServer.run { server in
                try await RunningCollector.withFolder { folder in
                    let engine = try EngineCollector.options(cluster, folder)
                    try await body(Setting(cluster: cluster, server: server, folder: folder, engine: engine))
                }
            }
        }
    }

    private static func pause(_ milliseconds: Int = 50) async throws {
        try await ContinuousClock().sleep(for: .milliseconds(milliseconds))
    }

    @Test("an acknowledged event is in the tables exactly once, and ClickHouse problems are explained")
    func one() async throws {
        try await Self.run { setting in
            let early = try setting.command(["forward", "--until-caught-up"])
            #expect(early.status == CommandStatus.cannotCreate.rawValue && early.errors.contains("INTAKE_0"))
            let made = try setting.command(["engine", "init", "--gigabytes", "1"])
            #expect(made.status == 0 && made.output.contains("up to date"), "\(made)")

            let collector = EngineCollector("one", in: setting.folder, setting.cluster)
            let address = try await collector.start()
            var sender = try Sender(to: address, folder: setting.folder + "/sender", console: .standard)
            _ = sender.record("bought", ["total": 12])
            await sender.finish(timeout: .seconds(60))
            let forward = try setting.command(["forward", "--until-caught-up", "--json"])
            #expect(forward.status == 0 && forward.output.contains(#""block":1"#), "\(forward)")
            let told = try await setting.server.ask(
                "SELECT name, visitParamExtractRaw(visitParamExtractRaw(body, 'attributes'), 'total') FROM events FINAL FORMAT TabSeparated"
            )
            #expect(told.contains("bought\t12"), "\(told)")
            #expect(
                try await setting.number("SELECT count() FROM ids") == setting.number("SELECT sum(rows) FROM blocks")
            )
            let check = try setting.json(["engine", "check"])
            #expect(check["columns"]?["behind"] == .integer(0) && check["columns"]?["version"]?.string != nil)

            // Problems on the ClickHouse side.
            func failure(_ words: [String]) throws -> (Int32, String) {
                let answer = try EngineCollector.run(["forward", "--until-caught-up"] + setting.engine + words)
                return (answer.status, answer.errors)
            }
            let other = try failure(["--to", setting.server.url + "/elsewhere"])
            #expect(
                other.0 == CommandStatus.cannotCreate.rawValue && other.1.contains("trackway-cluster engine init"),
                "\(other)"
            )
            let nats = try failure(["--to", "http://127.0.0.1:\(setting.cluster.members[0].port)/trackway"])
            #expect(nats.0 == CommandStatus.unavailable.rawValue && nats.1.contains("is not ClickHouse"), "\(nats)")
            let file = setting.folder + "/wrong.json"
            try Data(#"{"user":"writer","password":"wrong"}"#.utf8).write(to: URL(fileURLWithPath: file))
            let wrong = try failure(setting.columns + ["--to-credentials", file])
            #expect(wrong.0 == CommandStatus.refused.rawValue && wrong.1.contains("the user writer"), "\(wrong)")
            try Data(#"{"user":"reader","password":"secret"}"#.utf8).write(to: URL(fileURLWithPath: file))
            let reader = try EngineCollector.run(
                ["engine", "check"] + setting.engine + setting.columns + ["--to-credentials", file]
            )
            #expect(
                reader.status == CommandStatus.negative.rawValue && reader.output.contains("rejects writes"),
                "\(reader)"
            )
            _ = try await setting.server.ask("INSERT INTO trackway VALUES ('tables', '4')")
            let newer = try failure(setting.columns)
            #expect(newer.0 == CommandStatus.cannotCreate.rawValue && newer.1.contains("have version 4"), "\(newer)")
            await collector.end("TERM")
        }
    }

    @Test("a start waits for a majority of the NATS servers, up to the --wait time")
    func waits() async throws {
        try await Self.run { setting in
            #expect(try setting.command(["engine", "init", "--gigabytes", "1"]).status == 0)
            for name in ["n0", "n1"] { await setting.cluster.kill(name) }
            let early = try setting.command(["forward", "--until-caught-up", "--wait", "3"])
            #expect(early.status == CommandStatus.cannotCreate.rawValue, "\(early)")
            #expect(early.errors.contains("Waiting for proof") && early.errors.contains("not be proven"), "\(early)")
            async let late = setting.command(["forward", "--until-caught-up", "--json"])
            try await Self.pause(3_000)
            for name in ["n0", "n1"] { try await setting.cluster.start(name) }
            let answer = try await late
            #expect(answer.status == 0 && answer.output.contains("Waiting for proof"), "\(answer)")
        }
    }

    @Test("with --analysis, ClickHouse answers queries, and errors name the problem while it is down")
    func analysis() async throws {
        try await Self.run { setting in
            #expect(try setting.command(["engine", "init", "--gigabytes", "1"]).status == 0)
            let options = ["--analysis", setting.server.url + "/trackway"]
            let collector = EngineCollector("asked", in: setting.folder, setting.cluster, options: options)
            let address = try await collector.start()
            let port = await collector.port
            var sender = try Sender(to: address, folder: setting.folder + "/sender", console: .standard)
            for _ in 1...5 { _ = sender.record("bought", ["total": 3, "in": "it's"]) }
            await sender.finish(timeout: .seconds(60))
            let now = SystemClock().now().wall.milliseconds
            let question =
                "/v1/trends?name=bought&measure=sum:total&by=in&from=\(now - 86_400_000)&to=\(now + 86_400_000)"
            // The index has the events; the tables are empty.
            let early = try await Wire.request("GET", question, port: port)
            #expect(early.status == 200 && early.body.contains(#""series":[]"#), "\(early)")
            #expect(try setting.command(["forward", "--until-caught-up"]).status == 0)
            let answer = try await Wire.request("GET", question, port: port)
            #expect(answer.body.contains(#""group":"it's""#) && answer.body.contains(#""total":15}"#), "\(answer)")
            #expect(answer.body.contains(#""read":5}"#), "\(answer)")

            await setting.server.kill()
            let away = try await Wire.request("GET", question, port: port)
            #expect(away.status == 503 && away.body.contains("analysis_unavailable"), "\(away)")
            #expect(away.body.contains(setting.server.url) && away.body.contains("--analysis"), "\(away)")
            #expect(try await Wire.request("GET", "/readyz", port: port).status == 200)
            #expect(try await Wire.request("GET", "/v1/events?name=bought", port: port).body.contains("it's"))
            let stats = try await Wire.request("GET", "/v1/stats", port: port)
            #expect(stats.body.contains(#""trouble":"ClickHouse at"#), "\(stats)")
            try await setting.server.start()
            #expect(try await Wire.request("GET", question, port: port).body == answer.body)
            await collector.end("TERM")
        }
    }

    /// Creates a stream's records as clients send them.
    ///
    /// A tenth of the batches are sent twice, a tenth are sent again with different boundaries, and some are rejected
    /// in part.
    private static func records(events: Int, seed: UInt64) -> (records: [(UInt64, [UInt8])], ids: Set<EventID>) {
        var chance = SeededChance(seed: seed)
        var records: [(UInt64, [UInt8])] = []
        var ids: Set<EventID> = []
        var next: [UInt64: UInt64] = [:]
        while ids.count < events {
            let installation = UInt64(chance.number(1...40))
            let first = next[installation] ?? 1
            var batch = SentBatch(installation, first...first + UInt64(chance.number(5...30)))
            batch.session = "s\(first / 200)"
            if chance.chance(20) { batch.dropped = batch.sequences.upperBound + 1...batch.sequences.upperBound + 2 }
            if chance.chance(25) { batch.rejected = [0] }
            next[installation] = (batch.dropped?.upperBound ?? batch.sequences.upperBound) + 1
            ids.formUnion(batch.ids.enumerated().filter { !batch.rejected.contains($0.offset) }.map(\.element))
            records.append((installation, batch.record))
            if chance.chance(10) { records.append((installation, batch.record)) }
            if chance.chance(10) {
                batch.rejected = []
                batch.dropped = nil
                batch.sequences = batch.sequences.upperBound - 2...batch.sequences.upperBound
                records.append((installation, batch.record))
            }
        }
        return (records, ids)
    }

    /// Publishes records to the stream, a few at a time.
    private static func publish(_ records: [(UInt64, [UInt8])], _ cluster: NATSTestCluster) async throws {
        let engine = Engine(
            cluster.addresses,
            credentials: NATSTestCluster.credentials,
            clock: SystemClock(),
            chance: CollectorHost.chance,
            sleep: CollectorHost.sleep
        )
        let connections = Task { await engine.run() }
        #expect(await engine.waitUntilDurable() == nil)
        for (installation, record) in records {
            let route = IntakeRoute(installation: SentBatch.installation(installation))
            while true {
                do {
                    _ = try await engine.intake.commit(kind: .intake, record: record, route: route)
                    break
                } catch {
                    // Not acknowledged within ten seconds: the record may be stored, and is sent again, as clients do.
                    try await pause(100)
                }
            }
        }
        connections.cancel()
        await connections.value
    }

    @Test("every event is stored once even if two forwarders, ClickHouse and the stream's leader are killed")
    func kills() async throws {
        try await Self.run { setting in
            #expect(try setting.command(["engine", "init", "--gigabytes", "1"]).status == 0)
            let (records, ids) = Self.records(events: 6_000, seed: 4)
            let rounds = 12
            let portions = (0..<rounds + 2).map { part in
                Array(records[records.count * part / (rounds + 2)..<records.count * (part + 1) / (rounds + 2)])
            }
            let forwarders = (0..<2).map { _ in ForwarderProcess(setting.engine + setting.columns) }
            for forwarder in forwarders { try await forwarder.start() }
            // Put these portions into different blocks, however quickly records arrive.
            for (block, portion) in portions[..<2].enumerated() {
                try await Self.publish(portion, setting.cluster)
                while try await setting.number("SELECT count() FROM blocks FINAL") <= block { try await Self.pause() }
            }
            var chance = SeededChance(seed: 11)
            for (round, portion) in portions[2...].enumerated() {
                async let publishing: Void = Self.publish(portion, setting.cluster)
                try await Self.pause(chance.number(100...900))
                let victim = forwarders[chance.number(0...1)]
                await victim.end("KILL")
                if round == 3 || round == 8 {
                    await setting.server.kill()
                    try await Self.pause(300)
                    try await setting.server.start()
                }
                if round == 5 {
                    let check = try setting.json(["engine", "check"])
                    let leader = try #require(check["servers"]?.array?.first { $0["leader"]?.boolean == true })
                    let name = try #require(leader["name"]?.string)
                    await setting.cluster.kill(name)
                    try await Self.pause(500)
                    try await setting.cluster.start(name)
                }
                try await victim.start()
                try await publishing
            }
            for forwarder in forwarders { await forwarder.end("KILL") }
            let last = try setting.command(["forward", "--until-caught-up"])
            #expect(last.status == 0, "\(last)")

            func expectWhole() async throws {
                #expect(try await setting.number("SELECT count() FROM events FINAL") == ids.count)
                #expect(try await setting.number("SELECT uniqExact(id) FROM events") == ids.count)
                #expect(try await setting.number("SELECT uniqExact(id, position) FROM ids") == ids.count)
                #expect(try await setting.number("SELECT sum(rows) FROM blocks FINAL") == ids.count)
                #expect(try await setting.number("SELECT sum(events) FROM sessions FINAL") == ids.count)
            }
            try await expectWhole()
            #expect(try await setting.number("SELECT count() FROM blocks FINAL") > 1)
            let collector = EngineCollector("index", in: setting.folder, setting.cluster)
            let client = CollectorClient(try await collector.start())
            _ = try await client.get("/v1/wait", query: [("count", "\(ids.count)"), ("timeout", "60")], timeout: 90)
            let ledger = try await client.get("/v1/ledger")
            #expect(try await ForwardedAccounts(setting.server).rows == ForwardedAccounts(ledger).rows)
            #expect(ForwardedAccounts(ledger).rows.count == 40)
            await collector.end("TERM")

            let good = try setting.json(["engine", "audit", "--dry-run"])
            #expect(good["whole"]?.boolean == true && good["findings"]?.array?.isEmpty == true, "\(good)")
            _ = try await setting.server.ask("ALTER TABLE events DROP PARTITION 2810")
            _ = try await setting.server.ask("ALTER TABLE sessions DELETE WHERE block = 2")
            while try await setting.number("SELECT count() FROM sessions WHERE block = 2") > 0 {
                try await Self.pause()
            }
            let told = try setting.command(["engine", "audit", "--dry-run"])
            #expect(told.status == CommandStatus.negative.rawValue && told.output.contains("lacked"), "\(told)")
            let mended = try setting.json(["engine", "audit"])
            #expect(mended["whole"]?.boolean == true && mended["findings"]?.array?.isEmpty == false, "\(mended)")
            try await expectWhole()
        }
    }
}
