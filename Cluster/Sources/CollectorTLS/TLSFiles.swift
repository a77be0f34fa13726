// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The contents of the certificate and key files for TLS.
package struct TLSFiles: Sendable, Hashable {
    /// A PEM file.
    package struct File: Sendable, Hashable {
        /// The path, for messages.
        package var path: String
        /// The contents.
        package var bytes: [UInt8]

        /// Creates a file from its path and contents.
        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// Certificates of the trusted authorities; nil for the system's.
    package var authorities: File?
    /// The client certificate, followed by intermediate certificates; nil for none.
    package var certificate: File?
    /// The private key of ``certificate``.
    package var key: File?

    /// Creates a set of files.
    ///
    /// By default, trusts the system's authorities and has no client certificate.
    package init(authorities: File? = nil, certificate: File? = nil, key: File? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }
}

extension TLSFiles: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The paths only; the contents must not appear in a log.
    package var description: String {
        let paths = [authorities, certificate, key].map { $0?.path ?? "none" }
        return "authorities \(paths[0]), certificate \(paths[1]), key \(paths[2])"
    }

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why files are unusable.
package enum TLSFilesFailure: Error, Sendable, Hashable {
    /// The file has no certificate of an authority.
    case noAuthorities(file: String)
    /// The file has no certificate.
    case noCertificate(file: String)
    /// The file has no key that can be read without a password.
    case noKey(file: String)
    /// The key does not belong to the certificate.
    case otherKey(file: String, certificate: String)
    /// A certificate without a key, or a key without a certificate.
    case half
    /// Rejected by the library, with its name for the reason.
    case other(String)
}
