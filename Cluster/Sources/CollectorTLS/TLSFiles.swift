// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a connection is encrypted with, as files hold it.
package struct TLSFiles: Sendable, Hashable {
    /// A file in the format PEM.
    package struct File: Sendable, Hashable {
        /// Where it is, for sentences about it.
        package var path: String
        /// What it holds.
        package var bytes: [UInt8]

        /// A file that was read.
        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// Certificates of the authorities that are trusted; nil for those that the system trusts.
    package var authorities: File?
    /// This side's certificate, and those between it and its authority; nil for none.
    package var certificate: File?
    /// The key of ``certificate``.
    package var key: File?

    /// The files; without any, what the system trusts, and no certificate.
    package init(authorities: File? = nil, certificate: File? = nil, key: File? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }
}

extension TLSFiles: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where the files are. What is in them has no business in a log.
    package var description: String {
        let paths = [authorities, certificate, key].map { $0?.path ?? "none" }
        return "authorities \(paths[0]), certificate \(paths[1]), key \(paths[2])"
    }

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why files cannot be used.
package enum TLSFilesFailure: Error, Sendable, Hashable {
    /// There is no certificate of authorities in the file.
    case noAuthorities(file: String)
    /// There is no certificate in the file.
    case noCertificate(file: String)
    /// There is no key in the file that can be read without a password.
    case noKey(file: String)
    /// The key belongs to another certificate.
    case otherKey(file: String, certificate: String)
    /// There is a certificate without a key, or a key without a certificate.
    case half
    /// The library refuses all of it, for a reason as it names it.
    case other(String)
}
