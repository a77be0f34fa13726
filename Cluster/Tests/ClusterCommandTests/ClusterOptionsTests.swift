// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorHTTP
internal import CollectorJetStream
internal import Foundation
internal import Logging
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

@Suite("NATS cluster options and reports")
struct ClusterOptionsTests {
    private static func message(_ arguments: [String]) -> String {
        do {
            _ = try ClusterServeCommand.parse(arguments)
            return ""
        } catch {
            return ClusterServeCommand.message(for: error)
        }
    }

    @Test
    func `an error quotes an invalid server address and the valid format, but never a password`() {
        let message = Self.message(["--nats", "nats://a,http://b"])
        #expect(message.contains("“http://b” is not a NATS server; --nats takes addresses such as nats://host:4222"))
        let withPassword = Self.message(["--nats", "nats://joe:hunter2@a"])
        #expect(withPassword.contains("pass it with --nats-credentials") && !withPassword.contains("hunter2"))
    }

    @Test
    func `a credentials file holds a user, optionally with a system account, or a token; its contents are never shown`()
        async throws
    {
        try await RunningCollector.withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            func settings(_ text: String?) throws -> EngineSettings? {
                let file = folder + "/nats.json"
                try? FileManager.default.removeItem(atPath: file)
                if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }
                return try ClusterServeCommand.parse(["--nats", "nats://a", "--nats-credentials", file]).nats
                    .settings()
            }
            let user = NATSCredentials(user: "joe", password: "hunter2")
            #expect(try settings(#"{"user":"joe","password":"hunter2"}"#)?.credentials == EngineCredentials(user: user))
            let both = try settings(#"{"user":"joe","password":"hunter2","system":{"user":"sys","password":"x"}}"#)
            #expect(both?.credentials.system == NATSCredentials(user: "sys", password: "x"))
            let token = try settings(#"{"token":"hunter2"}"#)
            #expect(token?.credentials.user == NATSCredentials(token: "hunter2"))
            #expect(!"\(both as Any) \(token as Any)".contains("hunter2"))
            for text in [
                "", "{}", #"{"user":"joe"}"#, #"{"user":"","password":"hunter2"}"#, #"["hunter2"]"#,
                #"{"user":"joe","password":"hunter2","system":{"user":"x"}}"#,
                #"{"user":"joe","password":"hunter2","token":"x"}"#,
            ] {
                let failure = #expect(throws: CommandFailure.self, "\(text)") { try settings(text) }
                #expect(failure?.status == .malformedInput && failure?.description.contains("hunter2") == false)
            }
            #expect(#expect(throws: CommandFailure.self) { try settings(nil) }?.status == .inputMissing)
        }
    }

    @Test
    func `a report has a line per server and a sentence per problem, and its JSON has the same contents`() {
        var stream = StreamFacts(name: "INTAKE_0")
        stream.leader = "n0"
        stream.replicas = [.init(name: "n1"), .init(name: "n2", isOffline: true)]
        stream.lastSequence = 1_234
        stream.bytes = 1_536
        stream.maxBytes = 1 << 30
        let facts = ClusterFacts(
            stream: stream,
            reports: [MemberReport(name: "n0"), MemberReport(name: "n1", syncsAlways: false)]
        )
        let report = ClusterReport([facts], faults: ["The server n1 does not sync every write."])
        let lines = ClusterText.lines(report, style: Style(isColored: false))
        #expect(
            lines == [
                "INTAKE_0  3 copies, 1,234 records received, 1.5 KiB of 1 GiB",
                "server  role    version  disk",
                "n0      leader  2.15.1   syncs every write",
                "n1      copy    2.15.1   does not sync every write",
                "n2      copy             is unreachable",
                "The server n1 does not sync every write.",
                "Server n2 is unreachable; losing another server stops intake. Check its connections, or start it.",
            ]
        )
        #expect(ClusterText.status(report, nil) == .negative)
        let json = ClusterText.json(report)
        #expect(json["durable"] == .boolean(false) && json["servers"]?.array?.count == 3)
        #expect(json["servers"]?.array?[1]["syncs_always"] == .boolean(false))
        #expect(json["servers"]?.array?[2]["syncs_always"] == .null)
        #expect(
            json["servers"]?.array?.map { $0["state"] } == [.string("proven"), .string("not_synced"), .string("gone")]
        )
        #expect(json["stream"]?["last"]?.integer == 1_234)
        let missingStreamReport = ClusterReport([], faults: ["The stream INTAKE_0 is missing."])
        #expect(
            ClusterText.lines(missingStreamReport, style: Style(isColored: false)) == [
                "The stream INTAKE_0 is missing."
            ]
        )
    }

    @Test
    func `a cluster that lost a server is durable and degraded, with a separate exit status`() {
        var stream = StreamFacts(name: "INTAKE_0")
        stream.leader = "n0"
        stream.replicas = [.init(name: "n1"), .init(name: "n2")]
        func report(_ last: MemberReport.Storage, warnings: [String] = []) -> ClusterReport {
            let reports = [
                MemberReport(name: "n0"), MemberReport(name: "n1"), MemberReport(name: "n2", storage: last),
            ]
            return ClusterReport([ClusterFacts(stream: stream, reports: reports)], faults: nil, warnings: warnings)
        }
        let healthy = report(.syncsAlways)
        #expect(ClusterText.status(healthy, nil) == nil)
        #expect(ClusterText.json(healthy)["degraded"] == .boolean(false))
        #expect(ClusterText.json(healthy)["warnings"]?.array == [])
        let degraded = report(.off)
        #expect(ClusterText.status(degraded, nil) == .degraded && CommandStatus.degraded.rawValue == 2)
        let json = ClusterText.json(degraded)
        #expect(json["durable"] == .boolean(true) && json["degraded"] == .boolean(true))
        #expect(json["faults"]?.array == [] && json["warnings"]?.array?.count == 1)
        #expect(json["servers"]?.array?.last?["state"] == .string("off"))
        let lines = ClusterText.lines(degraded, style: Style(isColored: false))
        #expect(lines.contains("n2      copy    2.15.1   stores nothing: JetStream is off"))
        #expect(
            lines.contains { $0.hasPrefix("Server n2 stores nothing; losing another server stops intake.") }
        )
        #expect(lines.last == "Acknowledged records are on the disks of a majority of the servers.")
        // A stream change that was interrupted before it stopped intake also counts as degraded.
        let unfinished = StreamChangePlanner.PendingChange(streams: 3, isAccepting: true)
        #expect(ClusterText.status(report(.syncsAlways, warnings: [unfinished.message]), nil) == .degraded)
        // Unusable tables are worse than a degraded cluster.
        #expect(ClusterText.status(degraded, TableStatus(address: "http://c:8123/t", lastSequence: 0)) == .negative)
    }

    @Test
    func `a stream plan reports an unfinished stream change`() {
        var status = StreamChangePlanner.Snapshot(
            order: nil,
            hasOrder: true,
            streams: [0: StreamFacts(name: "INTAKE_0")]
        )
        #expect(StreamPlanText.json(status)["unfinished"] == .null)
        status.streams[1] = StreamFacts(name: "INTAKE_1")
        let lines = StreamPlanText.lines(status, style: Style(isColored: false))
        #expect(lines.last?.contains("cluster plan --streams 1") == true, "\(lines)")
        let json = StreamPlanText.json(status)["unfinished"]
        #expect(json?["streams"] == .integer(1) && json?["accepts"] == .boolean(true))
    }

    @Test
    func `tables are reported as one progress line or as one sentence per problem, and JSON reports the same`() {
        var status = TableStatus(address: "http://c:8123/trackway", lastSequence: 1_300)
        status.report = ColumnReport(version: "18.16.1", blocks: 12, last: 1_234, events: 23_817)
        #expect(
            ClusterText.lines(status) == [
                "http://c:8123/trackway  ClickHouse 18.16.1, 12 blocks, 23,817 events, 66 records behind"
            ]
        )
        let report = ClusterReport([], faults: nil)
        let json = ClusterText.json(report, status)
        #expect(json["durable"] == .boolean(true) && json["columns"]?["behind"] == .integer(66) && status.isUsable)
        status.lastSequence = 1_000
        #expect(ClusterText.lines(status)[0].hasSuffix("up to date"))
        status.pendingDeletion = (0, 0)
        #expect(ClusterText.lines(status).count == 1)
        status.pendingDeletion = (1_200, 3)
        #expect(
            ClusterText.lines(status).last
                == """
                Records of erased installations listed for deletion: 1,200; blocks still to search or delete from: 3.
                """
        )
        #expect(ClusterText.json(report, status)["columns"]?["erasing_blocks"] == .integer(3))
        status.report = nil
        status.faults = ["ClickHouse at http://c:8123 cannot be reached."]
        #expect(ClusterText.lines(status) == status.faults && !status.isUsable)
        #expect(ClusterText.json(report, status)["columns"]?["blocks"] == .null)
        #expect(ClusterText.json(report)["columns"] == nil)
    }

    @Test
    func `an audit prints a line for each incomplete block`() {
        var report = AuditReport()
        report.blocks = 1_200
        report.events = 5
        let decision = BlockDecision(block: 7, first: 10, last: 19, version: 1)
        report.findings = [BlockFinding(decision: decision, missing: [.events: 1_500, .blocks: 1], isRepaired: true)]
        #expect(!report.mayRevealErasedRecords)
        #expect(
            ClusterAuditCommand.lines(report, shouldRepair: true) == [
                "Block 7 (records 10 to 19) lacked rows: 1,500 in events, 1 in blocks; they were rewritten.",
                "1,200 blocks with 5 events were checked.",
            ]
        )
        let json = ClusterAuditCommand.json(report)
        #expect(json["whole"] == .boolean(true) && json["trouble"] == .null)
        #expect(json["findings"]?.array?[0]["missing"]?["events"] == .integer(1_500))
        report.findings[0].isRepaired = false
        #expect(
            !report.isComplete && ClusterAuditCommand.lines(report, shouldRepair: false)[0].hasSuffix("1 in blocks.")
        )
        report.findings = []
        report.failure = "It stopped early."
        #expect(!report.isComplete && ClusterAuditCommand.lines(report, shouldRepair: true).last == "It stopped early.")
    }

    @Test
    func `an error quotes an invalid database address and the valid format, but never a password`() {
        func message(_ arguments: [String]) -> String {
            do {
                _ = try ClusterForwardCommand.parse(arguments)
                return ""
            } catch {
                return ClusterForwardCommand.message(for: error)
            }
        }
        let engine = ["--nats", "nats://a"]
        #expect(message(engine).contains("--clickhouse http://host:8123/trackway"))
        #expect(message(engine + ["--clickhouse", "ch:9000"]).contains("“ch:9000” is not a ClickHouse database"))
        let withPassword = message(engine + ["--clickhouse", "http://joe:hunter2@a"])
        #expect(withPassword.contains("--clickhouse-credentials") && !withPassword.contains("hunter2"))
        #expect(message(["--clickhouse", "http://a"]).contains("--nats"))
        #expect(message(engine + ["--clickhouse", "http://a", "--log-level", "loud"]).contains("--log-level takes"))
        #expect(message(engine + ["--clickhouse", "http://a"]) == "")
    }

    @Test
    func `a stream cannot use the folder of an intake log, and a log cannot use the folder of a stream`() async throws {
        try await RunningCollector.withFolder { root in
            let unreachable = EngineSettings(addresses: [NATSAddress(host: "127.0.0.1", port: 1)])
            try await RunningCollector.with(folder: root + "/log") { _ in }
            let log = await RunningCollector.failure(folder: root + "/log", engine: unreachable)
            #expect(log?.status == .cannotCreate && log?.message.contains("has an intake log") == true)

            let folder = CollectorFolder(option: root + "/stream", environment: [:])
            try folder.make()
            try IndexSource(stream: "INTAKE_0", created: "yesterday").write(to: folder)
            #expect(try IndexSource(in: folder) == IndexSource(stream: "INTAKE_0", created: "yesterday"))
            let standalone = await RunningCollector.failure(folder: folder.path, engine: nil)
            #expect(
                standalone?.status == .cannotCreate
                    && standalone?.message.contains("belongs to a collector of a cluster") == true
            )
            try Data("{".utf8).write(to: URL(fileURLWithPath: folder.indexSource))
            #expect(await RunningCollector.failure(folder: folder.path, engine: unreachable)?.status == .malformedInput)
        }
    }
}

extension RunningCollector {
    /// Returns the failure that keeps a collector from starting; nil if it starts.
    static func failure(folder: String, engine: EngineSettings?) async -> CommandFailure? {
        var configuration = CollectorConfiguration(host: "127.0.0.1", port: 0)
        configuration.isEphemeral = false
        let host = CollectorHost(
            folder: CollectorFolder(option: folder, environment: [:]),
            configuration: configuration,
            storage: engine.map { ClusterStorageProvider(engine: $0) } ?? LocalStorageProvider(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        do throws(CommandFailure) {
            try await host.run(endingOn: []) { _ in }
            return nil
        } catch {
            return error
        }
    }
}
