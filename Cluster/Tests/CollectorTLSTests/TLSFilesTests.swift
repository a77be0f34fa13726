// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorTLS
internal import Testing

@Suite("TLS certificate and key files")
struct TLSFilesTests {
    private static func failure(_ files: TLSFiles) -> TLSFilesFailure? {
        do throws(TLSFilesFailure) {
            _ = try TLSClient(files)
            return nil
        } catch {
            return error
        }
    }

    @Test(.enabled(if: TestCertificates.isAvailable, "openssl is not installed."))
    func `valid files are accepted, and errors name the invalid file`() async throws {
        try await TestCertificates.run { certificates in
            let (mine, other) = (try certificates.issue("mine"), try certificates.issue("other"))
            #expect(Self.failure(TLSFiles()) == nil)
            #expect(Self.failure(try certificates.tlsFiles()) == nil)
            #expect(Self.failure(try certificates.tlsFiles(mine)) == nil)

            let mixed = TestCertificates.Pair(certificate: mine.certificate, key: other.key)
            #expect(
                Self.failure(try certificates.tlsFiles(mixed))
                    == .keyMismatch(file: other.key, certificate: mine.certificate)
            )
            let locked = TestCertificates.Pair(
                certificate: mine.certificate,
                key: try certificates.encryptedKey(of: mine)
            )
            #expect(Self.failure(try certificates.tlsFiles(locked)) == .noKey(file: locked.key))

            for (name, text) in [("empty", ""), ("text", "no PEM"), ("cut", "-----BEGIN CERTIFICATE-----\nMIIB\n")] {
                let file = try TestCertificates.read(try certificates.writeFile("\(name).pem", text))
                #expect(Self.failure(TLSFiles(authorities: file)) == .noAuthorities(file: file.path))
                var files = try certificates.tlsFiles(mine)
                files.certificate = file
                #expect(Self.failure(files) == .noCertificate(file: file.path))
                files = try certificates.tlsFiles(mine)
                files.key = file
                #expect(Self.failure(files) == .noKey(file: file.path))
            }
            var half = try certificates.tlsFiles(mine)
            half.key = nil
            #expect(Self.failure(half) == .incompleteKeyPair)
            // A key is not accepted as an authority's certificate.
            let key = try TestCertificates.read(mine.key)
            #expect(Self.failure(TLSFiles(authorities: key)) == .noAuthorities(file: mine.key))
        }
    }
}
