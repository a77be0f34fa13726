// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

/// Tests with real processes and with real NATS and ClickHouse servers that use TLS.
///
/// Skipped if the servers are unavailable.
@Suite(
    "Collectors and forwarders over TLS",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(if: NATSServerBinary.isAvailable, "nats-server is not installed and could not be installed."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .enabled(if: TestCertificates.isAvailable, "openssl is not installed."),
    .serialized,
    .timeLimit(.minutes(5))
)
struct EngineEncryptionTests {
    /// The environment of a test.
    private struct Environment: Sendable {
        let cluster: NATSTestCluster
        let server: ClickHouseServer
        let certificates: TestCertificates
        let clientCertificate: TestCertificates.Pair
        let folder: String
        let natsOptions: [String]

        var certificateOptions: [String] {
            ["--nats-cert", clientCertificate.certificate, "--nats-key", clientCertificate.key]
        }
        var authorityOptions: [String] { ["--nats-ca", certificates.authority] }
        var clickHouseOptions: [String] {
            [
                "--clickhouse", "https://127.0.0.1:\(server.securePort)/trackway", "--clickhouse-ca",
                certificates.authority,
                "--clickhouse-cert",
                clientCertificate.certificate, "--clickhouse-key", clientCertificate.key,
            ]
        }

        func command(_ words: [String]) throws -> (status: Int32, output: String, errors: String) {
            try EngineCollector.run(words)
        }
    }

    private static func run(_ body: @Sendable (Environment) async throws -> Void) async throws {
        try await TestCertificates.run { certificates in
            let (serverCertificate, clientCertificate) = (
                try certificates.issue("server"), try certificates.issue("mine")
            )
            let authority = certificates.authority
            let encryption = NATSTestCluster.Encryption(serverCertificate, authority: authority, verifiesClients: true)
            try await NATSTestCluster.run(encryption: encryption) { cluster in
                try await ClickHouseServer.run(certificate: serverCertificate, clientAuthority: authority) { server in
                    try await RunningCollector.withFolder { folder in
                        let natsOptions = try EngineCollector.options(cluster, folder)
                        try await body(
                            Environment(
                                cluster: cluster,
                                server: server,
                                certificates: certificates,
                                clientCertificate: clientCertificate,
                                folder: folder,
                                natsOptions: natsOptions
                            )
                        )
                    }
                }
            }
        }
    }

    @Test
    func `events are acknowledged, indexed and forwarded over TLS, even after a server is lost`() async throws {
        try await Self.run { environment in
            let options = environment.authorityOptions + environment.certificateOptions
            let engineOptions = environment.natsOptions + options
            let initialized = try environment.command(
                ["cluster", "init", "--gigabytes", "1"] + engineOptions + environment.clickHouseOptions
            )
            #expect(initialized.status == 0 && initialized.output.contains("up to date"), "\(initialized)")

            let analysis = [
                "--clickhouse", "https://localhost:\(environment.server.securePort)/trackway", "--clickhouse-ca",
                environment.certificates.authority, "--clickhouse-cert", environment.clientCertificate.certificate,
                "--clickhouse-key",
                environment.clientCertificate.key,
            ]
            let collector = EngineCollector(
                "one",
                in: environment.folder,
                environment.cluster,
                options: options + analysis
            )
            let address = try await collector.start()
            var sender = try Sender(to: address, folder: environment.folder + "/sender", console: .standard)
            _ = sender.record("bought", ["total": 12])
            await sender.finish(timeout: .seconds(60))
            let leader = initialized.output.split(separator: "\n").first { $0.contains("leader") }?.prefix(2)
            await environment.cluster.kill(String(try #require(leader)))
            var next = try Sender(to: address, folder: environment.folder + "/next", console: .standard)
            _ = next.record("bought", ["total": 13])
            await next.finish(timeout: .seconds(60))

            let forward = try environment.command(
                ["cluster", "forward", "--until-caught-up"] + engineOptions + environment.clickHouseOptions
            )
            #expect(forward.status == 0, "\(forward)")
            let result = try await environment.server.query(
                "SELECT count() FROM events FINAL WHERE name = 'bought' FORMAT TabSeparated"
            )
            #expect(result == "2\n", "\(result)")
            let trend = try await Wire.request(
                "GET",
                "/v1/trends?name=bought&last=1h",
                ["authorization": "Bearer dev"],
                port: await collector.port
            )
            #expect(trend.status == 200 && trend.body.contains("2"), "\(trend)")
            let errors = await collector.stop(signal: "TERM")?.errors ?? ""
            #expect(!errors.contains("does not") && !errors.contains("certificate"), "\(errors)")
        }
    }

    @Test
    func `'cluster check' reports each TLS problem with the address, file or option to correct`() async throws {
        try await Self.run { environment in
            let tables = environment.clickHouseOptions
            let validOptions = environment.natsOptions + environment.authorityOptions + environment.certificateOptions
            let initialized = try environment.command(["cluster", "init", "--gigabytes", "1"] + validOptions + tables)
            #expect(initialized.status == 0, "\(initialized)")
            let plain = environment.natsOptions.map { $0.replacing("tls://", with: "nats://") }
            let (https, http) = (environment.server.securePort, environment.server.port)
            try await TestCertificates.run { otherCertificates in
                let otherPair = try otherCertificates.issue("stranger")
                let cases: [([String], String)] = [
                    (plain, "write tls://"),
                    (environment.natsOptions + environment.authorityOptions, "--nats-cert"),
                    (
                        environment.natsOptions + ["--nats-ca", otherCertificates.authority]
                            + environment.certificateOptions, otherCertificates.authority
                    ),
                    (
                        validOptions + ["--clickhouse", "https://127.0.0.1:\(http)/trackway"],
                        "ClickHouse at https://127.0.0.1:\(http)"
                    ),
                    (
                        validOptions + ["--clickhouse", "http://127.0.0.1:\(https)/trackway"],
                        "http://127.0.0.1:\(https)"
                    ),
                    (validOptions + ["--clickhouse", "https://127.0.0.1:\(https)/trackway"], "--clickhouse-ca"),
                    (
                        validOptions + [
                            "--clickhouse", "https://127.0.0.1:\(https)/trackway", "--clickhouse-ca",
                            environment.certificates.authority,
                        ], "--clickhouse-cert"
                    ),
                    (
                        validOptions + [
                            "--clickhouse", "https://127.0.0.1:\(https)/trackway", "--clickhouse-ca",
                            environment.certificates.authority,
                            "--clickhouse-cert", otherPair.certificate, "--clickhouse-key", otherPair.key,
                        ], "--clickhouse-cert"
                    ),
                ]
                for (options, expected) in cases {
                    let check = try environment.command(["cluster", "check"] + options)
                    #expect(check.status == CommandStatus.negative.rawValue, "\(check)")
                    #expect(check.output.contains(expected), "\(expected): \(check)")
                }
            }
        }
    }
}
