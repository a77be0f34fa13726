// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayEvents

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

/// Tests with real NATS and ClickHouse servers that encrypt, and real processes.
///
/// Skipped if the servers are unavailable.
@Suite(
    "Collectors and forwarders over TLS",
    .enabled(if: NATSServerBinary.isWanted, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests, separately from others."),
    .enabled(if: NATSServerBinary.isHere, "nats-server is not installed, and installing it failed."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs Debian's."
    ),
    .enabled(if: TestCertificates.canBeMade, "openssl is not installed."),
    .serialized,
    .timeLimit(.minutes(5))
)
struct EngineEncryptionTests {
    /// The environment of a test.
    private struct Setting: Sendable {
        let cluster: NATSTestCluster
        let server: ClickHouseServer
        let certificates: TestCertificates
        let mine: TestCertificates.Pair
        let folder: String
        let engine: [String]

        var shown: [String] { ["--engine-cert", mine.certificate, "--engine-key", mine.key] }
        var trusted: [String] { ["--engine-ca", certificates.authority] }
        var columns: [String] {
            [
                "--to", "https://127.0.0.1:\(server.securePort)/trackway", "--to-ca", certificates.authority,
                "--to-cert",
                mine.certificate, "--to-key", mine.key,
            ]
        }

        func command(_ words: [String]) throws -> (status: Int32, output: String, errors: String) {
            try EngineCollector.run(words)
        }
    }

    private static func run(_ body: @Sendable (Setting) async throws -> Void) async throws {
        try await TestCertificates.run { certificates in
            let (theirs, mine) = (try certificates.issue("server"), try certificates.issue("mine"))
            let authority = certificates.authority
            let encryption = NATSTestCluster.Encryption(theirs, authority: authority, isVerifying: true)
            try await NATSTestCluster.run(encryption: encryption) { cluster in
                try await ClickHouseServer.run(certificate: theirs, clients: authority) { server in
                    try await RunningCollector.withFolder { folder in
                        let engine = try EngineCollector.options(cluster, folder)
                        try await body(
                            Setting(
                                cluster: cluster,
                                server: server,
                                certificates: certificates,
                                mine: mine,
                                folder: folder,
                                engine: engine
                            )
                        )
                    }
                }
            }
        }
    }

    @Test("events are acknowledged, indexed and forwarded over TLS, even after a server is lost")
    func endToEnd() async throws {
        try await Self.run { setting in
            let options = setting.trusted + setting.shown
            let engine = setting.engine + options
            let made = try setting.command(["engine", "init", "--gigabytes", "1"] + engine + setting.columns)
            #expect(made.status == 0 && made.output.contains("up to date"), "\(made)")

            let analysis = [
                "--analysis", "https://localhost:\(setting.server.securePort)/trackway", "--analysis-ca",
                setting.certificates.authority, "--analysis-cert", setting.mine.certificate, "--analysis-key",
                setting.mine.key,
            ]
            let collector = EngineCollector("one", in: setting.folder, setting.cluster, options: options + analysis)
            let address = try await collector.start()
            var sender = try Sender(to: address, folder: setting.folder + "/sender", console: .standard)
            _ = sender.record("bought", ["total": 12])
            await sender.finish(timeout: .seconds(60))
            let leader = made.output.split(separator: "\n").first { $0.contains("leader") }?.prefix(2)
            await setting.cluster.kill(String(try #require(leader)))
            var next = try Sender(to: address, folder: setting.folder + "/next", console: .standard)
            _ = next.record("bought", ["total": 13])
            await next.finish(timeout: .seconds(60))

            let forward = try setting.command(["forward", "--until-caught-up"] + engine + setting.columns)
            #expect(forward.status == 0, "\(forward)")
            let told = try await setting.server.ask(
                "SELECT count() FROM events FINAL WHERE name = 'bought' FORMAT TabSeparated"
            )
            #expect(told == "2\n", "\(told)")
            let trend = try await Wire.request(
                "GET",
                "/v1/trends?name=bought&last=1h",
                ["authorization": "Bearer dev"],
                port: await collector.port
            )
            #expect(trend.status == 200 && trend.body.contains("2"), "\(trend)")
            let errors = await collector.end("TERM")?.errors ?? ""
            #expect(!errors.contains("does not") && !errors.contains("certificate"), "\(errors)")
        }
    }

    @Test("engine check reports each TLS problem with the address, file or option to correct")
    func refusals() async throws {
        try await Self.run { setting in
            let tables = setting.columns
            let fits = setting.engine + setting.trusted + setting.shown
            let made = try setting.command(["engine", "init", "--gigabytes", "1"] + fits + tables)
            #expect(made.status == 0, "\(made)")
            let plain = setting.engine.map { $0.replacing("tls://", with: "nats://") }
            let (https, http) = (setting.server.securePort, setting.server.port)
            try await TestCertificates.run { strangers in
                let stranger = try strangers.issue("stranger")
                let cases: [([String], String)] = [
                    (plain, "write tls://"),
                    (setting.engine + setting.trusted, "--engine-cert"),
                    (setting.engine + ["--engine-ca", strangers.authority] + setting.shown, strangers.authority),
                    (fits + ["--to", "https://127.0.0.1:\(http)/trackway"], "ClickHouse at https://127.0.0.1:\(http)"),
                    (fits + ["--to", "http://127.0.0.1:\(https)/trackway"], "http://127.0.0.1:\(https)"),
                    (fits + ["--to", "https://127.0.0.1:\(https)/trackway"], "--to-ca"),
                    (
                        fits + [
                            "--to", "https://127.0.0.1:\(https)/trackway", "--to-ca", setting.certificates.authority,
                        ], "--to-cert"
                    ),
                    (
                        fits + [
                            "--to", "https://127.0.0.1:\(https)/trackway", "--to-ca", setting.certificates.authority,
                            "--to-cert", stranger.certificate, "--to-key", stranger.key,
                        ], "--to-cert"
                    ),
                ]
                for (options, words) in cases {
                    let check = try setting.command(["engine", "check"] + options)
                    #expect(check.status == CommandStatus.negative.rawValue, "\(check)")
                    #expect(check.output.contains(words), "\(words): \(check)")
                }
            }
        }
    }
}
