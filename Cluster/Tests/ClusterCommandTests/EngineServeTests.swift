// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorJetStream
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayEvents

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

/// Whole collectors, as processes, with three real servers below them.
@Suite(
    "Collectors on three servers of NATS",
    .enabled(if: EngineServer.isWanted, "They run when TRACKWAY_ENGINE_TESTS=1 is set, by themselves."),
    .enabled(if: EngineServer.isHere, "There is no NATS server here, and it could not be installed."),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineServeTests {
    private static func pause() async throws { try await ContinuousClock().sleep(for: .milliseconds(50)) }

    /// Sends events as an app does, a few at a time, until all of them were delivered.
    private static func send(_ count: Int, to address: CollectorAddress, _ folder: String) async throws -> SendTally {
        var sender = try Sender(to: address, folder: folder, console: .standard)
        for number in 0..<count {
            _ = sender.record("bulk", ["number": number])
            if number.isMultiple(of: 20) {
                try await pause()
            }
        }
        await sender.finish(timeout: .seconds(90))
        return sender.tally
    }

    /// Every event that a collector has, in its order.
    private static func events(_ address: CollectorAddress, _ count: Int) async throws -> [String] {
        let client = CollectorClient(address)
        _ = try await client.get("/v1/wait", query: [("count", "\(count)"), ("timeout", "60")], timeout: 90)
        var ids: [String] = []
        var after = "0.0.0"
        while true {
            let answer = try await client.get(
                "/v1/events",
                query: [("order", "asc"), ("limit", "1000"), ("after", after)]
            )
            ids += (answer["events"]?.array ?? []).compactMap { $0["id"]?.string }
            guard let next = answer["next"]?.string else { return ids }
            after = next
        }
    }

    /// What `nats-py` finds in the stream; nil where it cannot be had.
    private static func secondOpinion(_ cluster: EngineCluster) throws -> JSONValue? {
        guard let library = EngineServer.pythonClient else { return nil }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { folder, _ in folder.deletingLastPathComponent() }
            .appendingPathComponent("Scripts/engine/read-stream").path
        process.arguments = ["python3", script, library, cluster.addresses.map(\.description).joined(separator: ",")]
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try JSONValue.parse([UInt8](bytes))
    }

    @Test(
        "two collectors, one killed and the stream's leader killed under load: nothing is lost, nothing is there twice"
    )
    func kills() async throws {
        try await EngineCluster.run { cluster in
            try await RunningCollector.withFolder { folder in
                let options = try EngineCollector.options(cluster, folder)
                let made = try EngineCollector.run(["engine", "init", "--json", "--gigabytes", "1"] + options)
                #expect(made.status == 0, "\(made.output)\(made.errors)")
                let (first, second) = (
                    EngineCollector("first", in: folder, cluster), EngineCollector("second", in: folder, cluster)
                )
                let (one, two) = (try await first.start(), try await second.start())
                let each = 1_500
                async let left = Self.send(each, to: one, folder + "/left")
                async let right = Self.send(each, to: two, folder + "/right")
                _ = try await CollectorClient(one).get(
                    "/v1/wait",
                    query: [("count", "300"), ("timeout", "60")],
                    timeout: 90
                )
                await second.end("KILL")
                _ = try await CollectorClient(one).get(
                    "/v1/wait",
                    query: [("count", "600"), ("timeout", "60")],
                    timeout: 90
                )
                _ = try await second.start()
                let check = try JSONValue.parse(
                    Array(try EngineCollector.run(["engine", "check", "--json"] + options).output.utf8)
                )
                let leader = try #require(
                    check["servers"]?.array?.first { $0["leader"]?.boolean == true }?["name"]?.string
                )
                await cluster.kill(leader)
                #expect(try await left.delivered == UInt64(each))
                #expect(try await right.delivered == UInt64(each))
                try await cluster.start(leader)

                let found = try await Self.events(one, each * 2)
                #expect(found.count == each * 2 && Set(found).count == each * 2)
                #expect(try await Self.events(two, each * 2) == found)
                for address in [one, two] {
                    let ledger = CollectorLedger(try await CollectorClient(address).get("/v1/ledger"))
                    #expect(ledger.isComplete && ledger.total(\.received) == UInt64(each * 2))
                }
                // An index that begins from nothing comes to the same.
                let third = EngineCollector("third", in: folder, cluster)
                #expect(try await Self.events(try await third.start(), each * 2) == found)
                if let opinion = try Self.secondOpinion(cluster) {
                    #expect(opinion["read"] == opinion["told"] && opinion["gaps"]?.integer == 0)
                    #expect(opinion["ids"]?.integer == Int64(each * 2))
                }
                for collector in [first, second, third] { #expect(await collector.end("TERM")?.status == 0) }
            }
        }
    }

    @Test("with one server that does not sync always no collector starts, and the check says which it is")
    func lazy() async throws {
        try await EngineCluster.run(lazy: ["n1"]) { cluster in
            try await RunningCollector.withFolder { folder in
                let options = try EngineCollector.options(cluster, folder)
                let sentence = "The server n1 does not sync always"
                let made = try EngineCollector.run(["engine", "init", "--gigabytes", "1"] + options)
                #expect(made.status == CommandStatus.negative.rawValue && made.output.contains(sentence))
                let check = try EngineCollector.run(["engine", "check"] + options)
                #expect(check.status == CommandStatus.negative.rawValue && check.output.contains(sentence))
                let serve = try EngineCollector.run(["serve", "--data", folder + "/c", "--dev-key", "dev"] + options)
                #expect(serve.status == CommandStatus.cannotCreate.rawValue && serve.errors.contains(sentence))
                #expect(serve.errors.contains("sync_interval: always"))
            }
        }
    }

    @Test(
        "a server that comes back without syncing makes readiness red until it syncs again, and held requests end with the collector"
    )
    func gateLost() async throws {
        try await EngineCluster.run { cluster in
            try await RunningCollector.withFolder { folder in
                let options = try EngineCollector.options(cluster, folder)
                #expect(try EngineCollector.run(["engine", "init", "--gigabytes", "1"] + options).status == 0)
                let collector = EngineCollector("one", in: folder, cluster)
                let address = try await collector.start()
                func ready() async throws -> HTTPAnswer {
                    try await Wire.request("GET", "/readyz", port: try #require(URL(string: address.root)?.port))
                }
                #expect(try await ready().text("durability") == "replicated")
                await cluster.kill("n2")
                try await cluster.start("n2", lazy: true)
                var answer = try await ready()
                while answer.errorCode != "engine_not_durable" {
                    try await Self.pause()
                    answer = try await ready()
                }
                #expect(answer.status == 503 && answer.body.contains("The server n2 does not sync always"))
                await cluster.kill("n2")
                try await cluster.start("n2")
                while try await ready().status != 200 { try await Self.pause() }

                // Without a majority what comes is held; a collector that is told to end does not wait for ever.
                for name in ["n0", "n1"] { await cluster.kill(name) }
                let port = try #require(URL(string: address.root)?.port)
                async let held = try? Wire.request(
                    "POST",
                    "/v1/events",
                    ["authorization": "Bearer dev"],
                    body: Array(#"{"name":"held"}"#.utf8),
                    port: port
                )
                try await ContinuousClock().sleep(for: .milliseconds(500))
                let began = ContinuousClock.now
                #expect(await collector.end("TERM")?.status == 0)
                #expect(began.duration(to: .now) < .seconds(15))
                if let answer = await held { #expect(answer.status == 503, "\(answer.body)") }
            }
        }
    }
}
