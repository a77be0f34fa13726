// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorJetStream
internal import CollectorTLS
internal import TrackwayCommand
internal import TrackwayCore

/// The NATS cluster that stores the records, and its credentials.
struct NATSOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            NATS servers that store the records, comma-separated: nats://a:4222,nats://b:4222,nats://c:4222, or \
            tls:// for TLS. One is enough to discover the others.
            """,
            valueName: "urls"
        )
    )
    var nats: String?

    @Option(
        help: ArgumentHelp(
            """
            File with NATS credentials: {"user":"…","password":"…", "system":{"user":"…","password":"…"}}. The \
            system user belongs to the system account, and is used to query the servers' sync settings.
            """,
            valueName: "file"
        )
    )
    var natsCredentials: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the authorities that sign the NATS servers' certificates. Default: the system's.",
            valueName: "file"
        )
    )
    var natsCa: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the client certificate for the NATS servers, if they verify clients.",
            valueName: "file"
        )
    )
    var natsCert: String?

    @Option(help: ArgumentHelp("PEM file with the private key for --nats-cert.", valueName: "file"))
    var natsKey: String?

    /// Validates the options.
    func validate() throws {
        let addresses = try addresses()
        try tls.validate(isEncrypted: addresses?.contains { $0.isEncrypted } ?? false)
        if nats == nil, natsCredentials != nil {
            throw ValidationError("--nats-credentials requires --nats nats://host:4222")
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

    private var tls: TLSFileOptions {
        TLSFileOptions(
            option: "--nats",
            example: "tls://host:4222",
            authorities: natsCa,
            certificate: natsCert,
            key: natsKey
        )
    }

    private func addresses() throws -> [NATSAddress]? {
        guard let nats else { return nil }
        let texts = nats.split(separator: ",", omittingEmptySubsequences: false)
        let addresses = try texts.map { text in
            if let address = NATSAddress(text) { return address }
            if text.contains("@") {
                // The text is not quoted, because the part before the @ may be a password.
                throw ValidationError(
                    "--nats must not contain credentials, which process lists would show; store them in a file, and "
                        + "pass it with --nats-credentials"
                )
            }
            throw ValidationError(
                "“\(text)” is not a NATS server; --nats takes addresses such as nats://host:4222, separated by commas"
            )
        }
        guard Set(addresses.map(\.isEncrypted)).count == 1 else {
            throw ValidationError(
                """
                --nats takes tls:// for all servers or for none: otherwise, an unencrypted connection could \
                replace a lost encrypted one
                """
            )
        }
        return addresses
    }

    private func credentials() throws(CommandFailure) -> EngineCredentials {
        guard let natsCredentials else { return EngineCredentials() }
        let bytes = try SecretFile(path: natsCredentials, option: "--nats-credentials").read()
        guard let credentials = EngineCredentials(json: bytes) else {
            throw CommandFailure(
                .malformedInput,
                "the file \(natsCredentials) is not valid for --nats-credentials",
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

    /// The servers' addresses, as written on a command line.
    var text: String { addresses.map(\.description).joined(separator: ",") }
}
