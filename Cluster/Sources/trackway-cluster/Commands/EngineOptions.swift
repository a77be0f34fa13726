// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorJetStream
internal import CollectorTLS
internal import TrackwayCommand
internal import TrackwayEvents

/// The NATS cluster that stores the records, and the credentials for it.
struct EngineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            NATS servers that store the records, comma-separated: nats://a:4222,nats://b:4222,nats://c:4222, or \
            tls:// for TLS. One is enough to discover the others.
            """,
            valueName: "urls"
        )
    )
    var engine: String?

    @Option(
        help: ArgumentHelp(
            """
            File with NATS credentials: {"user":"…","password":"…","system":{"user":"…","password":"…"}}. The system \
            user belongs to the system account, and asks servers how they sync.
            """,
            valueName: "file"
        )
    )
    var engineCredentials: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the authorities that sign the NATS servers' certificates. Default: the system's.",
            valueName: "file"
        )
    )
    var engineCa: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the client certificate for the NATS servers, if they verify clients.",
            valueName: "file"
        )
    )
    var engineCert: String?

    @Option(help: ArgumentHelp("PEM file with the private key for --engine-cert.", valueName: "file"))
    var engineKey: String?

    /// Validates the options.
    func validate() throws {
        let addresses = try addresses()
        try tls.validate(isEncrypted: addresses?.contains { $0.isEncrypted } ?? false)
        if engine == nil, engineCredentials != nil {
            throw ValidationError("--engine-credentials requires --engine nats://host:4222")
        }
    }

    /// Returns the cluster's settings; nil if no servers were given.
    ///
    /// - Throws: ``CommandFailure`` if a file cannot be used.
    func settings() throws -> EngineSettings? {
        guard let addresses = try addresses() else { return nil }
        var settings = EngineSettings(addresses: addresses, credentials: try credentials())
        if addresses.contains(where: { $0.isEncrypted }) { settings.tls = try tls.client() }
        return settings
    }

    private var tls: TLSFileNames {
        TLSFileNames(
            option: "--engine",
            example: "tls://host:4222",
            authorities: engineCa,
            certificate: engineCert,
            key: engineKey
        )
    }

    private func addresses() throws -> [NATSAddress]? {
        guard let engine else { return nil }
        let texts = engine.split(separator: ",", omittingEmptySubsequences: false)
        let addresses = try texts.map { text in
            if let address = NATSAddress(text) { return address }
            if text.contains("@") {
                // The text is not quoted, because the part before the @ may be a password.
                throw ValidationError(
                    "--engine must not contain credentials, which process lists would show; put them into a file, and "
                        + "pass it with --engine-credentials"
                )
            }
            throw ValidationError(
                "“\(text)” is not a NATS server; --engine takes addresses such as nats://host:4222, separated by commas"
            )
        }
        guard Set(addresses.map(\.isEncrypted)).count == 1 else {
            throw ValidationError(
                """
                --engine takes tls:// for all servers or for none: if one is lost, a plain connection could replace an \
                encrypted one
                """
            )
        }
        return addresses
    }

    private func credentials() throws(CommandFailure) -> EngineCredentials {
        guard let engineCredentials else { return EngineCredentials() }
        let bytes = try SecretFile(path: engineCredentials, option: "--engine-credentials").read()
        guard let credentials = EngineCredentials(json: bytes) else {
            throw CommandFailure(
                .malformedInput,
                "the file \(engineCredentials) is not valid for --engine-credentials",
                remedy:
                    "write {\"user\":\"…\",\"password\":\"…\",\"system\":{\"user\":\"…\",\"password\":\"…\"}} into it; "
                    + "a \"token\" may replace user and password"
            )
        }
        return credentials
    }
}

/// A NATS cluster's addresses, credentials, and TLS settings.
struct EngineSettings: Sendable {
    /// The servers.
    var addresses: [NATSAddress]
    /// The credentials.
    var credentials = EngineCredentials()
    /// The TLS client for servers whose addresses require TLS.
    var tls: TLSClient?

    /// The servers, as written on a command line.
    var text: String { addresses.map(\.description).joined(separator: ",") }
}
