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

    @Test(
        "valid files are accepted, and errors name the invalid file",
        .enabled(if: TestCertificates.canBeMade, "openssl is not installed.")
    )
    func files() async throws {
        try await TestCertificates.run { certificates in
            let (mine, other) = (try certificates.issue("mine"), try certificates.issue("other"))
            #expect(Self.failure(TLSFiles()) == nil)
            #expect(Self.failure(try certificates.files()) == nil)
            #expect(Self.failure(try certificates.files(mine)) == nil)

            let mixed = TestCertificates.Pair(certificate: mine.certificate, key: other.key)
            #expect(
                Self.failure(try certificates.files(mixed)) == .otherKey(file: other.key, certificate: mine.certificate)
            )
            let locked = TestCertificates.Pair(certificate: mine.certificate, key: try certificates.locked(mine))
            #expect(Self.failure(try certificates.files(locked)) == .noKey(file: locked.key))

            for (name, text) in [("empty", ""), ("text", "no PEM"), ("cut", "-----BEGIN CERTIFICATE-----\nMIIB\n")] {
                let file = try TestCertificates.read(try certificates.file("\(name).pem", text))
                #expect(Self.failure(TLSFiles(authorities: file)) == .noAuthorities(file: file.path))
                var files = try certificates.files(mine)
                files.certificate = file
                #expect(Self.failure(files) == .noCertificate(file: file.path))
                files = try certificates.files(mine)
                files.key = file
                #expect(Self.failure(files) == .noKey(file: file.path))
            }
            var half = try certificates.files(mine)
            half.key = nil
            #expect(Self.failure(half) == .half)
            // A key is not accepted as an authority's certificate.
            let key = try TestCertificates.read(mine.key)
            #expect(Self.failure(TLSFiles(authorities: key)) == .noAuthorities(file: mine.key))
        }
    }
}
