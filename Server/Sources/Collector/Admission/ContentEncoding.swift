// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How a body is encoded on the wire.
package enum ContentEncoding: String, Sendable, Hashable {
    /// As it is.
    case identity
    /// gzip (RFC 1952).
    case gzip

    /// The encoding a header names; identity when there is no header.
    ///
    /// - Throws: ``AdmissionError`` `unsupported_encoding`.
    package init(header: String?) throws(AdmissionError) {
        switch header?.lowercased() {
        case nil, "", "identity": self = .identity
        case "gzip", "x-gzip": self = .gzip
        case .some(let other):
            throw AdmissionError(
                .unsupported,
                code: "unsupported_encoding",
                field: "content-encoding",
                message: "The content encoding “\(other.prefix(64))” is not supported; send gzip or none."
            )
        }
    }
}
