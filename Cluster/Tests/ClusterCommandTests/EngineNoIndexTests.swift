// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

/// Collector processes without an index, on real NATS and ClickHouse servers.
///
/// Uses three NATS servers and one ClickHouse server.
@Suite(
    "Collectors without an index",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(if: NATSServerBinary.isAvailable, "nats-server is not installed and could not be installed."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineNoIndexTests {
    @Test
    func `acknowledged events can be read once they are in the tables, and table problems are reported until resolved`()
        async throws
    {
        try await NATSTestCluster.run { cluster in
            try await ClickHouseServer.run { server in
                try await RunningCollector.withFolder { folder in
                    try await Self.run(cluster, server, folder)
                }
            }
        }
    }

    private static func run(_ cluster: NATSTestCluster, _ server: ClickHouseServer, _ folder: String) async throws {
        let natsOptions = try EngineCollector.options(cluster, folder)
        let options = ["--clickhouse", server.url + "/trackway", "--no-index"]
        let clickHouseOptions = ["--clickhouse", server.url + "/trackway"]
        // Without tables, the collector does not start and names the command that creates them.
        let early = try EngineCollector.run(
            ["serve", "--port", "0", "--dev-key", "dev", "--data", folder + "/early"] + natsOptions + options
        )
        #expect(early.status == CommandStatus.cannotCreate.rawValue, "\(early)")
        #expect(early.errors.contains("trackway-cluster cluster init"), "\(early)")
        #expect(
            try EngineCollector.run(["cluster", "init", "--gigabytes", "1"] + natsOptions + clickHouseOptions).status
                == 0
        )

        let collector = EngineCollector("indexless", in: folder, cluster, options: options)
        let address = try await collector.start()
        let port = await collector.port
        var sender = try Sender(to: address, folder: folder + "/sender", console: .standard)
        for _ in 1...5 { _ = sender.record("bought", ["total": 3]) }
        await sender.finish(timeout: .seconds(60))
        func get(_ path: String) async throws -> (status: Int, body: String) {
            let answer = try await Wire.request("GET", path, port: port)
            return (answer.status, answer.body)
        }
        // The collector checks the tables' progress every second.
        func waitUntil(_ path: String, _ condition: (Int, String) -> Bool) async throws {
            while true {
                let answer = try await get(path)
                if condition(answer.status, answer.body) { return }
                try await ContinuousClock().sleep(for: .milliseconds(100))
            }
        }
        #expect(try await get("/v1/events").body.contains(#""events":[]"#))
        try await waitUntil("/v1/stats") { status, body in
            status == 200 && body.contains(#""events":0"#) && body.contains(#""behind":"#)
                && !body.contains(#""behind":0"#)
        }
        #expect(
            try EngineCollector.run(["cluster", "forward", "--until-caught-up"] + natsOptions + clickHouseOptions)
                .status == 0
        )
        try await waitUntil("/v1/stats") { _, body in body.contains(#""behind":0"#) && body.contains(#""events":"#) }
        let events = try await get("/v1/events?name=bought")
        #expect(events.body.components(separatedBy: #""name":"bought""#).count == 6, "\(events)")
        try await waitUntil("/readyz") { status, _ in status == 200 }
        #expect(!FileManager.default.fileExists(atPath: folder + "/indexless/index.sqlite"))

        await server.kill()
        let unavailable = try await get("/v1/events")
        #expect(unavailable.status == 503 && unavailable.body.contains("analysis_unavailable"), "\(unavailable)")
        try await waitUntil("/readyz") { status, body in status == 503 && body.contains("index_behind") }
        #expect(try await get("/readyz").body.contains("Batches are accepted and stored."))
        try await server.start()
        try await waitUntil("/readyz") { status, _ in status == 200 }
        #expect(try await get("/v1/events?name=bought").body == events.body)
        await collector.stop(signal: "TERM")
    }
}
