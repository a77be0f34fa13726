// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorTLS
internal import Foundation

/// An authority of a test, and the certificates that it signs, in a folder that goes with the test. Made by the program `openssl`.
package struct TestCertificates: Sendable {
    /// A certificate and its key.
    package struct Pair: Sendable, Hashable {
        /// The file of the certificate.
        package let certificate: String
        /// The file of its key.
        package let key: String

        /// A pair of files.
        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Whether there is a program that makes them.
    package static let canBeMade: Bool = (try? run(["version"], in: FileManager.default.temporaryDirectory)) != nil

    private let folder: URL

    /// The file of the authority's certificate.
    package var authority: String { folder.appendingPathComponent("ca.pem").path }

    /// Makes an authority for as long as `body` runs.
    package static func run<Value>(_ body: (TestCertificates) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("trackway-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            // A folder that stays costs some space, and is in the system's folder for what may go.
            try? FileManager.default.removeItem(at: folder)
        }
        try run(
            ["req", "-x509", "-days", "2", "-subj", "/CN=Authority of a test", "-out", "ca.pem"] + newKey("ca"),
            in: folder
        )
        return try await body(TestCertificates(folder: folder))
    }

    /// A certificate that the authority signs, for servers and clients.
    ///
    /// - Parameters:
    ///   - names: Whom it is for, as `DNS:…` and `IP:…`.
    ///   - isExpired: Whether it was valid until yesterday.
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

    /// A file with this text.
    package func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    /// The key of a pair, behind a password.
    package func locked(_ pair: Pair) throws -> String {
        try Self.run(["ec", "-in", pair.key, "-aes256", "-passout", "pass:secret", "-out", "locked.key"], in: folder)
        return path("locked.key")
    }

    /// What a client trusts and shows.
    ///
    /// - Parameter pair: What it shows; nil for nothing.
    package func files(_ pair: Pair? = nil) throws -> TLSFiles {
        TLSFiles(
            authorities: try Self.read(authority),
            certificate: try pair.map { try Self.read($0.certificate) },
            key: try pair.map { try Self.read($0.key) }
        )
    }

    /// A file as it is handed in.
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

/// The program `openssl` failed.
package struct CertificateError: Error {
    package let arguments: [String]
}
