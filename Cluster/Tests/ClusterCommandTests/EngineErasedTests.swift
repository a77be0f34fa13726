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

/// Deletes erased installations' records, with real servers and processes.
///
/// Uses three NATS servers, one ClickHouse server, and collectors and forwarders as processes.
@Suite(
    "Deleting erased records from a NATS stream",
    .enabled(if: NATSServerBinary.isWanted, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests, separately from others."),
    .enabled(if: NATSServerBinary.isHere, "nats-server is not installed, and installing it failed."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs Debian's."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineErasedTests {
    /// The environment of a test.
    private struct Setting: Sendable {
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
            try EngineCollector.run(words + options + ["--to", server.url + "/" + database])
        }

        /// Returns a forwarding runner for this process, and its tables.
        func forwarding() async throws -> (ForwardingRunner, ClickHouseStore) {
            let origin = try await engine.origin()
            let address = try #require(ClickHouseAddress(server.url + "/trackway"))
            let store = try await ClickHouseTables(ClickHouseClient(address)).open(of: origin)
            let source = engine.source(of: origin)
            return (
                ForwardingRunner(source, store: store, clock: SystemClock(), sleep: CollectorHost.sleep), store
            )
        }

        /// Publishes a batch to the stream, and returns its sequence.
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

        /// Returns the error code of the stream's leader for a record; nil if it has the record.
        func errorNumber(_ sequence: UInt64) async throws -> Int64? {
            let answer = try await client.request(
                "$JS.API.STREAM.MSG.GET.INTAKE_0",
                body: Array("{\"seq\":\(sequence)}".utf8),
                within: .seconds(10)
            )
            return try JSONValue.parse(answer.body)["error"]?["err_code"]?.integer
        }

        /// Whether a server's files of the stream contain a text.
        func has(_ text: String, on member: String) throws -> Bool {
            let files = FileManager.default.enumerator(atPath: cluster.store(of: member))
            while let file = files?.nextObject() as? String {
                guard file.contains("/streams/INTAKE_0/msgs/") else { continue }
                let path = cluster.store(of: member) + "/" + file
                // A file that no longer exists contains nothing.
                let data = FileManager.default.contents(atPath: path) ?? Data()
                if data.range(of: Data(text.utf8)) != nil { return true }
            }
            return false
        }

        /// Returns the contents of the tables that erasure and deletion must not change.
        func tables(_ database: String) async throws -> [String] {
            let living = "installation NOT IN (SELECT installation FROM erasures)"
            var queries = ["events", "sessions", "ranges", "people", "devices", "counts"].map { table in
                "SELECT count(), sum(cityHash64(*)) FROM (SELECT * FROM \(table) FINAL WHERE \(living))"
            }
            queries += [
                "SELECT name, quarter, sum(events) AS e FROM names FINAL GROUP BY name, quarter HAVING e > 0 ORDER BY name, quarter",
                "SELECT hex(installation) AS i, sum(events + repeats + refused) FROM counts FINAL WHERE NOT (\(living)) GROUP BY i "
                    + "ORDER BY i",
                "SELECT hex(installation), block, time, key, operator FROM erasures FINAL ORDER BY block",
            ]
            var told: [String] = []
            for query in queries {
                told.append(try await server.ask(query + " FORMAT TabSeparated", database: database))
            }
            return told
        }
    }

    private static func pause() async throws { try await ContinuousClock().sleep(for: .milliseconds(50)) }

    /// Runs servers with a stream and tables while `body` runs.
    private static func run(_ body: @escaping @Sendable (Setting) async throws -> Void) async throws {
        try await NATSTestCluster.run { cluster in
            try await ClickHouseServer.run { server in
                try await RunningCollector.withFolder { folder in
                    let credentials = NATSTestCluster.credentials
                    let (chance, sleep) = (CollectorHost.chance, CollectorHost.sleep)
                    let engine = Engine(
                        cluster.addresses,
                        credentials: credentials,
                        clock: SystemClock(),
                        chance: chance,
                        sleep: sleep
                    )
                    let client = NATSClient(
                        cluster.addresses,
                        credentials: credentials.user,
                        chance: chance,
                        sleep: sleep
                    )
                    let setting = Setting(
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
                            let made = try setting.command(["engine", "init"])
                            #expect(made.status == 0, "\(made)")
                            #expect(await engine.waitUntilDurable() == nil)
                            while client.connection == nil { try await pause() }
                            try await body(setting)
                        }
                        try await group.next()
                        group.cancelAll()
                    }
                }
            }
        }
    }

    /// Returns all answers of a collector, without values that are specific to its index.
    private static func answers(_ client: CollectorClient) async throws -> [JSONValue] {
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

    @Test("erased bytes disappear from every server, new indexes and tables match, and unlisted gaps are faults")
    func gone() async throws {
        try await Self.run { setting in
            let old = EngineCollector("one", in: setting.folder, setting.cluster)
            let client = CollectorClient(try await old.start())
            var erased: [UInt64] = []
            var others: [UInt64] = []
            for number in UInt64(0)..<18 {
                // The first record, consecutive records, and one that contains only duplicates.
                let isErased = [0, 3, 4, 5, 9, 16].contains(number)
                var batch = SentBatch(isErased ? 7 : number % 3 + 1, number * 5 + 1...number * 5 + 5)
                if number == 16 { batch = SentBatch(7, 16...20) }
                if isErased { batch.session = "ABOUT-WHOM-NOTHING-IS-LEFT" }
                if number == 9 { batch.rejected = [0, 1, 2, 3, 4] }
                if number == 8 { batch.more = [SentBatch.tombstone(99)] }
                let sequence = try await setting.commit(batch)
                if isErased { erased.append(sequence) } else { others.append(sequence) }
            }
            #expect(try setting.command(["forward", "--until-caught-up"]).status == 0)
            for member in setting.cluster.members {
                while try !setting.has("ABOUT-WHOM", on: member.name) { try await Self.pause() }
            }
            let ordered = try await client.send("DELETE", "/v1/installations/\(SentBatch.installation(7))")
            #expect(ordered["position"] != nil, "\(ordered)")
            let last = try await setting.commit(SentBatch(1, 101...105))
            _ = try await client.get(
                "/v1/wait",
                query: [("position", "0.\(last + 1)"), ("timeout", "60")],
                timeout: 90
            )
            let before = try await Self.answers(client)

            let forward = try setting.command(["forward", "--until-caught-up"])
            #expect(forward.status == 0 && !forward.errors.contains("stay in"), "\(forward)")
            for sequence in erased { #expect(try await setting.errorNumber(sequence) == 10_037, "\(sequence)") }
            for sequence in others { #expect(try await setting.errorNumber(sequence) == nil, "\(sequence)") }
            for member in setting.cluster.members {
                #expect(try !setting.has("ABOUT-WHOM", on: member.name), "\(member.name)")
            }
            let check = try setting.command(["engine", "check"])
            #expect(
                check.output.contains(
                    "listed for deletion: \(erased.count); blocks still to search or delete from: 0."
                ),
                "\(check)"
            )
            let extent = try await setting.engine.keeping.extent()
            // Deleting erased records at the start is not a purge. A deleted record has the time of the next existing
            // one.
            #expect(extent.first == 1)
            let times = (try await setting.engine.keeping.time(of: 4), try await setting.engine.keeping.time(of: 7))
            #expect(times.0 == times.1 && times.0 != nil)

            // The existing index continues, and a new one has the same contents.
            let new = EngineCollector("two", in: setting.folder, setting.cluster)
            let begun = CollectorClient(try await new.start())
            _ = try await begun.get("/v1/wait", query: [("position", "0.\(last + 1)"), ("timeout", "60")], timeout: 90)
            #expect(try await Self.answers(begun) == before)
            #expect(try await Self.answers(client) == before)

            // New tables have the same contents, too.
            #expect(try setting.command(["engine", "init"], database: "later").status == 0)
            let filled = try setting.command(["forward", "--until-caught-up"], database: "later")
            #expect(filled.status == 0, "\(filled)")
            #expect(try await setting.tables("later") == setting.tables("trackway"))
            for database in ["trackway", "later"] {
                let audit = try setting.command(["engine", "audit"], database: database)
                #expect(audit.status == 0, "\(audit)")
            }

            // A gap that is not listed is a loss of data.
            await old.end("TERM")
            await new.end("TERM")
            let broken = others[4]
            let deleted = try await setting.client.request(
                "$JS.API.STREAM.MSG.DELETE.INTAKE_0",
                body: Array("{\"seq\":\(broken)}".utf8),
                within: .seconds(10)
            )
            #expect(try JSONValue.parse(deleted.body)["success"]?.boolean == true)
            var next = LogPosition(stream: 0, sequence: 1)
            let fault = await #expect(throws: StreamFault.self) {
                while true {
                    let records = try await setting.engine.besideRecords.records(
                        from: next,
                        upTo: LogPosition(stream: 0, sequence: last + 1)
                    )
                    next = try #require(records.last).end
                }
            }
            #expect(fault?.isGap == true && next.streamSequence == broken, "\(String(describing: fault))")
        }
    }

    /// A list that fails before a deletion, as if its process had been killed.
    private struct Dying: DeletedRecordList {
        let list: DeletionIndexSet
        let left: Locked<Int>

        func prepare() async throws(StreamMaintenanceError) { try await list.prepare() }

        func progress() async throws(StreamMaintenanceError) -> ErasureProgress { try await list.progress() }

        func note(_ progress: ErasureProgress) async throws(StreamMaintenanceError) { try await list.note(progress) }

        func list(_ record: DeletedRecordEntry) async throws(StreamMaintenanceError) { try await list.list(record) }

        func delete(_ sequence: UInt64) async throws(StreamMaintenanceError) {
            let isDead = left.withLock { left in
                left -= 1
                return left < 0
            }
            if isDead { throw StreamMaintenanceError("It is dead.") }
            try await list.delete(sequence)
        }
    }

    @Test("after a process is killed between listing and deleting, or at any other point, another one finishes")
    func killed() async throws {
        try await Self.run { setting in
            var erased: [UInt64] = []
            for number in UInt64(0)..<40 {
                let sequence = try await setting.commit(SentBatch(number % 2 + 1, number * 5 + 1...number * 5 + 5))
                if number % 2 == 1 { erased.append(sequence) }
                if number % 10 == 9 { #expect(try setting.command(["forward", "--until-caught-up"]).status == 0) }
            }
            let (forwarding, store) = try await setting.forwarding()
            var order = SentBatch(3, 1...1)
            order.more = [SentBatch.tombstone(2)]
            try await setting.commit(order)
            let last = try await setting.commit(SentBatch(3, 2...2))
            #expect(await forwarding.run(untilCaughtUp: true) == nil)
            for left in [0, 1, 3] {
                let list = Dying(list: setting.engine.erased, left: Locked(left))
                let report = await forwarding.eraseRecords(list, setting.engine.keeping, store)
                #expect(report.trouble == "It is dead." && report.deleted == left, "\(report)")
                // A concurrent reader can still read to the end.
                var next = LogPosition(stream: 0, sequence: 1)
                while next.streamSequence <= last {
                    let end = LogPosition(stream: 0, sequence: last + 1)
                    next = try #require(try await setting.engine.besideRecords.records(from: next, upTo: end).last).end
                }
            }
            for _ in 1...4 {
                let process = ForwarderProcess(setting.options + ["--to", setting.server.url + "/trackway"])
                try await process.start()
                for _ in 1...8 { try await Self.pause() }
                await process.end("KILL")
            }
            let end = try setting.command(["forward", "--until-caught-up"])
            #expect(end.status == 0, "\(end)")
            for sequence in 1...last {
                #expect(try await setting.errorNumber(sequence) == (erased.contains(sequence) ? 10_037 : nil))
            }
            #expect(try await setting.engine.erased.count() == UInt64(erased.count))
            let report = try await setting.server.ask(
                "SELECT count() FROM events FINAL WHERE installation NOT IN (SELECT installation FROM erasures)"
            )
            #expect(report.hasPrefix("102"), "\(report)")
        }
    }

    @Test("a record missed because table rows were lost is deleted after an audit restores the rows")
    func lost() async throws {
        try await Self.run { setting in
            let (forwarding, _) = try await setting.forwarding()
            var erased: [UInt64] = []
            for numbers in [1...5, 6...10] as [ClosedRange<UInt64>] {
                erased.append(try await setting.commit(SentBatch(2, numbers)))
                #expect(await forwarding.run(untilCaughtUp: true) == nil)
            }
            var order = SentBatch(3, 1...1)
            order.more = [SentBatch.tombstone(2)]
            try await setting.commit(order)
            #expect(await forwarding.run(untilCaughtUp: true) == nil)
            _ = try await setting.server.ask("ALTER TABLE counts DELETE WHERE block = 1")
            while try await !setting.server.ask("SELECT count() FROM counts WHERE block = 1").hasPrefix("0") {
                try await Self.pause()
            }
            #expect(try setting.command(["forward", "--until-caught-up"]).status == 0)
            #expect(try await setting.errorNumber(erased[0]) == nil)
            #expect(try await setting.errorNumber(erased[1]) == 10_037)
            let audit = try setting.command(["engine", "audit"])
            #expect(audit.status == 0 && audit.output.contains("1 in counts; they were written again"), "\(audit)")
            #expect(try setting.command(["forward", "--until-caught-up"]).status == 0)
            #expect(try await setting.errorNumber(erased[0]) == 10_037)
        }
    }

    @Test("a running forwarder deletes records soon; one without permission reports that and still erases the rows")
    func permission() async throws {
        try await Self.run { setting in
            let first = try await setting.commit(SentBatch(2, 1...5))
            var order = SentBatch(3, 1...1)
            order.more = [SentBatch.tombstone(2)]
            try await setting.commit(order)
            let file = setting.folder + "/keeper.json"
            try Data(NATSTestCluster.credentialsOfKeeper.utf8).write(to: URL(fileURLWithPath: file))
            let to = ["--to", setting.server.url + "/trackway"]
            let engine = ["--engine", setting.options[1], "--engine-credentials", file]
            let kept = try EngineCollector.run(["forward", "--until-caught-up"] + engine + to)
            #expect(
                kept.status == 0 && kept.errors.contains("cannot publish to $JS.API.STREAM.MSG.DELETE.INTAKE_0"),
                "\(kept)"
            )
            #expect(try await setting.errorNumber(first) == nil)
            let rows = "SELECT count() FROM events WHERE installation IN (SELECT installation FROM erasures)"
            while try await !setting.server.ask(rows).hasPrefix("0") { try await Self.pause() }
            let left = try setting.command(["engine", "check"])
            #expect(
                left.output.contains(
                    "listed for deletion: 1; blocks still to search or delete from: 1."
                ),
                "\(left)"
            )

            let process = ForwarderProcess(setting.options + to)
            try await process.start()
            while try await setting.errorNumber(first) == nil { try await Self.pause() }
            await process.end("TERM")
            #expect(try await setting.errorNumber(first) == 10_037)
        }
    }
}
