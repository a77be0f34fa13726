// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorTLS
internal import TrackwayCommand

/// The TLS options for one kind of server.
///
/// For NATS, the options are `--nats-ca`, `--nats-cert`, and `--nats-key`.
struct TLSFileOptions {
    /// The option that names the servers, which is the prefix of the others.
    let option: String
    /// An example of an address that requires TLS, for messages.
    let example: String
    /// The path given with `…-ca`.
    let authorities: String?
    /// The path given with `…-cert`.
    let certificate: String?
    /// The path given with `…-key`.
    let key: String?

    /// Checks that the options are consistent with each other and with the address.
    ///
    /// - Parameter isEncrypted: Whether the address requires TLS.
    /// - Throws: `ValidationError`.
    func validate(isEncrypted: Bool) throws {
        for (name, file) in [("ca", authorities), ("cert", certificate), ("key", key)]
        where file != nil && !isEncrypted {
            throw ValidationError(
                "\(option)-\(name) requires an encrypted connection; pass the server with \(option) \(example)"
            )
        }
        if (certificate == nil) != (key == nil) {
            throw ValidationError("\(option)-cert and \(option)-key belong together: pass both or neither")
        }
    }

    /// Reads the files.
    ///
    /// - Throws: ``CommandFailure`` that names the file and its required contents.
    func client() throws(CommandFailure) -> TLSClient {
        let files = TLSFiles(
            authorities: try read(authorities, "ca"),
            certificate: try read(certificate, "cert"),
            key: try read(key, "key")
        )
        do {
            return try TLSClient(files)
        } catch {
            throw failure(error)
        }
    }

    private func read(_ path: String?, _ name: String) throws(CommandFailure) -> TLSFiles.File? {
        guard let path else { return nil }
        let option = "\(self.option)-\(name)"
        // Only the key is secret.
        let file =
            name == "key"
            ? SecretFile(path: path, option: option) : SecretFile(path: path, option: option, onWarning: { _ in })
        return TLSFiles.File(path: path, bytes: try file.read())
    }

    private func failure(_ failure: TLSFilesFailure) -> CommandFailure {
        switch failure {
        case .noAuthorities(let file):
            CommandFailure(
                .malformedInput,
                "the file \(file) contains no CA certificate",
                remedy: "\(option)-ca takes one or more PEM certificates (-----BEGIN CERTIFICATE-----)"
            )
        case .noCertificate(let file):
            CommandFailure(
                .malformedInput,
                "the file \(file) has no certificate",
                remedy:
                    "\(option)-cert takes a PEM certificate (-----BEGIN CERTIFICATE-----), then intermediate ones"
            )
        case .noKey(let file):
            CommandFailure(
                .malformedInput,
                "the file \(file) has no readable key",
                remedy: "\(option)-key takes a PEM private key (-----BEGIN PRIVATE KEY-----) without a password"
            )
        case .keyMismatch(let file, let certificate):
            CommandFailure(
                .malformedInput,
                "the key in \(file) does not match the certificate in \(certificate)",
                remedy: "pass the key of \(option)-cert with \(option)-key"
            )
        case .incompleteKeyPair:
            CommandFailure(
                .usage,
                "the certificate has no key",
                remedy: "pass both \(option)-cert and \(option)-key, or neither"
            )
        case .other(let reason):
            CommandFailure(
                .malformedInput,
                "the TLS files for \(option) cannot be used (\(reason))",
                remedy: "check the files of \(option)-ca, \(option)-cert, and \(option)-key"
            )
        }
    }
}
