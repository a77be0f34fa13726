// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOSSL
internal import TrackwayCore

/// Maps NIOSSL errors.
extension TLSFailure {
    /// Creates a failure from an error.
    ///
    /// Returns nil if the error is unrelated to TLS, or only reports an unclean shutdown.
    ///
    /// - Parameters:
    ///   - certificate: The server's certificate; nil if none was presented.
    ///   - host: The host that the certificate must match.
    ///   - now: The current time, which identifies an expired certificate: NIOSSL reports an expired certificate and an
    ///     unknown authority as the same error.
    init?(_ error: any Error, certificate: NIOSSLCertificate?, host: String, files: TLSFiles, at now: Timestamp) {
        switch error {
        case let error as NIOSSLExtraError
        where error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch
            || error == .invalidSNIHostname:
            self = .hostMismatch(host: host)
        case NIOSSLError.uncleanShutdown: return nil
        case NIOSSLError.handshakeFailed(.sslError(let errors)) where errors == [.eofDuringHandshake]:
            self = .closedDuringHandshake
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            self.init(named: Self.name(of: error), validity: certificate.map(Self.validity), files: files, at: now)
        default: return nil
        }
    }

    private static func validity(of certificate: NIOSSLCertificate) -> ValidityPeriod {
        ValidityPeriod(
            from: Timestamp(milliseconds: Int64(certificate.notValidBefore) * 1_000),
            until: Timestamp(milliseconds: Int64(certificate.notValidAfter) * 1_000)
        )
    }

    /// Returns the library's name for an error, without source locations.
    static func name(of error: any Error) -> String {
        let text = "\(error)"
        guard let name = text.split(separator: "OPENSSL_internal:").dropFirst().first else { return text }
        return String(name.prefix { $0 != " " })
    }
}
