// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The encoding of a body on the wire.
public enum ContentEncoding: String, Sendable, Hashable {
    /// Not encoded.
    case identity
    /// gzip (RFC 1952).
    case gzip

    /// Reads the encoding from a header; `identity` if the header is missing.
    ///
    /// - Throws: ``AdmissionError`` `unsupported_encoding`.
    public init(header: String?) throws(AdmissionError) {
        switch header?.lowercased() {
        case nil, "", "identity": self = .identity
        case "gzip", "x-gzip": self = .gzip
        case .some(let other):
            throw AdmissionError(
                .unsupported,
                code: .unsupportedEncoding,
                field: "content-encoding",
                message: "The content encoding “\(other.prefix(64))” is not supported; send gzip or none."
            )
        }
    }
}

/// The content types that the collector accepts.
///
/// Lines and arrays are distinguished by the body itself, so the type is only checked.
public enum ContentType {
    /// Checks the sender's content type; a missing one is accepted.
    ///
    /// - Throws: ``AdmissionError`` `unsupported_type`.
    public static func check(_ header: String?) throws(AdmissionError) {
        guard let header else { return }
        let type = header.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard !accepted.contains(type) else { return }
        throw AdmissionError(
            .unsupported,
            code: .unsupportedType,
            field: "content-type",
            message:
                "The content type “\(type.prefix(64))” is not supported; send application/x-ndjson or application/json."
        )
    }

    private static let accepted: Set<String> = [
        "", "application/x-ndjson", "application/ndjson", "application/json", "application/jsonl",
        "application/json-lines", "text/json", "text/plain",
        // The default type of browser beacons and of `curl --data`.
        "application/x-www-form-urlencoded",
    ]
}
