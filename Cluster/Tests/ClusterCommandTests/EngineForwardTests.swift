// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorCore
internal import CollectorJetStream
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

/// Forwarder processes between three real NATS servers and one ClickHouse server.
@Suite(
    "Forwarding to a ClickHouse server",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(if: NATSServerBinary.isAvailable, "nats-server is not installed and could not be installed."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineForwardTests {
    /// The environment of a test.
    private struct Environment: Sendable {
        let cluster: NATSTestCluster
        let server: ClickHouseServer
        let folder: String
        let natsOptions: [String]

        var clickHouseOptions: [String] { ["--clickhouse", server.url + "/trackway"] }

        func command(_ words: [String]) throws -> (status: Int32, output: String, errors: String) {
            try EngineCollector.run(words + natsOptions + clickHouseOptions)
        }

        func json(_ words: [String]) throws -> JSONValue {
            let answer = try command(words + ["--json"])
            return try JSONValue.parse(Array((answer.output.split(separator: "\n").last ?? "null").utf8))
        }

        func number(_ query: String) async throws -> Int {
            let answer = try await server.query(query)
            return try #require(Int(answer.trimmingCharacters(in: .whitespacesAndNewlines)), "\(answer)")
        }
    }

    private static func run(_ body: @Sendable (Environment) async throws -> Void) async throws {
        try await NATSTestCluster.run { cluster in
            try await ClickHouseServer.run { server in
                try await RunningCollector.withFolder { folder in
                    let natsOptions = try EngineCollector.options(cluster, folder)
                    try await body(
                        Environment(cluster: cluster, server: server, folder: folder, natsOptions: natsOptions)
                    )
                }
            }
        }
    }

    private static func pause(_ milliseconds: Int = 50) async throws {
        try await ContinuousClock().sleep(for: .milliseconds(milliseconds))
    }

    @Test
    func `an acknowledged event is in the tables exactly once, and ClickHouse problems are explained`() async throws {
        try await Self.run { environment in
            let early = try environment.command(["cluster", "forward", "--until-caught-up"])
            #expect(early.status == CommandStatus.cannotCreate.rawValue && early.errors.contains("INTAKE_0"))
            let initialized = try environment.command(["cluster", "init", "--gigabytes", "1"])
            #expect(initialized.status == 0 && initialized.output.contains("up to date"), "\(initialized)")

            let collector = EngineCollector("one", in: environment.folder, environment.cluster)
            let address = try await collector.start()
            var sender = try Sender(to: address, folder: environment.folder + "/sender", console: .standard)
            _ = sender.record("bought", ["total": 12])
            await sender.finish(timeout: .seconds(60))
            let forward = try environment.command(["cluster", "forward", "--until-caught-up", "--json"])
            #expect(forward.status == 0 && forward.output.contains(#""block":1"#), "\(forward)")
            let result = try await environment.server.query(
                "SELECT name, visitParamExtractRaw(visitParamExtractRaw(body, 'attributes'), 'total') FROM events FINAL FORMAT TabSeparated"
            )
            #expect(result.contains("bought\t12"), "\(result)")
            #expect(
                try await environment.number("SELECT count() FROM ids")
                    == environment.number("SELECT sum(rows) FROM blocks")
            )
            let check = try environment.json(["cluster", "check"])
            #expect(check["columns"]?["behind"] == .integer(0) && check["columns"]?["version"]?.string != nil)

            // Problems on the ClickHouse side.
            func failure(_ words: [String]) throws -> (Int32, String) {
                let answer = try EngineCollector.run(
                    ["cluster", "forward", "--until-caught-up"] + environment.natsOptions + words
                )
                return (answer.status, answer.errors)
            }
            let other = try failure(["--clickhouse", environment.server.url + "/elsewhere"])
            #expect(
                other.0 == CommandStatus.cannotCreate.rawValue && other.1.contains("trackway-cluster cluster init"),
                "\(other)"
            )
            let nats = try failure(["--clickhouse", "http://127.0.0.1:\(environment.cluster.members[0].port)/trackway"])
            #expect(nats.0 == CommandStatus.unavailable.rawValue && nats.1.contains("is not ClickHouse"), "\(nats)")
            let file = environment.folder + "/wrong.json"
            try Data(#"{"user":"writer","password":"wrong"}"#.utf8).write(to: URL(fileURLWithPath: file))
            let wrong = try failure(environment.clickHouseOptions + ["--clickhouse-credentials", file])
            #expect(wrong.0 == CommandStatus.refused.rawValue && wrong.1.contains("the user writer"), "\(wrong)")
            try Data(#"{"user":"reader","password":"secret"}"#.utf8).write(to: URL(fileURLWithPath: file))
            let reader = try EngineCollector.run(
                ["cluster", "check"] + environment.natsOptions + environment.clickHouseOptions + [
                    "--clickhouse-credentials", file,
                ]
            )
            #expect(
                reader.status == CommandStatus.negative.rawValue && reader.output.contains("rejects writes"),
                "\(reader)"
            )
            _ = try await environment.server.query("INSERT INTO trackway VALUES ('tables', '5')")
            let newer = try failure(environment.clickHouseOptions)
            #expect(newer.0 == CommandStatus.cannotCreate.rawValue && newer.1.contains("have version 5"), "\(newer)")
            await collector.stop(signal: "TERM")
        }
    }

    @Test
    func `a start waits for a majority of the NATS servers, up to the --wait time`() async throws {
        try await Self.run { environment in
            #expect(try environment.command(["cluster", "init", "--gigabytes", "1"]).status == 0)
            for name in ["n0", "n1"] { await environment.cluster.kill(name) }
            let early = try environment.command(["cluster", "forward", "--until-caught-up", "--wait", "3"])
            #expect(early.status == CommandStatus.cannotCreate.rawValue, "\(early)")
            #expect(early.errors.contains("Waiting for proof") && early.errors.contains("not be proven"), "\(early)")
            async let laterResult = environment.command(["cluster", "forward", "--until-caught-up", "--json"])
            try await Self.pause(3_000)
            for name in ["n0", "n1"] { try await environment.cluster.start(name) }
            let answer = try await laterResult
            #expect(answer.status == 0 && answer.output.contains("Waiting for proof"), "\(answer)")
        }
    }

    @Test
    func `with --clickhouse, ClickHouse answers queries, and errors name the problem while it is down`() async throws {
        try await Self.run { environment in
            #expect(try environment.command(["cluster", "init", "--gigabytes", "1"]).status == 0)
            let options = ["--clickhouse", environment.server.url + "/trackway"]
            let collector = EngineCollector("asked", in: environment.folder, environment.cluster, options: options)
            let address = try await collector.start()
            let port = await collector.port
            var sender = try Sender(to: address, folder: environment.folder + "/sender", console: .standard)
            for _ in 1...5 { _ = sender.record("bought", ["total": 3, "in": "it's"]) }
            await sender.finish(timeout: .seconds(60))
            let now = SystemClock().now().wall.milliseconds
            let query =
                "/v1/trends?name=bought&measure=sum:total&by=in&from=\(now - 86_400_000)&to=\(now + 86_400_000)"
            // The index has the events; the tables are empty.
            let early = try await Wire.request("GET", query, port: port)
            #expect(early.status == 200 && early.body.contains(#""series":[]"#), "\(early)")
            #expect(try environment.command(["cluster", "forward", "--until-caught-up"]).status == 0)
            let answer = try await Wire.request("GET", query, port: port)
            #expect(answer.body.contains(#""group":"it's""#) && answer.body.contains(#""total":15}"#), "\(answer)")
            #expect(answer.body.contains(#""read":5}"#), "\(answer)")

            await environment.server.kill()
            let unavailable = try await Wire.request("GET", query, port: port)
            #expect(unavailable.status == 503 && unavailable.body.contains("analysis_unavailable"), "\(unavailable)")
            #expect(
                unavailable.body.contains(environment.server.url) && unavailable.body.contains("--clickhouse"),
                "\(unavailable)"
            )
            #expect(try await Wire.request("GET", "/readyz", port: port).status == 200)
            #expect(try await Wire.request("GET", "/v1/events?name=bought", port: port).body.contains("it's"))
            let stats = try await Wire.request("GET", "/v1/stats", port: port)
            #expect(stats.body.contains(#""trouble":"ClickHouse at"#), "\(stats)")
            try await environment.server.start()
            #expect(try await Wire.request("GET", query, port: port).body == answer.body)
            await collector.stop(signal: "TERM")
        }
    }

    /// Creates a stream's records as clients send them.
    ///
    /// A tenth of the batches are sent twice, a tenth are sent again with different boundaries, and some are partly
    /// rejected.
    private static func records(events: Int, seed: UInt64) -> (records: [(UInt64, [UInt8])], ids: Set<EventID>) {
        var random = SeededNumberGenerator(seed: seed)
        var records: [(UInt64, [UInt8])] = []
        var ids: Set<EventID> = []
        var next: [UInt64: UInt64] = [:]
        while ids.count < events {
            let installation = UInt64(random.number(1...40))
            let first = next[installation] ?? 1
            var batch = SentBatch(installation, first...first + UInt64(random.number(5...30)))
            batch.session = "s\(first / 200)"
            if random.oneIn(20) { batch.dropped = batch.sequences.upperBound + 1...batch.sequences.upperBound + 2 }
            if random.oneIn(25) { batch.rejected = [0] }
            next[installation] = (batch.dropped?.upperBound ?? batch.sequences.upperBound) + 1
            ids.formUnion(batch.ids.enumerated().filter { !batch.rejected.contains($0.offset) }.map(\.element))
            records.append((installation, batch.record))
            if random.oneIn(10) { records.append((installation, batch.record)) }
            if random.oneIn(10) {
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
            randomUInt64: CollectorHost.randomUInt64,
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
                    // Not acknowledged within ten seconds: the record may be stored. Send it again, as clients do.
                    try await pause(100)
                }
            }
        }
        connections.cancel()
        await connections.value
    }

    @Test
    func `every event is stored once even if two forwarders, ClickHouse and the stream's leader are killed`()
        async throws
    {
        try await Self.run { environment in
            #expect(try environment.command(["cluster", "init", "--gigabytes", "1"]).status == 0)
            let (records, ids) = Self.records(events: 6_000, seed: 4)
            let rounds = 12
            let portions = (0..<rounds + 2).map { part in
                Array(records[records.count * part / (rounds + 2)..<records.count * (part + 1) / (rounds + 2)])
            }
            let forwarders = (0..<2).map { _ in
                ForwarderProcess(environment.natsOptions + environment.clickHouseOptions)
            }
            for forwarder in forwarders { try await forwarder.start() }
            // Put these portions into different blocks, no matter how quickly records arrive.
            for (block, portion) in portions[..<2].enumerated() {
                try await Self.publish(portion, environment.cluster)
                while try await environment.number("SELECT count() FROM blocks FINAL") <= block {
                    try await Self.pause()
                }
            }
            var random = SeededNumberGenerator(seed: 11)
            for (round, portion) in portions[2...].enumerated() {
                async let publishing: Void = Self.publish(portion, environment.cluster)
                try await Self.pause(random.number(100...900))
                let forwarder = forwarders[random.number(0...1)]
                await forwarder.stop(signal: "KILL")
                if round == 3 || round == 8 {
                    await environment.server.kill()
                    try await Self.pause(300)
                    try await environment.server.start()
                }
                if round == 5 {
                    let check = try environment.json(["cluster", "check"])
                    let leader = try #require(check["servers"]?.array?.first { $0["leader"]?.boolean == true })
                    let name = try #require(leader["name"]?.string)
                    await environment.cluster.kill(name)
                    try await Self.pause(500)
                    try await environment.cluster.start(name)
                }
                try await forwarder.start()
                try await publishing
            }
            for forwarder in forwarders { await forwarder.stop(signal: "KILL") }
            let last = try environment.command(["cluster", "forward", "--until-caught-up"])
            #expect(last.status == 0, "\(last)")

            func expectComplete() async throws {
                #expect(try await environment.number("SELECT count() FROM events FINAL") == ids.count)
                #expect(try await environment.number("SELECT uniqExact(id) FROM events") == ids.count)
                #expect(try await environment.number("SELECT uniqExact(id, position) FROM ids") == ids.count)
                #expect(try await environment.number("SELECT sum(rows) FROM blocks FINAL") == ids.count)
                #expect(try await environment.number("SELECT sum(events) FROM sessions FINAL") == ids.count)
            }
            try await expectComplete()
            #expect(try await environment.number("SELECT count() FROM blocks FINAL") > 1)
            let collector = EngineCollector("index", in: environment.folder, environment.cluster)
            let client = CollectorClient(try await collector.start())
            _ = try await client.get("/v1/wait", query: [("count", "\(ids.count)"), ("timeout", "60")], timeout: 90)
            let ledger = try await client.get("/v1/ledger")
            #expect(try await ForwardedAccounts(environment.server).rows == ForwardedAccounts(ledger).rows)
            #expect(ForwardedAccounts(ledger).rows.count == 40)
            await collector.stop(signal: "TERM")

            let intact = try environment.json(["cluster", "audit", "--dry-run"])
            #expect(intact["whole"]?.boolean == true && intact["findings"]?.array?.isEmpty == true, "\(intact)")
            _ = try await environment.server.query("ALTER TABLE events DROP PARTITION 2810")
            _ = try await environment.server.query("ALTER TABLE sessions DELETE WHERE block = 2")
            while try await environment.number("SELECT count() FROM sessions WHERE block = 2") > 0 {
                try await Self.pause()
            }
            let result = try environment.command(["cluster", "audit", "--dry-run"])
            #expect(result.status == CommandStatus.negative.rawValue && result.output.contains("lacked"), "\(result)")
            let repaired = try environment.json(["cluster", "audit"])
            #expect(repaired["whole"]?.boolean == true && repaired["findings"]?.array?.isEmpty == false, "\(repaired)")
            try await expectComplete()
        }
    }
}
