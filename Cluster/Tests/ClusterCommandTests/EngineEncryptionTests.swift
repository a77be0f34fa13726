// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayEvents

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

/// With real servers of NATS and ClickHouse that encrypt, and real processes. Skipped where they cannot be had.
@Suite(
    "Collectors and forwarders over encrypted connections",
    .enabled(if: EngineServer.isWanted, "They run when TRACKWAY_ENGINE_TESTS=1 is set, by themselves."),
    .enabled(if: EngineServer.isHere, "There is no NATS server here, and it could not be installed."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "There is no clickhouse-server here; `Scripts/bootstrap cluster` installs Debian's."
    ),
    .enabled(if: TestCertificates.canBeMade, "There is no program openssl here."),
    .serialized,
    .timeLimit(.minutes(5))
)
struct EngineEncryptionTests {
    /// What a test has.
    private struct Setting: Sendable {
        let cluster: EngineCluster
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
            let encryption = EngineCluster.Encryption(theirs, authority: authority, isVerifying: true)
            try await EngineCluster.run(encryption: encryption) { cluster in
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

    @Test("an event is acknowledged, indexed, and forwarded into the tables, and a lost server changes nothing")
    func endToEnd() async throws {
        try await Self.run { setting in
            let options = setting.trusted + setting.shown
            let engine = setting.engine + options
            let made = try setting.command(["engine", "init", "--gigabytes", "1"] + engine + setting.columns)
            #expect(made.status == 0 && made.output.contains("everything there is"), "\(made)")

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

    @Test("what does not fit gets a sentence with the server, and what helps")
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
