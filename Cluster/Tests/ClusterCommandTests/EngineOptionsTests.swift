// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import CollectorHTTP
internal import CollectorJetStream
internal import Foundation
internal import Logging
internal import Testing
internal import TrackwayEvents

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

@Suite("NATS cluster options and reports")
struct EngineOptionsTests {
    private static func message(_ arguments: [String]) -> String {
        do {
            _ = try ClusterServeCommand.parse(arguments)
            return ""
        } catch {
            return ClusterServeCommand.message(for: error)
        }
    }

    @Test("an error quotes an invalid server address and the valid format, but never a password")
    func addresses() {
        let message = Self.message(["--engine", "nats://a,http://b"])
        #expect(message.contains("“http://b” is not a NATS server; --engine takes addresses such as nats://host:4222"))
        let secret = Self.message(["--engine", "nats://joe:hunter2@a"])
        #expect(secret.contains("pass it with --engine-credentials") && !secret.contains("hunter2"))
    }

    @Test("a credentials file holds a user, optionally with a system account, or a token; its contents are never shown")
    func credentials() async throws {
        try await RunningCollector.withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            func settings(_ text: String?) throws -> EngineSettings? {
                let file = folder + "/engine.json"
                try? FileManager.default.removeItem(atPath: file)
                if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }
                return try ClusterServeCommand.parse(["--engine", "nats://a", "--engine-credentials", file]).records
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

    @Test("a report has a line per server and a sentence per problem, with the same contents as JSON")
    func report() {
        var stream = StreamFacts(name: "INTAKE_0")
        stream.leader = "n0"
        stream.replicas = [.init(name: "n1"), .init(name: "n2", isOffline: true)]
        stream.lastSequence = 1_234
        stream.bytes = 1_536
        stream.longest = 1 << 30
        let facts = ClusterFacts(
            stream: stream,
            reports: [MemberReport(name: "n0"), MemberReport(name: "n1", syncsAlways: false)]
        )
        let report = ClusterReport([facts], faults: ["The server n1 does not sync always."])
        let lines = EngineText.lines(report, style: Style(isColoured: false))
        #expect(
            lines == [
                "INTAKE_0  3 copies, 1,234 records received, 1.5 KiB of 1 GiB",
                "server  role    version  disk",
                "n0      leader  2.15.1   syncs always",
                "n1      copy    2.15.1   does not sync always",
                "n2      copy             is unreachable",
                "The server n1 does not sync always.",
                "Server n2 is unreachable; losing one more stops intake. Check its connections, or start it.",
            ]
        )
        #expect(EngineText.status(report, nil) == .negative)
        let json = EngineText.json(report)
        #expect(json["durable"] == .boolean(false) && json["servers"]?.array?.count == 3)
        #expect(json["servers"]?.array?[1]["syncs_always"] == .boolean(false))
        #expect(json["servers"]?.array?[2]["syncs_always"] == .null)
        #expect(
            json["servers"]?.array?.map { $0["state"] } == [.string("proven"), .string("not_synced"), .string("gone")]
        )
        #expect(json["stream"]?["last"]?.integer == 1_234)
        let nothing = ClusterReport([], faults: ["The stream INTAKE_0 is missing."])
        #expect(EngineText.lines(nothing, style: Style(isColoured: false)) == ["The stream INTAKE_0 is missing."])
    }

    @Test("a cluster that lost a server is durable and degraded, with a separate exit status")
    func degraded() {
        var stream = StreamFacts(name: "INTAKE_0")
        stream.leader = "n0"
        stream.replicas = [.init(name: "n1"), .init(name: "n2")]
        func report(_ last: MemberReport.Storage, warnings: [String] = []) -> ClusterReport {
            let reports = [
                MemberReport(name: "n0"), MemberReport(name: "n1"), MemberReport(name: "n2", storage: last),
            ]
            return ClusterReport([ClusterFacts(stream: stream, reports: reports)], faults: nil, warnings: warnings)
        }
        let whole = report(.syncsAlways)
        #expect(EngineText.status(whole, nil) == nil)
        #expect(EngineText.json(whole)["degraded"] == .boolean(false))
        #expect(EngineText.json(whole)["warnings"]?.array == [])
        let lost = report(.off)
        #expect(EngineText.status(lost, nil) == .degraded && CommandStatus.degraded.rawValue == 2)
        let json = EngineText.json(lost)
        #expect(json["durable"] == .boolean(true) && json["degraded"] == .boolean(true))
        #expect(json["faults"]?.array == [] && json["warnings"]?.array?.count == 1)
        #expect(json["servers"]?.array?.last?["state"] == .string("off"))
        let lines = EngineText.lines(lost, style: Style(isColoured: false))
        #expect(lines.contains("n2      copy    2.15.1   stores nothing: JetStream is off"))
        #expect(
            lines.contains { $0.hasPrefix("Server n2 stores nothing; losing one more stops intake.") }
        )
        #expect(lines.last == "Acknowledged records are on the disks of a majority.")
        // A change of streams that was interrupted before it stopped intake also counts as degraded.
        let unfinished = StreamChangePlanner.Unfinished(streams: 3, accepts: true)
        #expect(EngineText.status(report(.syncsAlways, warnings: [unfinished.sentence]), nil) == .degraded)
        // Unusable tables are worse than a degraded cluster.
        #expect(EngineText.status(lost, TableStatus(address: "http://c:8123/t", last: 0)) == .negative)
    }

    @Test("a stream plan reports an unfinished change of streams")
    func unfinishedPlan() {
        var look = StreamChangePlanner.Look(line: nil, hasOrder: true, streams: [0: StreamFacts(name: "INTAKE_0")])
        #expect(StreamPlanText.json(look)["unfinished"] == .null)
        look.streams[1] = StreamFacts(name: "INTAKE_1")
        let lines = StreamPlanText.lines(look, style: Style(isColoured: false))
        #expect(lines.last?.contains("engine plan --streams 1") == true, "\(lines)")
        let json = StreamPlanText.json(look)["unfinished"]
        #expect(json?["streams"] == .integer(1) && json?["accepts"] == .boolean(true))
    }

    @Test("tables are reported as a line with their progress or as a sentence per problem, and likewise as JSON")
    func columns() {
        var look = TableStatus(address: "http://c:8123/trackway", last: 1_300)
        look.report = ColumnReport(version: "18.16.1", blocks: 12, last: 1_234, events: 23_817)
        #expect(
            EngineText.lines(look) == [
                "http://c:8123/trackway  ClickHouse 18.16.1, 12 blocks, 23,817 events, 66 records behind"
            ]
        )
        let report = ClusterReport([], faults: nil)
        let json = EngineText.json(report, look)
        #expect(json["durable"] == .boolean(true) && json["columns"]?["behind"] == .integer(66) && look.isGood)
        look.last = 1_000
        #expect(EngineText.lines(look)[0].hasSuffix("up to date"))
        look.erased = (0, 0)
        #expect(EngineText.lines(look).count == 1)
        look.erased = (1_200, 3)
        #expect(
            EngineText.lines(look).last
                == """
                Records of erased installations listed for deletion: 1,200; blocks still to search or delete from: 3.
                """
        )
        #expect(EngineText.json(report, look)["columns"]?["erasing_blocks"] == .integer(3))
        look.report = nil
        look.faults = ["ClickHouse at http://c:8123 cannot be reached."]
        #expect(EngineText.lines(look) == look.faults && !look.isGood)
        #expect(EngineText.json(report, look)["columns"]?["blocks"] == .null)
        #expect(EngineText.json(report)["columns"] == nil)
    }

    @Test("an audit prints a line for each incomplete block")
    func audit() {
        var report = AuditReport()
        report.blocks = 1_200
        report.events = 5
        let decision = BlockDecision(block: 7, first: 10, last: 19, version: 1)
        report.findings = [BlockFinding(decision: decision, missing: [.events: 1_500, .blocks: 1], isMended: true)]
        #expect(!report.mayHaveHiddenErased)
        #expect(
            EngineAuditCommand.lines(report, isMending: true) == [
                "Block 7 (records 10 to 19) lacked rows: 1,500 in events, 1 in blocks; they were written again.",
                "1,200 blocks with 5 events were checked.",
            ]
        )
        let json = EngineAuditCommand.json(report)
        #expect(json["whole"] == .boolean(true) && json["trouble"] == .null)
        #expect(json["findings"]?.array?[0]["missing"]?["events"] == .integer(1_500))
        report.findings[0].isMended = false
        #expect(!report.isWhole && EngineAuditCommand.lines(report, isMending: false)[0].hasSuffix("1 in blocks."))
        report.findings = []
        report.trouble = "It ended."
        #expect(!report.isWhole && EngineAuditCommand.lines(report, isMending: true).last == "It ended.")
    }

    @Test("an error quotes an invalid database address and the valid format, but never a password")
    func databases() {
        func message(_ arguments: [String]) -> String {
            do {
                _ = try ForwardCommand.parse(arguments)
                return ""
            } catch {
                return ForwardCommand.message(for: error)
            }
        }
        let engine = ["--engine", "nats://a"]
        #expect(message(engine).contains("--to http://host:8123/trackway"))
        #expect(message(engine + ["--to", "ch:9000"]).contains("“ch:9000” is not a ClickHouse database"))
        let secret = message(engine + ["--to", "http://joe:hunter2@a"])
        #expect(secret.contains("--to-credentials") && !secret.contains("hunter2"))
        #expect(message(["--to", "http://a"]).contains("--engine"))
        #expect(message(engine + ["--to", "http://a", "--log-level", "loud"]).contains("--log-level takes"))
        #expect(message(engine + ["--to", "http://a"]) == "")
    }

    @Test("the folder of an intake log is rejected for a stream, and the folder of a stream for a log")
    func folders() async throws {
        try await RunningCollector.withFolder { place in
            let nobody = EngineSettings(addresses: [NATSAddress(host: "127.0.0.1", port: 1)])
            try await RunningCollector.with(folder: place + "/log") { _ in }
            let log = await RunningCollector.failure(folder: place + "/log", engine: nobody)
            #expect(log?.status == .cannotCreate && log?.message.contains("has an intake log") == true)

            let folder = CollectorFolder(option: place + "/stream", environment: [:])
            try folder.make()
            try EngineMark(stream: "INTAKE_0", created: "yesterday").write(to: folder)
            #expect(try EngineMark(in: folder) == EngineMark(stream: "INTAKE_0", created: "yesterday"))
            let alone = await RunningCollector.failure(folder: folder.path, engine: nil)
            #expect(
                alone?.status == .cannotCreate && alone?.message.contains("belongs to a collector of a cluster") == true
            )
            try Data("{".utf8).write(to: URL(fileURLWithPath: folder.clusterMark))
            #expect(await RunningCollector.failure(folder: folder.path, engine: nobody)?.status == .malformedInput)
        }
    }
}

extension RunningCollector {
    /// Returns why a collector does not start; nil if it starts.
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
