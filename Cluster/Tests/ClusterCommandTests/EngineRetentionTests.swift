// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorJetStream
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

/// Tests retention in a stream and in tables with real servers and processes.
///
/// Uses three NATS servers, one ClickHouse server, and collectors as processes.
@Suite(
    "Stream and table retention",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(if: NATSServerBinary.isAvailable, "nats-server is not installed and could not be installed."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineRetentionTests {
    /// The environment of a test.
    private struct Environment: Sendable {
        let cluster: NATSTestCluster
        let server: ClickHouseServer
        let folder: String
        let engine: Engine
        let options: [String]

        func command(_ words: [String]) throws -> (status: Int32, output: String, errors: String) {
            try EngineCollector.run(words + options)
        }

        /// Removes records stored before a future time, because no record in these tests is an hour old.
        func purge(noIndex: Bool = false) async throws -> PurgeReport {
            let origin = try await engine.origin()
            let client = try #require(ClickHouseAddress(server.url + "/trackway").map { ClickHouseClient($0) })
            let store = try await ClickHouseTables(client).open(of: origin)
            let forwarding = ForwardingRunner(
                engine.source(of: origin),
                store: store,
                clock: SystemClock(),
                sleep: CollectorHost.sleep
            )
            let cutoff = SystemClock().now().wall.advanced(by: .seconds(60))
            return await forwarding.purge(engine.maintenance, store, .init(cutoff: cutoff, allowsNoIndex: noIndex))
        }

        /// Waits until a collector has reported this index position.
        func wait(until next: UInt64, of name: String) async throws {
            while true {
                let readers = try await engine.maintenance.readers()
                if readers.contains(where: { $0.name.hasSuffix(name) && $0.next >= next }) { return }
                try await pause()
            }
        }

        /// Publishes records until the stream is full, and returns the number of accepted records.
        func fill(_ installation: UInt64) async throws -> UInt64 {
            var count: UInt64 = 0
            while true {
                var batch = SentBatch(installation, count * 20 + 1...count * 20 + 20)
                batch.session = String(repeating: "long", count: 200)
                do {
                    _ = try await commit(batch)
                    count += 1
                } catch let error as IntakeError where error.code == .engineFull {
                    return count
                } catch {
                    try await pause()
                }
            }
        }

        func commit(_ batch: SentBatch) async throws -> Commit {
            try await engine.intake.commit(
                kind: .intake,
                record: batch.record,
                route: IntakeRoute(installation: SentBatch.installation(batch.installation))
            )
        }
    }

    private static func pause() async throws { try await ContinuousClock().sleep(for: .milliseconds(50)) }

    /// Runs servers with a 1 MiB stream and tables while `body` runs.
    private static func run(_ body: @escaping @Sendable (Environment) async throws -> Void) async throws {
        try await NATSTestCluster.run { cluster in
            try await ClickHouseServer.run { server in
                try await RunningCollector.withFolder { folder in
                    let engine = Engine(
                        cluster.addresses,
                        credentials: NATSTestCluster.credentials,
                        clock: SystemClock(),
                        randomUInt64: CollectorHost.randomUInt64,
                        sleep: CollectorHost.sleep
                    )
                    let options =
                        try EngineCollector.options(cluster, folder) + ["--clickhouse", server.url + "/trackway"]
                    let environment = Environment(
                        cluster: cluster,
                        server: server,
                        folder: folder,
                        engine: engine,
                        options: options
                    )
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { await engine.run() }
                        group.addTask {
                            _ = try await engine.makeStream(bytes: 1 << 20, within: .seconds(30))
                            let initialized = try environment.command(["cluster", "init"])
                            #expect(initialized.status == 0, "\(initialized)")
                            #expect(await engine.waitUntilDurable() == nil)
                            try await body(environment)
                        }
                        try await group.next()
                        group.cancelAll()
                    }
                }
            }
        }
    }

    @Test
    func `purging records that all indexes and tables have read frees a full stream; a new index reports the loss`()
        async throws
    {
        try await Self.run { environment in
            let collector = EngineCollector("one", in: environment.folder, environment.cluster)
            let client = CollectorClient(try await collector.start())
            let accepted = try await environment.fill(1)
            #expect(accepted > 10)
            _ = try await client.get(
                "/v1/wait",
                query: [("count", "\(accepted * 20)"), ("timeout", "60")],
                timeout: 90
            )
            try await environment.wait(until: accepted + 1, of: "/one")

            // The tables are still empty, so no record counts as old.
            #expect(try await environment.purge().before == nil)
            #expect(try environment.command(["cluster", "forward", "--until-caught-up"]).status == 0)
            let tooRecent = try environment.command(["cluster", "purge", "--stream-retention", "1h"])
            #expect(tooRecent.status == 0 && tooRecent.output.contains("Nothing was removed."), "\(tooRecent)")
            #expect(tooRecent.output.contains("/one") && tooRecent.output.contains(accepted.grouped), "\(tooRecent)")

            // Records that a lagging collector still needs are kept, even if the collector no longer exists.
            try await environment.engine.maintenance.reportPosition(of: "elsewhere:/data", next: 1)
            let blocked = try await environment.purge()
            #expect(blocked.before == nil && blocked.readers.first?.name == "elsewhere:/data")
            let running = try environment.command([
                "cluster", "purge", "--stream-retention", "1h", "--forget", "elsewhere:/data",
            ])
            #expect(running.status == CommandStatus.refused.rawValue && running.errors.contains("Stop it first"))
            try await environment.engine.maintenance.deletePosition(of: "elsewhere:/data")

            let purged = try await environment.purge()
            #expect(purged.failure == nil && purged.removed == accepted - 1, "\(purged)")
            #expect(purged.extent == StreamExtent(first: accepted, last: accepted))
            // The stream has space again: records are accepted, forwarded, and indexed.
            _ = try await environment.commit(SentBatch(2, 1...20))
            _ = try await client.get(
                "/v1/wait",
                query: [("count", "\(accepted * 20 + 20)"), ("timeout", "60")],
                timeout: 90
            )
            #expect(try environment.command(["cluster", "forward", "--until-caught-up"]).status == 0)
            let audit = try environment.command(["cluster", "audit"])
            #expect(audit.status == 0, "\(audit)")

            // An existing collector continues; a new index cannot start, but a collector without an index can.
            await collector.stop(signal: "TERM")
            _ = try await collector.start()
            await collector.stop(signal: "KILL")
            let newCollector = try EngineCollector.run(
                ["serve", "--data", environment.folder + "/new", "--dev-key", "dev", "--port", "0"]
                    + environment.options.dropLast(2)
            )
            #expect(newCollector.status == CommandStatus.cannotCreate.rawValue, "\(newCollector)")
            #expect(
                newCollector.errors.contains("starts with record \(accepted)")
                    && newCollector.errors.contains("--no-index")
            )
            let copy = environment.folder + "/copy"
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            await collector.stop(signal: "TERM")
            _ = try await collector.start()
            await collector.stop(signal: "TERM")
            for file in ["index.sqlite", "stream.json"] {
                try FileManager.default.copyItem(atPath: environment.folder + "/one/" + file, toPath: copy + "/" + file)
            }
            let second = EngineCollector("copy", in: environment.folder, environment.cluster)
            let copyClient = CollectorClient(try await second.start())
            let totals = try await copyClient.get(
                "/v1/wait",
                query: [("count", "\(accepted * 20 + 20)"), ("timeout", "60")]
            )
            #expect(totals != .null)
            await second.stop(signal: "TERM")
        }
    }

    @Test
    func `lost rows of a purged block are reported and not rewritten, and a lost block ends the forwarder`()
        async throws
    {
        try await Self.run { environment in
            for number in UInt64(1)...6 {
                var batch = SentBatch(number, 1...20)
                if number == 6 { batch.more = [SentBatch.tombstone(2)] }
                _ = try await environment.commit(batch)
                // Put each record into a separate block.
                #expect(try environment.command(["cluster", "forward", "--until-caught-up"]).status == 0)
            }
            var report = try await environment.purge(noIndex: true)
            while report.stopReason == .pendingErasures(1) {
                try await Self.pause()
                report = try await environment.purge(noIndex: true)
            }
            // The erased record has already been deleted.
            #expect(report.removed == 4 && report.failure == nil, "\(report)")
            // Erased rows do not count as missing.
            let intact = try environment.command(["cluster", "audit"])
            #expect(intact.status == 0, "\(intact)")

            _ = try await environment.server.query("ALTER TABLE sessions DELETE WHERE block = 3")
            _ = try await environment.server.query("ALTER TABLE blocks DELETE WHERE block = 4")
            while try environment.command(["cluster", "audit", "--dry-run"]).output.contains("Block 4") == false {
                try await Self.pause()
            }
            let audit = try environment.command(["cluster", "audit"])
            #expect(audit.status == CommandStatus.negative.rawValue, "\(audit)")
            #expect(audit.output.contains("Block 3") && audit.output.contains("cannot be rewritten"), "\(audit)")
            let forward = try environment.command(["cluster", "forward", "--until-caught-up"])
            #expect(forward.status == CommandStatus.inputOutput.rawValue, "\(forward)")
            #expect(forward.errors.contains("no longer has record 4"), "\(forward)")
            #expect(
                try await environment.server.query("SELECT count() FROM blocks FINAL WHERE block = 4").hasPrefix("0")
            )
        }
    }

    @Test
    func `weeks expired by command or forwarder are neither reported missing nor rewritten; responses have kept_from`()
        async throws
    {
        try await Self.run { environment in
            let now = SystemClock().now().wall.milliseconds
            let week: Int64 = 604_800_000
            for number in UInt64(1)...6 {
                var batch = SentBatch(number, 1...20)
                // Five, four, three weeks ago, and so on; the last batch now.
                batch.received = now - Int64(6 - number) * week
                _ = try await environment.commit(batch)
            }
            #expect(try environment.command(["cluster", "forward", "--until-caught-up"]).status == 0)
            let server = Array(environment.options.suffix(2))
            func expire(_ words: String...) throws -> (status: Int32, output: String, errors: String) {
                try EngineCollector.run(["cluster", "expire"] + words + server)
            }
            let dryRun = try expire("--table-retention", "4w", "--dry-run")
            #expect(dryRun.status == 0 && dryRun.output.contains("with 20 events would expire."), "\(dryRun)")
            #expect(try await environment.server.query("SELECT count() FROM events").hasPrefix("120"))
            let expired = try expire("--table-retention", "4w", "--json")
            #expect(expired.status == 0 && expired.output.contains(#""kept_from":1"#), "\(expired)")
            #expect(try await environment.server.query("SELECT count() FROM events").hasPrefix("100"))
            let audit = try environment.command(["cluster", "audit"])
            #expect(audit.status == 0 && audit.output.contains("1 of these blocks have expired"), "\(audit)")

            // Write the blocks again, as after the loss of the tables' last blocks.
            _ = try await environment.server.query("TRUNCATE TABLE blocks")
            #expect(try environment.command(["cluster", "forward", "--until-caught-up"]).status == 0)
            #expect(try await environment.server.query("SELECT uniqExact(position) FROM events").hasPrefix("100"))

            // A running forwarder with a shorter retention expires more weeks.
            let forwarder = ForwarderProcess(["--table-retention", "3w"] + environment.options)
            try await forwarder.start()
            while try await !environment.server.query("SELECT uniqExact(position) FROM events").hasPrefix("80") {
                try await Self.pause()
            }
            await forwarder.stop(signal: "TERM")

            let tables = ["--no-index", "--clickhouse", environment.server.url + "/trackway"]
            let collector = EngineCollector("tables", in: environment.folder, environment.cluster, options: tables)
            let client = CollectorClient(try await collector.start())
            let retainedSince = try await client.get("/v1/stats")["kept_from"]?.integer ?? 0
            #expect(retainedSince > now - 4 * week && retainedSince <= now - 3 * week && retainedSince % week == 0)
            #expect(try await client.get("/v1/stats")["events"]?.integer == 80)
            let events = try await client.get("/v1/events", query: [("limit", "1000")])
            #expect(events["events"]?.array?.count == 80 && events["kept_from"]?.integer == retainedSince)
            let recent = try await client.get("/v1/events", query: [("from", String(retainedSince))])
            #expect(recent["kept_from"] == nil)
            // The ledger still has an account of every writer, including the expired events.
            #expect(try await client.get("/v1/ledger")["total"]?.integer == 6)
            await collector.stop(signal: "TERM")
            #expect(try environment.command(["cluster", "audit"]).status == 0)
        }
    }
}
