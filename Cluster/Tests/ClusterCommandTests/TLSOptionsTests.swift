// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import ClusterTesting
internal import CollectorTLS
internal import Testing

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

@Suite("TLS options")
struct TLSOptionsTests {
    private static func message(_ arguments: [String]) -> String {
        do {
            _ = try ClusterForwardCommand.parse(arguments)
            return ""
        } catch {
            return ClusterForwardCommand.message(for: error)
        }
    }

    private static let plain = ["--nats", "nats://a", "--clickhouse", "http://c"]
    private static let encrypted = ["--nats", "tls://a,tls://b", "--clickhouse", "https://c"]

    /// Options added to those of two servers, and the expected message.
    struct Combination: Sendable {
        let isEncrypted: Bool
        let options: [String]
        let expected: String
    }

    private static let combinations: [Combination] = [
        Combination(
            isEncrypted: false,
            options: ["--nats-ca", "ca.pem"],
            expected: "--nats-ca requires an encrypted connection; pass the server with --nats tls://host:4222"
        ),
        Combination(
            isEncrypted: false,
            options: ["--clickhouse-cert", "a", "--clickhouse-key", "b"],
            expected: "--clickhouse-cert requires an encrypted"
        ),
        Combination(isEncrypted: true, options: ["--nats-cert", "a.pem"], expected: "--nats-key belong together"),
        Combination(
            isEncrypted: true,
            options: ["--clickhouse-key", "a.key"],
            expected: "--clickhouse-cert and --clickhouse-key belong together"
        ),
        Combination(isEncrypted: true, options: ["--nats-ca", "ca.pem", "--clickhouse-ca", "ca.pem"], expected: ""),
        Combination(isEncrypted: false, options: [], expected: ""),
    ]

    @Test(arguments: combinations)
    func `conflicting TLS options are rejected with the option and the correct usage`(_ combination: Combination) {
        let message = Self.message((combination.isEncrypted ? Self.encrypted : Self.plain) + combination.options)
        #expect(message.isEmpty == combination.expected.isEmpty, "\(message)")
        #expect(combination.expected.isEmpty || message.contains(combination.expected), "\(message)")
    }

    @Test(arguments: ["tls://a,nats://b", "tls://a,b", "a,tls://b"])
    func `either all NATS servers use tls:// or none do`(engine: String) {
        let message = Self.message(["--nats", engine, "--clickhouse", "http://c"])
        #expect(message.contains("--nats takes tls:// for all servers or for none"), "\(message)")
    }

    @Test
    func `the TLS options of --clickhouse follow the same rules`() {
        func message(_ arguments: [String]) -> String {
            do {
                _ = try ClusterServeCommand.parse(["--nats", "nats://a"] + arguments)
                return ""
            } catch {
                return ClusterServeCommand.message(for: error)
            }
        }
        #expect(
            message(["--clickhouse", "http://c", "--clickhouse-ca", "ca.pem"]).contains(
                "--clickhouse https://host:8443"
            )
        )
        #expect(message(["--clickhouse", "https://c", "--clickhouse-ca", "ca.pem"]) == "")
    }

    private static func failure(_ arguments: [String]) throws -> CommandFailure? {
        let command = try ClusterForwardCommand.parse(arguments)
        do {
            _ = try command.nats.settings()
            _ = try command.clickhouse.client()
            return nil
        } catch {
            return error as? CommandFailure
        }
    }

    @Test(.enabled(if: TestCertificates.isAvailable, "openssl is not installed."))
    func `errors name unusable files and the contents that they must have`() async throws {
        try await TestCertificates.run { certificates in
            let (mine, other) = (try certificates.issue("mine"), try certificates.issue("other"))
            let text = try certificates.writeFile("text.pem", "no PEM")
            let missing = text + ".missing"
            func pair(_ certificate: String, _ key: String) -> [String] {
                ["--clickhouse-cert", certificate, "--clickhouse-key", key]
            }
            let cases: [([String], CommandStatus, String)] = [
                (["--nats-ca", missing], .inputMissing, missing),
                (["--clickhouse-ca", missing], .inputMissing, missing),
                (["--nats-ca", text], .malformedInput, "--nats-ca takes one or more PEM certificates"),
                (pair(text, mine.key), .malformedInput, text), (pair(mine.certificate, text), .malformedInput, text),
                (
                    pair(mine.certificate, try certificates.encryptedKey(of: mine)), .malformedInput,
                    "without a password"
                ),
                (pair(mine.certificate, other.key), .malformedInput, "does not match the certificate"),
                (pair(mine.certificate, mine.certificate), .malformedInput, "-----BEGIN PRIVATE KEY-----"),
            ]
            for (options, status, expected) in cases {
                let failure = try Self.failure(Self.encrypted + options)
                #expect(
                    failure?.status == status && failure?.description.contains(expected) == true,
                    "\(failure as Any)"
                )
            }
            let validOptions = ["--nats-ca", certificates.authority] + pair(mine.certificate, mine.key)
            #expect(try Self.failure(Self.encrypted + validOptions) == nil)
        }
    }
}
