// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Why a connection could not be encrypted, or not with somebody who can be trusted.
package enum TLSFailure: Error, Sendable, Hashable {
    /// What the other side sent is not TLS.
    case noTLS
    /// The other side closed the connection before it was encrypted, or at once behind that.
    case ended
    /// The other side says nothing in the handshake.
    case unanswered
    /// The certificate is no longer valid.
    case expired(at: Timestamp)
    /// The certificate is not valid yet.
    case notYetValid(until: Timestamp)
    /// The certificate is for somebody else than this host.
    case otherName(host: String)
    /// No authority that is trusted signed the certificate; nil for those of the system, otherwise the file of authorities.
    case unknownAuthority(file: String?)
    /// The other side wants a certificate, and none was given.
    case wantsCertificate
    /// The other side refuses the certificate in this file.
    case refusesCertificate(file: String)
    /// There is no version or no cipher that both sides have.
    case nothingInCommon
    /// There were unencrypted bytes where the handshake has to begin.
    case plainBytes
    /// Something else, as the library names it.
    case other(String)

    /// Half a sentence that goes behind the server's address: what is wrong, and what helps.
    ///
    /// - Parameter option: The option that names the server, such as `--engine`. Those of certificates begin with it.
    package func words(option: String) -> String {
        switch self {
        case .noTLS:
            "does not answer in TLS; see whether \(option) names a port of TLS"
        case .ended:
            "closed the connection in the TLS handshake, or at once behind it; see in its log why, and name a certificate with "
                + "\(option)-cert if it verifies its clients"
        case .unanswered:
            "does not answer the TLS handshake; see whether it is paused or overloaded, and whether \(option) names a port of TLS"
        case .expired(let end):
            "has a certificate that was valid until \(end.iso8601); renew it, and see whether the clock of this machine is right"
        case .notYetValid(let start):
            "has a certificate that is valid from \(start.iso8601) on; see whether the clocks of both machines are right"
        case .otherName(let host):
            "has a certificate that is not for \(host); name the server behind \(option) as its certificate does, or add \(host) to the "
                + "certificate's alternative names"
        case .unknownAuthority(nil):
            "has a certificate that no authority of this system signed; name the file of its authority with \(option)-ca, and see that nobody "
                + "stands in between"
        case .unknownAuthority(let file?):
            "has a certificate that no authority in \(file) signed; name the right file with \(option)-ca, and see that nobody stands in "
                + "between"
        case .wantsCertificate:
            "wants a certificate of its clients; name one with \(option)-cert, and its key with \(option)-key"
        case .refusesCertificate(let file):
            "refuses the certificate in \(file); name one behind \(option)-cert that its authority signed, for clients, and that has not "
                + "expired"
        case .nothingInCommon:
            "has no version of TLS, or no cipher, in common with this side; let it offer TLS 1.2 or 1.3, and name a certificate with \(option)-cert "
                + "if it wants one"
        case .plainBytes:
            "sent more than its greeting before the TLS handshake, so somebody may stand in between; see what listens there"
        case .other(let reason):
            "cannot be spoken to in TLS (\(reason)); see its log"
        }
    }
}

extension TLSFailure {
    /// When a certificate is valid.
    struct ValidDates: Sendable, Hashable {
        var from: Timestamp
        var until: Timestamp
    }

    /// What an error means that BoringSSL calls so, such as `CERTIFICATE_VERIFY_FAILED`.
    ///
    /// - Parameters:
    ///   - dates: When the other side's certificate is valid, as far as it was shown.
    ///   - now: The time.
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
