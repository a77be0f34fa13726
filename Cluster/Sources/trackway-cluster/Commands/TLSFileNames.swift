// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorTLS
internal import TrackwayCommand

/// What the options say that encrypt the connections to one kind of server: `--engine-ca`, `--engine-cert`, `--engine-key`.
struct TLSFileNames {
    /// The option that names the servers, with which the others begin.
    let option: String
    /// An address of an encrypted connection, for sentences about it.
    let example: String
    /// The file of `…-ca`.
    let authorities: String?
    /// The file of `…-cert`.
    let certificate: String?
    /// The file of `…-key`.
    let key: String?

    /// Sees that they fit each other and the address.
    ///
    /// - Parameter isEncrypted: Whether the address is of an encrypted connection.
    /// - Throws: `ValidationError`.
    func validate(isEncrypted: Bool) throws {
        for (name, file) in [("ca", authorities), ("cert", certificate), ("key", key)]
        where file != nil && !isEncrypted {
            throw ValidationError(
                "\(option)-\(name) is for encrypted connections; name the server with \(option) \(example)"
            )
        }
        if (certificate == nil) != (key == nil) {
            throw ValidationError("\(option)-cert and \(option)-key belong together: name both, or none")
        }
    }

    /// Reads the files.
    ///
    /// - Throws: ``CommandFailure`` with the file, and what it has to be.
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
        // Of the three only the key is a secret.
        let file =
            name == "key"
            ? SecretFile(path: path, option: option) : SecretFile(path: path, option: option, warn: { _ in })
        return TLSFiles.File(path: path, bytes: try file.read())
    }

    private func failure(_ failure: TLSFilesFailure) -> CommandFailure {
        switch failure {
        case .noAuthorities(let file):
            CommandFailure(
                .malformedInput,
                "the file \(file) has no certificate of an authority",
                remedy: "\(option)-ca takes one or more certificates as PEM (-----BEGIN CERTIFICATE-----)"
            )
        case .noCertificate(let file):
            CommandFailure(
                .malformedInput,
                "the file \(file) has no certificate",
                remedy:
                    "\(option)-cert takes a certificate as PEM (-----BEGIN CERTIFICATE-----), and behind it those between it and its authority"
            )
        case .noKey(let file):
            CommandFailure(
                .malformedInput,
                "the file \(file) has no key that can be read",
                remedy: "\(option)-key takes a private key as PEM (-----BEGIN PRIVATE KEY-----), without a password"
            )
        case .otherKey(let file, let certificate):
            CommandFailure(
                .malformedInput,
                "the key in \(file) is not the one of the certificate in \(certificate)",
                remedy: "name with \(option)-key the key that \(option)-cert was made for"
            )
        case .half:
            CommandFailure(
                .usage,
                "a certificate needs its key",
                remedy: "name both \(option)-cert and \(option)-key, or none"
            )
        case .other(let reason):
            CommandFailure(
                .malformedInput,
                "\(option) cannot be encrypted with these files (\(reason))",
                remedy: "see the files behind \(option)-ca, \(option)-cert and \(option)-key"
            )
        }
    }
}
