// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorTLS
internal import Foundation

/// A test certificate authority, and the certificates that it signs.
///
/// The files are made with `openssl`, in a folder that is deleted after the test.
package struct TestCertificates: Sendable {
    /// A certificate and its key.
    package struct Pair: Sendable, Hashable {
        /// The path of the certificate.
        package let certificate: String
        /// The path of the private key.
        package let key: String

        /// Creates a pair from two paths.
        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Whether `openssl` is available.
    package static let isAvailable: Bool = (try? run(["version"], in: FileManager.default.temporaryDirectory)) != nil

    private let folder: URL

    /// The path of the authority's certificate.
    package var authority: String { folder.appendingPathComponent("ca.pem").path }

    /// Creates an authority for the duration of `body`.
    package static func run<Value>(_ body: (TestCertificates) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("trackway-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            // A remaining folder only costs some space in the system's temporary folder.
            try? FileManager.default.removeItem(at: folder)
        }
        try run(
            ["req", "-x509", "-days", "2", "-subj", "/CN=Authority of a test", "-out", "ca.pem"] + newKey("ca"),
            in: folder
        )
        return try await body(TestCertificates(folder: folder))
    }

    /// Issues a certificate signed by the authority, for servers and clients.
    ///
    /// - Parameters:
    ///   - names: The alternative names, as `DNS:…` and `IP:…`.
    ///   - isExpired: Whether the certificate expired yesterday.
    package func issue(
        _ name: String,
        for names: String = "DNS:localhost,IP:127.0.0.1",
        isExpired: Bool = false
    ) throws -> Pair {
        let extensions = "subjectAltName=\(names)\nextendedKeyUsage=serverAuth,clientAuth\n"
        try Data(extensions.utf8).write(to: folder.appendingPathComponent("\(name).ext"))
        try Self.run(["req", "-new", "-subj", "/CN=\(name)", "-out", "\(name).csr"] + Self.newKey(name), in: folder)
        try Self.run(
            [
                "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
                isExpired ? "-1" : "1", "-extfile", "\(name).ext", "-out", "\(name).pem",
            ],
            in: folder
        )
        return Pair(certificate: path("\(name).pem"), key: path("\(name).key"))
    }

    /// Creates a file with this text and returns its path.
    package func writeFile(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    /// Encrypts the key of a pair with a password and returns the new key's path.
    package func encryptedKey(of pair: Pair) throws -> String {
        try Self.run(["ec", "-in", pair.key, "-aes256", "-passout", "pass:secret", "-out", "locked.key"], in: folder)
        return path("locked.key")
    }

    /// The TLS files of a client that trusts the authority.
    ///
    /// - Parameter pair: The client's certificate and key; nil for none.
    package func tlsFiles(_ pair: Pair? = nil) throws -> TLSFiles {
        TLSFiles(
            authorities: try Self.read(authority),
            certificate: try pair.map { try Self.read($0.certificate) },
            key: try pair.map { try Self.read($0.key) }
        )
    }

    /// Reads a file as ``TLSFiles`` expects it.
    package static func read(_ path: String) throws -> TLSFiles.File {
        TLSFiles.File(path: path, bytes: try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private static func newKey(_ name: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "\(name).key"]
    }

    private static func run(_ arguments: [String], in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CertificateError(arguments: arguments) }
    }
}

/// A failed run of `openssl`.
package struct CertificateError: Error {
    package let arguments: [String]
}
