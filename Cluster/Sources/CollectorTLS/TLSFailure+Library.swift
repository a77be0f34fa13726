// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOSSL
internal import TrackwayEvents

/// Maps NIOSSL errors.
extension TLSFailure {
    /// Creates a failure from an error.
    ///
    /// Nil if it is unrelated to TLS or only reports an unclean shutdown.
    ///
    /// - Parameters:
    ///   - certificate: The server's certificate, if it was presented.
    ///   - host: The host that the certificate must match.
    ///   - now: The current time. NIOSSL reports an expired certificate and an unknown authority as the same error.
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

    /// The library's name for an error, without locations in its source.
    static func name(of error: any Error) -> String {
        let text = "\(error)"
        guard let name = text.split(separator: "OPENSSL_internal:").dropFirst().first else { return text }
        return String(name.prefix { $0 != " " })
    }
}
