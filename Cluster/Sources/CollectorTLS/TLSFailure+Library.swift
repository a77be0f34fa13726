// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOSSL
internal import TrackwayEvents

/// What the library's errors mean.
extension TLSFailure {
    /// What an error says; nil when it is not about encryption, or only says that the connection ended without a good-bye.
    ///
    /// - Parameters:
    ///   - certificate: The other side's, as far as it was shown.
    ///   - host: Who the other side has to be.
    ///   - now: The time. The library does not tell an expired certificate from one that nobody signed.
    init?(_ error: any Error, certificate: NIOSSLCertificate?, host: String, files: TLSFiles, at now: Timestamp) {
        switch error {
        case let error as NIOSSLExtraError
        where error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch
            || error == .invalidSNIHostname:
            self = .otherName(host: host)
        case NIOSSLError.uncleanShutdown: return nil
        case NIOSSLError.handshakeFailed(.sslError(let errors)) where errors == [.eofDuringHandshake]:
            self = .ended
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            self.init(named: Self.name(of: error), dates: certificate.map(Self.dates), files: files, at: now)
        default: return nil
        }
    }

    private static func dates(of certificate: NIOSSLCertificate) -> ValidDates {
        ValidDates(
            from: Timestamp(milliseconds: Int64(certificate.notValidBefore) * 1_000),
            until: Timestamp(milliseconds: Int64(certificate.notValidAfter) * 1_000)
        )
    }

    /// What the library calls an error, without the places in its own source.
    static func name(of error: any Error) -> String {
        let text = "\(error)"
        guard let name = text.split(separator: "OPENSSL_internal:").dropFirst().first else { return text }
        return String(name.prefix { $0 != " " })
    }
}
