// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Why a connection is not encrypted, or its server not trusted.
package enum TLSFailure: Error, Sendable, Hashable {
    /// The server's reply is not TLS.
    case noTLS
    /// The server closed the connection during the handshake or immediately after it.
    case ended
    /// The server did not answer the handshake.
    case unanswered
    /// The server's certificate has expired.
    case expired(at: Timestamp)
    /// The server's certificate is not valid yet.
    case notYetValid(until: Timestamp)
    /// The server's certificate is not valid for this host.
    case otherName(host: String)
    /// No trusted authority signed the certificate.
    ///
    /// The file lists the trusted authorities; nil means the system's.
    case unknownAuthority(file: String?)
    /// The server requires a client certificate, and none is configured.
    case wantsCertificate
    /// The server rejected the client certificate in this file.
    case refusesCertificate(file: String)
    /// Client and server share no TLS version or cipher.
    case nothingInCommon
    /// Unencrypted bytes arrived where the handshake must begin.
    case plainBytes
    /// Any other failure, with the library's name for it.
    case other(String)

    /// A message to append to the server's address: the problem and its fix.
    ///
    /// - Parameter option: The option that names the server, such as `--engine`. The certificate options start with it.
    package func words(option: String) -> String {
        switch self {
        case .noTLS:
            "does not speak TLS; check that \(option) names a TLS port"
        case .ended:
            "closed the connection during or right after the TLS handshake; see its log for the reason, and pass a "
                + "client certificate with \(option)-cert if the server verifies clients"
        case .unanswered:
            "ignores the TLS handshake; check whether it is paused or overloaded, and that \(option) names a TLS port"
        case .expired(let end):
            "has a certificate that expired at \(end.iso8601); renew it, and check this machine's clock"
        case .notYetValid(let start):
            "has a certificate that is not valid until \(start.iso8601); check the clocks of both machines"
        case .otherName(let host):
            "has a certificate that is not valid for \(host); use a name from the certificate in \(option), or add "
                + "\(host) to the certificate's alternative names"
        case .unknownAuthority(nil):
            "has a certificate that no authority of this system signed; pass its authority's file with \(option)-ca, "
                + "and rule out a man in the middle"
        case .unknownAuthority(let file?):
            "has a certificate that no authority in \(file) signed; pass the correct file with \(option)-ca, and rule "
                + "out a man in the middle"
        case .wantsCertificate:
            "requires a client certificate; pass one with \(option)-cert, and its key with \(option)-key"
        case .refusesCertificate(let file):
            "rejected the certificate in \(file); pass one with \(option)-cert that the server's authority signed, "
                + "that is valid for clients, and that has not expired"
        case .nothingInCommon:
            "shares no TLS version or cipher with this client; enable TLS 1.2 or 1.3 on the server, and pass a "
                + "certificate with \(option)-cert if it requires one"
        case .plainBytes:
            "sent extra plain text after its greeting, perhaps by a man in the middle; check what listens there"
        case .other(let reason):
            "failed in TLS (\(reason)); see its log"
        }
    }
}

extension TLSFailure {
    /// The period in which a certificate is valid.
    struct ValidDates: Sendable, Hashable {
        var from: Timestamp
        var until: Timestamp
    }

    /// Creates a failure from BoringSSL's name for an error, such as `CERTIFICATE_VERIFY_FAILED`.
    ///
    /// - Parameters:
    ///   - dates: The validity period of the server's certificate, if it was presented.
    ///   - now: The current time.
    init(named name: String, dates: ValidDates?, files: TLSFiles, at now: Timestamp) {
        func has(_ parts: String...) -> Bool { parts.contains { name.contains($0) } }
        if has("CERTIFICATE_VERIFY_FAILED") {
            if let dates, now > dates.until {
                self = .expired(at: dates.until)
            } else if let dates, now < dates.from {
                self = .notYetValid(until: dates.from)
            } else {
                self = .unknownAuthority(file: files.authorities?.path)
            }
        } else if has("CERTIFICATE_REQUIRED", "ALERT_NO_CERTIFICATE")
            || has("ALERT") && has("CERTIFICATE", "UNKNOWN_CA")
        {
            self = files.certificate.map { .refusesCertificate(file: $0.path) } ?? .wantsCertificate
        } else if has("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNEXPECTED_RECORD", "UNKNOWN_PROTOCOL", "BAD_RECORD") {
            self = .noTLS
        } else if has("PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL", "HANDSHAKE_FAILURE", "NO_SHARED", "NO_CIPHER") {
            self = .nothingInCommon
        } else {
            self = .other(name)
        }
    }
}
