// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Why a connection is not encrypted or its server is not trusted.
package enum TLSFailure: Error, Sendable, Hashable {
    /// The server's reply is not TLS.
    case notTLS
    /// The server closed the connection during the handshake or immediately after it.
    case closedDuringHandshake
    /// The server did not answer the handshake.
    case handshakeTimeout
    /// The server's certificate has expired.
    case expired(at: Timestamp)
    /// The server's certificate is not yet valid.
    case notYetValid(until: Timestamp)
    /// The server's certificate is not valid for this host.
    case hostMismatch(host: String)
    /// No trusted authority signed the certificate.
    ///
    /// The file lists the trusted authorities; nil for the system's authorities.
    case unknownAuthority(file: String?)
    /// The server requires a client certificate, and none is configured.
    case certificateRequired
    /// The server rejected the client certificate in this file.
    case certificateRejected(file: String)
    /// The client and server share no TLS version or cipher.
    case noSharedProtocol
    /// Unencrypted bytes arrived where the handshake must begin.
    case unencryptedData
    /// Any other failure. Carries the library's name for it.
    case other(String)

    /// Returns the problem and its fix, to append to the server's address.
    ///
    /// - Parameter option: The option that names the server, such as `--nats`. The names of the certificate options
    ///   start with this option's name.
    package func message(option: String) -> String {
        switch self {
        case .notTLS:
            "does not speak TLS; check that \(option) names a TLS port"
        case .closedDuringHandshake:
            "closed the connection during or right after the TLS handshake; see its log for the reason, and pass a "
                + "client certificate with \(option)-cert if the server verifies clients"
        case .handshakeTimeout:
            "does not respond to the TLS handshake; check whether it is paused or overloaded, and that \(option) names "
                + "a TLS port"
        case .expired(let end):
            "has a certificate that expired at \(end.iso8601); renew it, and check this machine's clock"
        case .notYetValid(let start):
            "has a certificate that is not valid until \(start.iso8601); check the clocks of both machines"
        case .hostMismatch(let host):
            "has a certificate that is not valid for \(host); use a name from the certificate in \(option), or add "
                + "\(host) to the certificate's alternative names"
        case .unknownAuthority(nil):
            "has a certificate that is not signed by an authority that this system trusts; pass the signing "
                + "authority's certificate with \(option)-ca, and rule out a man-in-the-middle attack"
        case .unknownAuthority(let file?):
            "has a certificate that is not signed by an authority in \(file); pass the correct file with \(option)-ca, "
                + "and rule out a man-in-the-middle attack"
        case .certificateRequired:
            "requires a client certificate; pass one with \(option)-cert, and its key with \(option)-key"
        case .certificateRejected(let file):
            "rejected the certificate in \(file); pass one with \(option)-cert that the server's authority signed, "
                + "that is valid for clients, and that has not expired"
        case .noSharedProtocol:
            "shares no TLS version or cipher with this client; enable TLS 1.2 or 1.3 on the server, and pass a "
                + "certificate with \(option)-cert if it requires one"
        case .unencryptedData:
            "sent extra plain text after its greeting, which may be a man-in-the-middle attack; check what is "
                + "listening there"
        case .other(let reason):
            "caused a TLS error (\(reason)); see its log"
        }
    }
}

extension TLSFailure {
    /// The period in which a certificate is valid.
    struct ValidityPeriod: Sendable, Hashable {
        var from: Timestamp
        var until: Timestamp
    }

    /// Creates a failure from BoringSSL's name for an error, such as `CERTIFICATE_VERIFY_FAILED`.
    ///
    /// - Parameters:
    ///   - validity: The validity period of the server's certificate; nil if none was presented.
    ///   - now: The current time.
    init(named name: String, validity: ValidityPeriod?, files: TLSFiles, at now: Timestamp) {
        func has(_ parts: String...) -> Bool { parts.contains { name.contains($0) } }
        if has("CERTIFICATE_VERIFY_FAILED") {
            if let validity, now > validity.until {
                self = .expired(at: validity.until)
            } else if let validity, now < validity.from {
                self = .notYetValid(until: validity.from)
            } else {
                self = .unknownAuthority(file: files.authorities?.path)
            }
        } else if has("CERTIFICATE_REQUIRED", "ALERT_NO_CERTIFICATE")
            || has("ALERT") && has("CERTIFICATE", "UNKNOWN_CA")
        {
            self = files.certificate.map { .certificateRejected(file: $0.path) } ?? .certificateRequired
        } else if has("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNEXPECTED_RECORD", "UNKNOWN_PROTOCOL", "BAD_RECORD") {
            self = .notTLS
        } else if has("PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL", "HANDSHAKE_FAILURE", "NO_SHARED", "NO_CIPHER") {
            self = .noSharedProtocol
        } else {
            self = .other(name)
        }
    }
}
