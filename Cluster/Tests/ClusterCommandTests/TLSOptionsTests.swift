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
            _ = try ForwardCommand.parse(arguments)
            return ""
        } catch {
            return ForwardCommand.message(for: error)
        }
    }

    private static let plain = ["--engine", "nats://a", "--to", "http://c"]
    private static let encrypted = ["--engine", "tls://a,tls://b", "--to", "https://c"]

    /// Options added to those of two servers, and the expected message.
    struct Combination: Sendable {
        let isEncrypted: Bool
        let options: [String]
        let words: String
    }

    private static let together: [Combination] = [
        Combination(
            isEncrypted: false,
            options: ["--engine-ca", "ca.pem"],
            words: "--engine-ca is for encrypted connections; pass the server with --engine tls://host:4222"
        ),
        Combination(
            isEncrypted: false,
            options: ["--to-cert", "a", "--to-key", "b"],
            words: "--to-cert is for encrypted"
        ),
        Combination(isEncrypted: true, options: ["--engine-cert", "a.pem"], words: "--engine-key belong together"),
        Combination(
            isEncrypted: true,
            options: ["--to-key", "a.key"],
            words: "--to-cert and --to-key belong together"
        ),
        Combination(isEncrypted: true, options: ["--engine-ca", "ca.pem", "--to-ca", "ca.pem"], words: ""),
        Combination(isEncrypted: false, options: [], words: ""),
    ]

    @Test("conflicting TLS options are rejected with the option and the correct usage", arguments: together)
    func combinations(_ combination: Combination) {
        let message = Self.message((combination.isEncrypted ? Self.encrypted : Self.plain) + combination.options)
        #expect(message.isEmpty == combination.words.isEmpty, "\(message)")
        #expect(combination.words.isEmpty || message.contains(combination.words), "\(message)")
    }

    @Test("either all NATS servers use tls:// or none do", arguments: ["tls://a,nats://b", "tls://a,b", "a,tls://b"])
    func mixed(engine: String) {
        let message = Self.message(["--engine", engine, "--to", "http://c"])
        #expect(message.contains("--engine takes tls:// for all servers or for none"), "\(message)")
    }

    @Test("the TLS options of --analysis follow the same rules")
    func analysis() {
        func message(_ arguments: [String]) -> String {
            do {
                _ = try ClusterServeCommand.parse(["--engine", "nats://a"] + arguments)
                return ""
            } catch {
                return ClusterServeCommand.message(for: error)
            }
        }
        #expect(
            message(["--analysis", "http://c", "--analysis-ca", "ca.pem"]).contains("--analysis https://host:8443")
        )
        #expect(message(["--analysis", "https://c", "--analysis-ca", "ca.pem"]) == "")
    }

    private static func failure(_ arguments: [String]) throws -> CommandFailure? {
        let command = try ForwardCommand.parse(arguments)
        do {
            _ = try command.engine.settings()
            _ = try command.columns.client()
            return nil
        } catch {
            return error as? CommandFailure
        }
    }

    @Test(
        "unusable files are named with the required contents",
        .enabled(if: TestCertificates.canBeMade, "openssl is not installed.")
    )
    func files() async throws {
        try await TestCertificates.run { certificates in
            let (mine, other) = (try certificates.issue("mine"), try certificates.issue("other"))
            let text = try certificates.file("text.pem", "no PEM")
            let missing = text + ".missing"
            func pair(_ certificate: String, _ key: String) -> [String] {
                ["--to-cert", certificate, "--to-key", key]
            }
            let cases: [([String], CommandStatus, String)] = [
                (["--engine-ca", missing], .inputMissing, missing), (["--to-ca", missing], .inputMissing, missing),
                (["--engine-ca", text], .malformedInput, "--engine-ca takes one or more PEM certificates"),
                (pair(text, mine.key), .malformedInput, text), (pair(mine.certificate, text), .malformedInput, text),
                (pair(mine.certificate, try certificates.locked(mine)), .malformedInput, "without a password"),
                (pair(mine.certificate, other.key), .malformedInput, "does not match the certificate"),
                (pair(mine.certificate, mine.certificate), .malformedInput, "-----BEGIN PRIVATE KEY-----"),
            ]
            for (options, status, words) in cases {
                let failure = try Self.failure(Self.encrypted + options)
                #expect(failure?.status == status && failure?.description.contains(words) == true, "\(failure as Any)")
            }
            let fits = ["--engine-ca", certificates.authority] + pair(mine.certificate, mine.key)
            #expect(try Self.failure(Self.encrypted + fits) == nil)
        }
    }
}
