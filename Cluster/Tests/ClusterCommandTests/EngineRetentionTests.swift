// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import Collector
internal import CollectorClickHouse
internal import CollectorJetStream
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayEvents
internal import TrackwayJournal

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

/// Retention in a stream and in tables, with real servers and processes.
///
/// Uses three NATS servers, one ClickHouse server, and collectors as processes.
@Suite(
    "Stream and table retention",
    .enabled(if: NATSServerBinary.isWanted, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests, separately from others."),
    .enabled(if: NATSServerBinary.isHere, "nats-server is not installed, and installing it failed."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs Debian's."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineRetentionTests {
    /// The environment of a test.
    private struct Setting: Sendable {
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
            return await forwarding.purge(engine.keeping, store, .init(cutoff: cutoff, allowsNoIndex: noIndex))
        }

        /// Waits until a collector has reported this index position.
        func wait(until next: UInt64, of name: String) async throws {
            while true {
                let readers = try await engine.keeping.readers()
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

    /// Runs servers with a stream of one mebibyte and tables while `body` runs.
    private static func run(_ body: @escaping @Sendable (Setting) async throws -> Void) async throws {
        try await NATSTestCluster.run { cluster in
            try await ClickHouseServer.run { server in
                try await RunningCollector.withFolder { folder in
                    let engine = Engine(
                        cluster.addresses,
                        credentials: NATSTestCluster.credentials,
                        clock: SystemClock(),
                        chance: CollectorHost.chance,
                        sleep: CollectorHost.sleep
                    )
                    let options = try EngineCollector.options(cluster, folder) + ["--to", server.url + "/trackway"]
                    let setting = Setting(
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
                            let made = try setting.command(["engine", "init"])
                            #expect(made.status == 0, "\(made)")
                            #expect(await engine.waitUntilDurable() == nil)
                            try await body(setting)
                        }
                        try await group.next()
                        group.cancelAll()
                    }
                }
            }
        }
    }

    @Test("purging records that all indexes and tables have read frees a full stream; a new index reports the loss")
    func full() async throws {
        try await Self.run { setting in
            let collector = EngineCollector("one", in: setting.folder, setting.cluster)
            let client = CollectorClient(try await collector.start())
            let taken = try await setting.fill(1)
            #expect(taken > 10)
            _ = try await client.get("/v1/wait", query: [("count", "\(taken * 20)"), ("timeout", "60")], timeout: 90)
            try await setting.wait(until: taken + 1, of: "/one")

            // The tables are still empty, so no record counts as old.
            #expect(try await setting.purge().before == nil)
            #expect(try setting.command(["forward", "--until-caught-up"]).status == 0)
            let young = try setting.command(["engine", "purge", "--older-than", "1h"])
            #expect(young.status == 0 && young.output.contains("Nothing was removed."), "\(young)")
            #expect(young.output.contains("/one") && young.output.contains(taken.grouped), "\(young)")

            // A collector that is behind keeps the records that it needs, even if it is gone.
            try await setting.engine.keeping.tell("elsewhere:/data", next: 1)
            let held = try await setting.purge()
            #expect(held.before == nil && held.readers.first?.name == "elsewhere:/data")
            let running = try setting.command([
                "engine", "purge", "--older-than", "1h", "--forget", "elsewhere:/data",
            ])
            #expect(running.status == CommandStatus.refused.rawValue && running.errors.contains("Stop it first"))
            try await setting.engine.keeping.forget("elsewhere:/data")

            let purged = try await setting.purge()
            #expect(purged.trouble == nil && purged.removed == taken - 1, "\(purged)")
            #expect(purged.extent == StreamExtent(first: taken, last: taken))
            // The stream has space again: records are accepted, forwarded, and indexed.
            _ = try await setting.commit(SentBatch(2, 1...20))
            _ = try await client.get(
                "/v1/wait",
                query: [("count", "\(taken * 20 + 20)"), ("timeout", "60")],
                timeout: 90
            )
            #expect(try setting.command(["forward", "--until-caught-up"]).status == 0)
            let audit = try setting.command(["engine", "audit"])
            #expect(audit.status == 0, "\(audit)")

            // An existing collector continues; a new index cannot start, but a collector without an index can.
            await collector.end("TERM")
            _ = try await collector.start()
            await collector.end("KILL")
            let begun = try EngineCollector.run(
                ["serve", "--data", setting.folder + "/new", "--dev-key", "dev", "--port", "0"]
                    + setting.options.dropLast(2)
            )
            #expect(begun.status == CommandStatus.cannotCreate.rawValue, "\(begun)")
            #expect(begun.errors.contains("starts with record \(taken)") && begun.errors.contains("--no-index"))
            let copy = setting.folder + "/copy"
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            await collector.end("TERM")
            _ = try await collector.start()
            await collector.end("TERM")
            for file in ["index.sqlite", "stream.json"] {
                try FileManager.default.copyItem(atPath: setting.folder + "/one/" + file, toPath: copy + "/" + file)
            }
            let second = EngineCollector("copy", in: setting.folder, setting.cluster)
            let copied = CollectorClient(try await second.start())
            let totals = try await copied.get("/v1/wait", query: [("count", "\(taken * 20 + 20)"), ("timeout", "60")])
            #expect(totals != .null)
            await second.end("TERM")
        }
    }

    @Test("lost rows of a purged block are reported and not rewritten, and a lost block ends the forwarder")
    func audit() async throws {
        try await Self.run { setting in
            for number in UInt64(1)...6 {
                var batch = SentBatch(number, 1...20)
                if number == 6 { batch.more = [SentBatch.tombstone(2)] }
                _ = try await setting.commit(batch)
                // Put each record into a separate block.
                #expect(try setting.command(["forward", "--until-caught-up"]).status == 0)
            }
            var report = try await setting.purge(noIndex: true)
            while report.hold == .erasing(1) {
                try await Self.pause()
                report = try await setting.purge(noIndex: true)
            }
            // The erased record has already been deleted.
            #expect(report.removed == 4 && report.trouble == nil, "\(report)")
            // Erased rows do not count as missing.
            let good = try setting.command(["engine", "audit"])
            #expect(good.status == 0, "\(good)")

            _ = try await setting.server.ask("ALTER TABLE sessions DELETE WHERE block = 3")
            _ = try await setting.server.ask("ALTER TABLE blocks DELETE WHERE block = 4")
            while try setting.command(["engine", "audit", "--dry-run"]).output.contains("Block 4") == false {
                try await Self.pause()
            }
            let told = try setting.command(["engine", "audit"])
            #expect(told.status == CommandStatus.negative.rawValue, "\(told)")
            #expect(told.output.contains("Block 3") && told.output.contains("cannot be rewritten"), "\(told)")
            let forward = try setting.command(["forward", "--until-caught-up"])
            #expect(forward.status == CommandStatus.inputOutput.rawValue, "\(forward)")
            #expect(forward.errors.contains("no longer has record 4"), "\(forward)")
            #expect(try await setting.server.ask("SELECT count() FROM blocks FINAL WHERE block = 4").hasPrefix("0"))
        }
    }

    @Test("weeks expired by command or forwarder are not reported missing or rewritten, and responses have kept_from")
    func expire() async throws {
        try await Self.run { setting in
            let now = SystemClock().now().wall.milliseconds
            let week: Int64 = 604_800_000
            for number in UInt64(1)...6 {
                var batch = SentBatch(number, 1...20)
                // Five, four, three weeks ago, and so on; the last batch now.
                batch.received = now - Int64(6 - number) * week
                _ = try await setting.commit(batch)
            }
            #expect(try setting.command(["forward", "--until-caught-up"]).status == 0)
            let to = Array(setting.options.suffix(2))
            func expire(_ words: String...) throws -> (status: Int32, output: String, errors: String) {
                try EngineCollector.run(["engine", "expire"] + words + to)
            }
            let trial = try expire("--older-than", "4w", "--dry-run")
            #expect(trial.status == 0 && trial.output.contains("with 20 events would expire."), "\(trial)")
            #expect(try await setting.server.ask("SELECT count() FROM events").hasPrefix("120"))
            let went = try expire("--older-than", "4w", "--json")
            #expect(went.status == 0 && went.output.contains(#""kept_from":1"#), "\(went)")
            #expect(try await setting.server.ask("SELECT count() FROM events").hasPrefix("100"))
            let audit = try setting.command(["engine", "audit"])
            #expect(audit.status == 0 && audit.output.contains("The events of 1 of them have expired"), "\(audit)")

            // Write the blocks again, as for tables that lost their last blocks.
            _ = try await setting.server.ask("TRUNCATE TABLE blocks")
            #expect(try setting.command(["forward", "--until-caught-up"]).status == 0)
            #expect(try await setting.server.ask("SELECT uniqExact(position) FROM events").hasPrefix("100"))

            // A running forwarder with a shorter retention expires more weeks.
            let forwarder = ForwarderProcess(["--retention", "3w"] + setting.options)
            try await forwarder.start()
            while try await !setting.server.ask("SELECT uniqExact(position) FROM events").hasPrefix("80") {
                try await Self.pause()
            }
            await forwarder.end("TERM")

            let tables = ["--no-index", "--analysis", setting.server.url + "/trackway"]
            let collector = EngineCollector("tables", in: setting.folder, setting.cluster, options: tables)
            let client = CollectorClient(try await collector.start())
            let kept = try await client.get("/v1/stats")["kept_from"]?.integer ?? 0
            #expect(kept > now - 4 * week && kept <= now - 3 * week && kept % week == 0)
            #expect(try await client.get("/v1/stats")["events"]?.integer == 80)
            let events = try await client.get("/v1/events", query: [("limit", "1000")])
            #expect(events["events"]?.array?.count == 80 && events["kept_from"]?.integer == kept)
            let recent = try await client.get("/v1/events", query: [("from", String(kept))])
            #expect(recent["kept_from"] == nil)
            // The ledger still has an account of every writer, including the expired events.
            #expect(try await client.get("/v1/ledger")["total"]?.integer == 6)
            await collector.end("TERM")
            #expect(try setting.command(["engine", "audit"]).status == 0)
        }
    }
}
