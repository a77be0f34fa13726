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

/// Complete collectors, as processes, on three real NATS servers.
@Suite(
    "Collectors on three NATS servers",
    .enabled(if: NATSServerBinary.isWanted, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests, separately from others."),
    .enabled(if: NATSServerBinary.isHere, "nats-server is not installed, and installing it failed."),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineServeTests {
    private static func pause() async throws { try await ContinuousClock().sleep(for: .milliseconds(50)) }

    /// Sends events as an app does, a few at a time, until all are delivered.
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

    /// Returns the ids of all events of a collector, in its order.
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

    /// Returns what `nats-py` finds in the stream; nil if it is unavailable.
    private static func secondOpinion(_ cluster: NATSTestCluster) throws -> JSONValue? {
        guard let library = NATSServerBinary.pythonClient else { return nil }
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

    @Test("no event is lost or stored twice when a collector and the stream's leader are killed under load")
    func kills() async throws {
        try await NATSTestCluster.run { cluster in
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
                // An index built from scratch has the same events.
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

    @Test("no collector starts if one server does not sync always, and engine check names the server")
    func lazy() async throws {
        try await NATSTestCluster.run(lazy: ["n1"]) { cluster in
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

    @Test("readiness fails while a server does not sync always, and held requests end when the collector stops")
    func gateLost() async throws {
        try await NATSTestCluster.run { cluster in
            try await RunningCollector.withFolder { folder in
                let options = try EngineCollector.options(cluster, folder)
                #expect(try EngineCollector.run(["engine", "init", "--gigabytes", "1"] + options).status == 0)
                let collector = EngineCollector("one", in: folder, cluster)
                let address = try await collector.start()
                func ready() async throws -> TestHTTPResponse {
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

                // Without a majority, requests are held; a terminated collector does not wait for them indefinitely.
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
