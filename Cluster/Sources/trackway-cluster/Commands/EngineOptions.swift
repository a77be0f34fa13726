// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorJetStream
internal import CollectorTLS
internal import TrackwayCommand
internal import TrackwayEvents

/// Which engine keeps the records, and who connects to it.
struct EngineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The servers of NATS that keep the records, separated by commas: nats://a:4222,nats://b:4222,nats://c:4222, or tls:// for encrypted connections. One is enough to find the others.",
            valueName: "urls"
        )
    )
    var engine: String?

    @Option(
        help: ArgumentHelp(
            "A file with who connects to the engine: {\"user\":\"…\",\"password\":\"…\",\"system\":{\"user\":\"…\",\"password\":\"…\"}}. system is a user of the system account, who may ask servers how they sync.",
            valueName: "file"
        )
    )
    var engineCredentials: String?

    @Option(
        help: ArgumentHelp(
            "A file (PEM) with the authorities that sign the certificates of the engine's servers. Without it those that the system trusts.",
            valueName: "file"
        )
    )
    var engineCa: String?

    @Option(
        help: ArgumentHelp(
            "A file (PEM) with the certificate that the engine's servers are shown, where they verify their clients.",
            valueName: "file"
        )
    )
    var engineCert: String?

    @Option(help: ArgumentHelp("A file (PEM) with the key of --engine-cert.", valueName: "file"))
    var engineKey: String?

    /// Sees that servers are servers.
    func validate() throws {
        let addresses = try addresses()
        try tls.validate(isEncrypted: addresses?.contains { $0.isEncrypted } ?? false)
        if engine == nil, engineCredentials != nil {
            throw ValidationError("--engine-credentials are for --engine nats://host:4222")
        }
    }

    /// The engine that was named; nil for none.
    ///
    /// - Throws: ``CommandFailure`` when a file cannot be used.
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
                // What stands before it may be a password.
                throw ValidationError(
                    "--engine takes no names and passwords, which lists of processes would show; put them into a file, and "
                        + "name it with --engine-credentials"
                )
            }
            throw ValidationError(
                "“\(text)” is no server of NATS; --engine takes addresses such as nats://host:4222, separated by commas"
            )
        }
        guard Set(addresses.map(\.isEncrypted)).count == 1 else {
            throw ValidationError(
                "--engine takes tls:// for all servers or for none: an encrypted connection would end up at a plain one when its server is lost"
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
                "the file \(engineCredentials) is not what --engine-credentials takes",
                remedy:
                    "write {\"user\":\"…\",\"password\":\"…\",\"system\":{\"user\":\"…\",\"password\":\"…\"}} into it; in place of user "
                    + "and password a \"token\" may stand"
            )
        }
        return credentials
    }
}

/// An engine, and who connects to it.
struct EngineSettings: Sendable {
    /// Its servers.
    var addresses: [NATSAddress]
    /// Who connects.
    var credentials = EngineCredentials()
    /// What encrypts the connections to servers whose addresses want it.
    var tls: TLSClient?

    /// The servers, as they are written on a command line.
    var text: String { addresses.map(\.description).joined(separator: ",") }
}
