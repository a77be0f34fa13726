// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorJetStream
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

/// Complete collectors, as processes, on three real NATS servers.
@Suite(
    "Collectors on three NATS servers",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(if: NATSServerBinary.isAvailable, "nats-server is not installed and could not be installed."),
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

    /// Returns the ids of all events of a collector, in the collector's order.
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

    /// Returns the contents of the stream as `nats-py` reads them; nil if `nats-py` is unavailable.
    private static func readWithPythonClient(_ cluster: NATSTestCluster) throws -> JSONValue? {
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

    @Test
    func `no event is lost or stored twice when a collector and the stream's leader are killed under load`()
        async throws
    {
        try await NATSTestCluster.run { cluster in
            try await RunningCollector.withFolder { folder in
                let options = try EngineCollector.options(cluster, folder)
                let initialized = try EngineCollector.run(["cluster", "init", "--json", "--gigabytes", "1"] + options)
                #expect(initialized.status == 0, "\(initialized.output)\(initialized.errors)")
                let (first, second) = (
                    EngineCollector("first", in: folder, cluster), EngineCollector("second", in: folder, cluster)
                )
                let (firstAddress, secondAddress) = (try await first.start(), try await second.start())
                let eventsPerSender = 1_500
                async let firstTally = Self.send(eventsPerSender, to: firstAddress, folder + "/left")
                async let secondTally = Self.send(eventsPerSender, to: secondAddress, folder + "/right")
                _ = try await CollectorClient(firstAddress).get(
                    "/v1/wait",
                    query: [("count", "300"), ("timeout", "60")],
                    timeout: 90
                )
                await second.stop(signal: "KILL")
                _ = try await CollectorClient(firstAddress).get(
                    "/v1/wait",
                    query: [("count", "600"), ("timeout", "60")],
                    timeout: 90
                )
                _ = try await second.start()
                let check = try JSONValue.parse(
                    Array(try EngineCollector.run(["cluster", "check", "--json"] + options).output.utf8)
                )
                let leader = try #require(
                    check["servers"]?.array?.first { $0["leader"]?.boolean == true }?["name"]?.string
                )
                await cluster.kill(leader)
                #expect(try await firstTally.delivered == UInt64(eventsPerSender))
                #expect(try await secondTally.delivered == UInt64(eventsPerSender))
                try await cluster.start(leader)

                let events = try await Self.events(firstAddress, eventsPerSender * 2)
                #expect(events.count == eventsPerSender * 2 && Set(events).count == eventsPerSender * 2)
                #expect(try await Self.events(secondAddress, eventsPerSender * 2) == events)
                for address in [firstAddress, secondAddress] {
                    let ledger = CollectorLedger(try await CollectorClient(address).get("/v1/ledger"))
                    #expect(ledger.isComplete && ledger.total(\.received) == UInt64(eventsPerSender * 2))
                }
                // An index built from scratch has the same events.
                let third = EngineCollector("third", in: folder, cluster)
                #expect(try await Self.events(try await third.start(), eventsPerSender * 2) == events)
                if let pythonResult = try Self.readWithPythonClient(cluster) {
                    #expect(pythonResult["read"] == pythonResult["messages"] && pythonResult["gaps"]?.integer == 0)
                    #expect(pythonResult["ids"]?.integer == Int64(eventsPerSender * 2))
                }
                for collector in [first, second, third] { #expect(await collector.stop(signal: "TERM")?.status == 0) }
            }
        }
    }

    @Test
    func `no collector starts if one server does not sync every write, and 'cluster check' names the server`()
        async throws
    {
        try await NATSTestCluster.run(withoutSync: ["n1"]) { cluster in
            try await RunningCollector.withFolder { folder in
                let options = try EngineCollector.options(cluster, folder)
                let sentence = "The server n1 does not sync every write"
                let initialized = try EngineCollector.run(["cluster", "init", "--gigabytes", "1"] + options)
                #expect(initialized.status == CommandStatus.negative.rawValue && initialized.output.contains(sentence))
                let check = try EngineCollector.run(["cluster", "check"] + options)
                #expect(check.status == CommandStatus.negative.rawValue && check.output.contains(sentence))
                let serve = try EngineCollector.run(["serve", "--data", folder + "/c", "--dev-key", "dev"] + options)
                #expect(serve.status == CommandStatus.cannotCreate.rawValue && serve.errors.contains(sentence))
                #expect(serve.errors.contains("sync_interval: always"))
            }
        }
    }

    @Test
    func `readiness fails while a server does not sync every write, and held requests end when the collector stops`()
        async throws
    {
        try await NATSTestCluster.run { cluster in
            try await RunningCollector.withFolder { folder in
                let options = try EngineCollector.options(cluster, folder)
                #expect(try EngineCollector.run(["cluster", "init", "--gigabytes", "1"] + options).status == 0)
                let collector = EngineCollector("one", in: folder, cluster)
                let address = try await collector.start()
                func ready() async throws -> TestHTTPResponse {
                    try await Wire.request("GET", "/readyz", port: try #require(URL(string: address.root)?.port))
                }
                #expect(try await ready().text("durability") == "replicated")
                await cluster.kill("n2")
                try await cluster.start("n2", withoutSync: true)
                var answer = try await ready()
                while answer.errorCode != "engine_not_durable" {
                    try await Self.pause()
                    answer = try await ready()
                }
                #expect(answer.status == 503 && answer.body.contains("The server n2 does not sync every write"))
                await cluster.kill("n2")
                try await cluster.start("n2")
                while try await ready().status != 200 { try await Self.pause() }

                // Without a majority, requests are held; a collector that receives SIGTERM does not wait for them
                // indefinitely.
                for name in ["n0", "n1"] { await cluster.kill(name) }
                let port = try #require(URL(string: address.root)?.port)
                async let heldResponse = try? Wire.request(
                    "POST",
                    "/v1/events",
                    ["authorization": "Bearer dev"],
                    body: Array(#"{"name":"held"}"#.utf8),
                    port: port
                )
                try await ContinuousClock().sleep(for: .milliseconds(500))
                let start = ContinuousClock.now
                #expect(await collector.stop(signal: "TERM")?.status == 0)
                #expect(start.duration(to: .now) < .seconds(15))
                if let answer = await heldResponse { #expect(answer.status == 503, "\(answer.body)") }
            }
        }
    }
}
