// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The contents of the certificate and key files for TLS.
package struct TLSFiles: Sendable, Hashable {
    /// A PEM file.
    package struct File: Sendable, Hashable {
        /// The path, for use in messages.
        package var path: String
        /// The contents.
        package var bytes: [UInt8]

        /// Creates a file from its path and contents.
        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// The certificates of trusted authorities; nil for the system's authorities.
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
    /// The paths only, because the contents must not appear in logs.
    package var description: String {
        let paths = [authorities, certificate, key].map { $0?.path ?? "none" }
        return "authorities \(paths[0]), certificate \(paths[1]), key \(paths[2])"
    }

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why TLS files are unusable.
package enum TLSFilesFailure: Error, Sendable, Hashable {
    /// The file contains no CA certificate.
    case noAuthorities(file: String)
    /// The file has no certificate.
    case noCertificate(file: String)
    /// The file has no key that can be read without a password.
    case noKey(file: String)
    /// The key does not belong to the certificate.
    case keyMismatch(file: String, certificate: String)
    /// Either the certificate or its key is missing.
    case incompleteKeyPair
    /// The library rejected the files. Carries the library's name for the reason.
    case other(String)
}
