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

/// Tests the deletion of erased installations' records with real servers and processes.
///
/// Uses three NATS servers, one ClickHouse server, and collectors and forwarders as processes.
@Suite(
    "Deleting erased records from a NATS stream",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(if: NATSServerBinary.isAvailable, "nats-server is not installed and could not be installed."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineDeletionTests {
    /// The environment of a test.
    private struct Environment: Sendable {
        let cluster: NATSTestCluster
        let server: ClickHouseServer
        let folder: String
        let engine: Engine
        let client: NATSClient
        let options: [String]

        func command(
            _ words: [String],
            database: String = "trackway"
        ) throws -> (status: Int32, output: String, errors: String) {
            try EngineCollector.run(words + options + ["--clickhouse", server.url + "/" + database])
        }

        /// Returns a forwarding runner for this process and its tables.
        func forwarding() async throws -> (ForwardingRunner, ClickHouseStore) {
            let origin = try await engine.origin()
            let address = try #require(ClickHouseAddress(server.url + "/trackway"))
            let store = try await ClickHouseTables(ClickHouseClient(address)).open(of: origin)
            let source = engine.source(of: origin)
            return (
                ForwardingRunner(source, store: store, clock: SystemClock(), sleep: CollectorHost.sleep), store
            )
        }

        /// Publishes a batch to the stream and returns its sequence.
        @discardableResult
        func commit(_ batch: SentBatch) async throws -> UInt64 {
            let commit = try await engine.intake.commit(
                kind: .intake,
                record: batch.record,
                route: IntakeRoute(installation: SentBatch.installation(batch.installation))
            )
            // A commit returns the position after the record.
            return commit.position.streamSequence - 1
        }

        /// Returns the error code with which the stream's leader answers a request for a record; nil if it has the
        /// record.
        func errorNumber(_ sequence: UInt64) async throws -> Int64? {
            let answer = try await client.request(
                "$JS.API.STREAM.MSG.GET.INTAKE_0",
                body: Array("{\"seq\":\(sequence)}".utf8),
                within: .seconds(10)
            )
            return try JSONValue.parse(answer.body)["error"]?["err_code"]?.integer
        }

        /// Whether a server's files of the stream contain a text.
        func contains(_ text: String, on member: String) throws -> Bool {
            let files = FileManager.default.enumerator(atPath: cluster.storeFolder(of: member))
            while let file = files?.nextObject() as? String {
                guard file.contains("/streams/INTAKE_0/msgs/") else { continue }
                let path = cluster.storeFolder(of: member) + "/" + file
                // A file that no longer exists contains nothing.
                let data = FileManager.default.contents(atPath: path) ?? Data()
                if data.range(of: Data(text.utf8)) != nil { return true }
            }
            return false
        }

        /// Returns the contents of the tables that erasure and deletion must not change.
        func tables(_ database: String) async throws -> [String] {
            let condition = "installation NOT IN (SELECT installation FROM erasures)"
            var queries = ["events", "sessions", "ranges", "people", "devices", "counts"].map { table in
                "SELECT count(), sum(cityHash64(*)) FROM (SELECT * FROM \(table) FINAL WHERE \(condition))"
            }
            queries += [
                "SELECT name, quarter, sum(events) AS e FROM names FINAL GROUP BY name, quarter HAVING e > 0 ORDER BY name, quarter",
                "SELECT hex(installation) AS i, sum(events + repeats + refused) FROM counts FINAL WHERE NOT (\(condition)) GROUP BY i "
                    + "ORDER BY i",
                "SELECT hex(installation), block, time, key, operator FROM erasures FINAL ORDER BY block",
            ]
            var contents: [String] = []
            for query in queries {
                contents.append(try await server.query(query + " FORMAT TabSeparated", database: database))
            }
            return contents
        }
    }

    private static func pause() async throws { try await ContinuousClock().sleep(for: .milliseconds(50)) }

    /// Runs servers with a stream and tables while `body` runs.
    private static func run(_ body: @escaping @Sendable (Environment) async throws -> Void) async throws {
        try await NATSTestCluster.run { cluster in
            try await ClickHouseServer.run { server in
                try await RunningCollector.withFolder { folder in
                    let credentials = NATSTestCluster.credentials
                    let (randomUInt64, sleep) = (CollectorHost.randomUInt64, CollectorHost.sleep)
                    let engine = Engine(
                        cluster.addresses,
                        credentials: credentials,
                        clock: SystemClock(),
                        randomUInt64: randomUInt64,
                        sleep: sleep
                    )
                    let client = NATSClient(
                        cluster.addresses,
                        credentials: credentials.user,
                        randomUInt64: randomUInt64,
                        sleep: sleep
                    )
                    let environment = Environment(
                        cluster: cluster,
                        server: server,
                        folder: folder,
                        engine: engine,
                        client: client,
                        options: try EngineCollector.options(cluster, folder)
                    )
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { await engine.run() }
                        group.addTask { await client.run() }
                        group.addTask {
                            _ = try await engine.makeStream(bytes: 1 << 26, within: .seconds(30))
                            let initialized = try environment.command(["cluster", "init"])
                            #expect(initialized.status == 0, "\(initialized)")
                            #expect(await engine.waitUntilDurable() == nil)
                            while client.connection == nil { try await pause() }
                            try await body(environment)
                        }
                        try await group.next()
                        group.cancelAll()
                    }
                }
            }
        }
    }

    /// Returns all responses of a collector, without values that are specific to its index.
    private static func responses(_ client: CollectorClient) async throws -> [JSONValue] {
        let stats = try await client.get("/v1/stats")
        let events = try await client.get("/v1/events", query: [("limit", "1000")])
        let ledger = try await client.get("/v1/ledger")
        let numbers = [
            "events", "installations", "failed", "duplicates", "damaged", "erased_installations", "erased_events",
        ]
        return numbers.map { stats[$0] ?? .null } + [
            events["events"] ?? .null, ledger["erasures"] ?? .null, try await client.get("/v1/failed"),
            .array(ForwardedAccounts(ledger).rows.map { .string($0) }),
        ]
    }

    @Test
    func `erased bytes disappear from every server, new indexes and tables match, and unlisted gaps are faults`()
        async throws
    {
        try await Self.run { environment in
            let old = EngineCollector("one", in: environment.folder, environment.cluster)
            let client = CollectorClient(try await old.start())
            var erased: [UInt64] = []
            var retained: [UInt64] = []
            for number in UInt64(0)..<18 {
                // The first record, consecutive records, and one that contains only duplicates.
                let isErased = [0, 3, 4, 5, 9, 16].contains(number)
                var batch = SentBatch(isErased ? 7 : number % 3 + 1, number * 5 + 1...number * 5 + 5)
                if number == 16 { batch = SentBatch(7, 16...20) }
                if isErased { batch.session = "ABOUT-WHOM-NOTHING-IS-LEFT" }
                if number == 9 { batch.rejected = [0, 1, 2, 3, 4] }
                if number == 8 { batch.more = [SentBatch.tombstone(99)] }
                let sequence = try await environment.commit(batch)
                if isErased { erased.append(sequence) } else { retained.append(sequence) }
            }
            #expect(try environment.command(["cluster", "forward", "--until-caught-up"]).status == 0)
            for member in environment.cluster.members {
                while try !environment.contains("ABOUT-WHOM", on: member.name) { try await Self.pause() }
            }
            let erasure = try await client.send("DELETE", "/v1/installations/\(SentBatch.installation(7))")
            #expect(erasure["position"] != nil, "\(erasure)")
            let last = try await environment.commit(SentBatch(1, 101...105))
            _ = try await client.get(
                "/v1/wait",
                query: [("position", "0.\(last + 1)"), ("timeout", "60")],
                timeout: 90
            )
            let before = try await Self.responses(client)

            let forward = try environment.command(["cluster", "forward", "--until-caught-up"])
            #expect(forward.status == 0 && !forward.errors.contains("stay in"), "\(forward)")
            for sequence in erased { #expect(try await environment.errorNumber(sequence) == 10_037, "\(sequence)") }
            for sequence in retained { #expect(try await environment.errorNumber(sequence) == nil, "\(sequence)") }
            for member in environment.cluster.members {
                #expect(try !environment.contains("ABOUT-WHOM", on: member.name), "\(member.name)")
            }
            let check = try environment.command(["cluster", "check"])
            #expect(
                check.output.contains(
                    "listed for deletion: \(erased.count); blocks still to search or delete from: 0."
                ),
                "\(check)"
            )
            let extent = try await environment.engine.maintenance.extent()
            // Deleting erased records at the start is not a purge. A deleted record has the time of the next existing
            // one.
            #expect(extent.first == 1)
            let times = (
                try await environment.engine.maintenance.time(of: 4),
                try await environment.engine.maintenance.time(of: 7)
            )
            #expect(times.0 == times.1 && times.0 != nil)

            // The existing index continues, and a new one has the same contents.
            let new = EngineCollector("two", in: environment.folder, environment.cluster)
            let newClient = CollectorClient(try await new.start())
            _ = try await newClient.get(
                "/v1/wait",
                query: [("position", "0.\(last + 1)"), ("timeout", "60")],
                timeout: 90
            )
            #expect(try await Self.responses(newClient) == before)
            #expect(try await Self.responses(client) == before)

            // New tables have the same contents, too.
            #expect(try environment.command(["cluster", "init"], database: "later").status == 0)
            let refill = try environment.command(["cluster", "forward", "--until-caught-up"], database: "later")
            #expect(refill.status == 0, "\(refill)")
            #expect(try await environment.tables("later") == environment.tables("trackway"))
            for database in ["trackway", "later"] {
                let audit = try environment.command(["cluster", "audit"], database: database)
                #expect(audit.status == 0, "\(audit)")
            }

            // A gap that is not listed is a loss of data.
            await old.stop(signal: "TERM")
            await new.stop(signal: "TERM")
            let deletedSequence = retained[4]
            let deleted = try await environment.client.request(
                "$JS.API.STREAM.MSG.DELETE.INTAKE_0",
                body: Array("{\"seq\":\(deletedSequence)}".utf8),
                within: .seconds(10)
            )
            #expect(try JSONValue.parse(deleted.body)["success"]?.boolean == true)
            var next = LogPosition(stream: 0, sequence: 1)
            let fault = await #expect(throws: StreamFault.self) {
                while true {
                    let records = try await environment.engine.scanRecords.records(
                        from: next,
                        upTo: LogPosition(stream: 0, sequence: last + 1)
                    )
                    next = try #require(records.last).end
                }
            }
            #expect(fault?.isGap == true && next.streamSequence == deletedSequence, "\(String(describing: fault))")
        }
    }

    /// A list that fails before a deletion, as if its process had been killed.
    private struct FailingDeletionList: DeletedRecordList {
        let list: DeletionIndexSet
        let deletionsLeft: Locked<Int>

        func prepare() async throws(StreamMaintenanceError) { try await list.prepare() }

        func progress() async throws(StreamMaintenanceError) -> ErasureProgress { try await list.progress() }

        func save(_ progress: ErasureProgress) async throws(StreamMaintenanceError) { try await list.save(progress) }

        func append(_ record: DeletedRecordEntry) async throws(StreamMaintenanceError) { try await list.append(record) }

        func delete(_ sequence: UInt64) async throws(StreamMaintenanceError) {
            let hasFailed = deletionsLeft.withLock { left in
                left -= 1
                return left < 0
            }
            if hasFailed { throw StreamMaintenanceError("The process was killed.") }
            try await list.delete(sequence)
        }
    }

    @Test
    func `after a process is killed between listing and deleting, or at any other point, another process finishes`()
        async throws
    {
        try await Self.run { environment in
            var erased: [UInt64] = []
            for number in UInt64(0)..<40 {
                let sequence = try await environment.commit(SentBatch(number % 2 + 1, number * 5 + 1...number * 5 + 5))
                if number % 2 == 1 { erased.append(sequence) }
                if number % 10 == 9 {
                    #expect(try environment.command(["cluster", "forward", "--until-caught-up"]).status == 0)
                }
            }
            let (forwarding, store) = try await environment.forwarding()
            var batch = SentBatch(3, 1...1)
            batch.more = [SentBatch.tombstone(2)]
            try await environment.commit(batch)
            let last = try await environment.commit(SentBatch(3, 2...2))
            #expect(await forwarding.run(untilCaughtUp: true) == nil)
            for count in [0, 1, 3] {
                let list = FailingDeletionList(list: environment.engine.deletionIndexes, deletionsLeft: Locked(count))
                let report = await forwarding.eraseRecords(list, environment.engine.maintenance, store)
                #expect(report.failure == "The process was killed." && report.deleted == count, "\(report)")
                // A concurrent reader can still read to the end.
                var next = LogPosition(stream: 0, sequence: 1)
                while next.streamSequence <= last {
                    let end = LogPosition(stream: 0, sequence: last + 1)
                    next = try #require(try await environment.engine.scanRecords.records(from: next, upTo: end).last)
                        .end
                }
            }
            for _ in 1...4 {
                let process = ForwarderProcess(
                    environment.options + ["--clickhouse", environment.server.url + "/trackway"]
                )
                try await process.start()
                for _ in 1...8 { try await Self.pause() }
                await process.stop(signal: "KILL")
            }
            let end = try environment.command(["cluster", "forward", "--until-caught-up"])
            #expect(end.status == 0, "\(end)")
            for sequence in 1...last {
                #expect(try await environment.errorNumber(sequence) == (erased.contains(sequence) ? 10_037 : nil))
            }
            #expect(try await environment.engine.deletionIndexes.count() == UInt64(erased.count))
            let report = try await environment.server.query(
                "SELECT count() FROM events FINAL WHERE installation NOT IN (SELECT installation FROM erasures)"
            )
            #expect(report.hasPrefix("102"), "\(report)")
        }
    }

    @Test
    func `a record missed because table rows were lost is deleted after an audit restores the rows`() async throws {
        try await Self.run { environment in
            let (forwarding, _) = try await environment.forwarding()
            var erased: [UInt64] = []
            for numbers in [1...5, 6...10] as [ClosedRange<UInt64>] {
                erased.append(try await environment.commit(SentBatch(2, numbers)))
                #expect(await forwarding.run(untilCaughtUp: true) == nil)
            }
            var batch = SentBatch(3, 1...1)
            batch.more = [SentBatch.tombstone(2)]
            try await environment.commit(batch)
            #expect(await forwarding.run(untilCaughtUp: true) == nil)
            _ = try await environment.server.query("ALTER TABLE counts DELETE WHERE block = 1")
            while try await !environment.server.query("SELECT count() FROM counts WHERE block = 1").hasPrefix("0") {
                try await Self.pause()
            }
            #expect(try environment.command(["cluster", "forward", "--until-caught-up"]).status == 0)
            #expect(try await environment.errorNumber(erased[0]) == nil)
            #expect(try await environment.errorNumber(erased[1]) == 10_037)
            let audit = try environment.command(["cluster", "audit"])
            #expect(audit.status == 0 && audit.output.contains("1 in counts; they were rewritten"), "\(audit)")
            #expect(try environment.command(["cluster", "forward", "--until-caught-up"]).status == 0)
            #expect(try await environment.errorNumber(erased[0]) == 10_037)
        }
    }

    @Test
    func `a running forwarder deletes records promptly; one without permission reports that and still erases the rows`()
        async throws
    {
        try await Self.run { environment in
            let first = try await environment.commit(SentBatch(2, 1...5))
            var batch = SentBatch(3, 1...1)
            batch.more = [SentBatch.tombstone(2)]
            try await environment.commit(batch)
            let file = environment.folder + "/keeper.json"
            try Data(NATSTestCluster.restrictedCredentials.utf8).write(to: URL(fileURLWithPath: file))
            let tables = ["--clickhouse", environment.server.url + "/trackway"]
            let restrictedOptions = ["--nats", environment.options[1], "--nats-credentials", file]
            let restricted = try EngineCollector.run(
                ["cluster", "forward", "--until-caught-up"] + restrictedOptions + tables
            )
            #expect(
                restricted.status == 0
                    && restricted.errors.contains("cannot publish to $JS.API.STREAM.MSG.DELETE.INTAKE_0"),
                "\(restricted)"
            )
            #expect(try await environment.errorNumber(first) == nil)
            let rows = "SELECT count() FROM events WHERE installation IN (SELECT installation FROM erasures)"
            while try await !environment.server.query(rows).hasPrefix("0") { try await Self.pause() }
            let check = try environment.command(["cluster", "check"])
            #expect(
                check.output.contains(
                    "listed for deletion: 1; blocks still to search or delete from: 1."
                ),
                "\(check)"
            )

            let process = ForwarderProcess(environment.options + tables)
            try await process.start()
            while try await environment.errorNumber(first) == nil { try await Self.pause() }
            await process.stop(signal: "TERM")
            #expect(try await environment.errorNumber(first) == 10_037)
        }
    }
}
