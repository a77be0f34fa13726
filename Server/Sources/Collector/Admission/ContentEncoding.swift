// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How a body is encoded on the wire.
public enum ContentEncoding: String, Sendable, Hashable {
    /// As it is.
    case identity
    /// gzip (RFC 1952).
    case gzip

    /// The encoding a header names; identity when there is no header.
    ///
    /// - Throws: ``AdmissionError`` `unsupported_encoding`.
    public init(header: String?) throws(AdmissionError) {
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

/// Which content types the collector reads. The body itself tells lines from arrays, so the type only has to be honest.
public enum ContentType {
    /// Checks the type a sender names; none at all is fine.
    ///
    /// - Throws: ``AdmissionError`` `unsupported_type`.
    public static func check(_ header: String?) throws(AdmissionError) {
        guard let header else { return }
        let type = header.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard !accepted.contains(type) else { return }
        throw AdmissionError(
            .unsupported,
            code: "unsupported_type",
            field: "content-type",
            message:
                "The content type “\(type.prefix(64))” is not supported; send application/x-ndjson or application/json."
        )
    }

    private static let accepted: Set<String> = [
        "", "application/x-ndjson", "application/ndjson", "application/json", "application/jsonl",
        "application/json-lines", "text/json", "text/plain",
        // What a browser's beacon and `curl --data` send when nobody says otherwise.
        "application/x-www-form-urlencoded",
    ]
}
