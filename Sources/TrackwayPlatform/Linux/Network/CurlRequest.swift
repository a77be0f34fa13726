// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayDestinationKit

/// Receives the body of a 200 response as it arrives.
///
/// The closures are called on the network thread, one call at a time.
final class CurlSink: Sendable, Hashable {
    /// Called when the header section of a 200 response has arrived.
    let opened: @Sendable () -> Void
    /// Called with each chunk of the body.
    let piece: @Sendable ([UInt8]) -> Void

    init(opened: @escaping @Sendable () -> Void, piece: @escaping @Sendable ([UInt8]) -> Void) {
        self.opened = opened
        self.piece = piece
    }

    static func == (left: CurlSink, right: CurlSink) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A validated request in libcurl's format.
///
/// The header lines suppress the fields that libcurl would otherwise add.
struct CurlRequest: Sendable, Equatable {
    let method: String
    let url: String
    /// Whether the URL has the scheme `https`.
    let isSecure: Bool
    /// Lines of the form `Name: value` for libcurl.
    ///
    /// `Name:` suppresses a field that libcurl would otherwise add.
    let headerLines: [String]
    let body: [UInt8]
    /// Receives the body of a 200 response in chunks.
    ///
    /// If nil, the response is returned as a whole.
    var sink: CurlSink?

    /// Validates a request.
    ///
    /// - Throws: `TransportError` with `invalidRequest` for a URL that is neither http nor https, and for a method or
    ///   field that would corrupt the header section. The error names the invalid part.
    init(_ request: WireRequest) throws(TransportError) {
        let lower = request.url.lowercased()
        let scheme = ["http://", "https://"].first { lower.hasPrefix($0) }
        let host = request.url.utf8.dropFirst(scheme?.utf8.count ?? 0).first
        guard let scheme, let host, !"/?#:".utf8.contains(host),
            request.url.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw TransportError(.invalidRequest, "\"\(request.url)\" is not an http or https URL")
        }
        guard Self.isToken(request.method) else {
            throw TransportError(.invalidRequest, "\"\(request.method)\" is not an HTTP method")
        }
        method = request.method
        url = request.url
        isSecure = scheme == "https://"
        body = request.body
        headerLines = try Self.lines(for: request.headers)
    }

    /// Fields that libcurl sets.
    ///
    /// Their values depend on the body's length and the connection.
    private static let ownFields: Set<String> = ["content-length", "transfer-encoding", "expect", "connection"]

    private static func lines(for headers: WireHeaders) throws(TransportError) -> [String] {
        var lines: [String] = []
        for field in headers where !ownFields.contains(field.name.lowercased()) {
            // A value may contain a tab. Any other control character would end the field or the header section.
            guard isToken(field.name), field.value.utf8.allSatisfy({ $0 == 9 || ($0 >= 0x20 && $0 != 0x7f) }) else {
                throw TransportError(
                    .invalidRequest,
                    "the header field \"\(field.name)\" contains characters that HTTP does not allow"
                )
            }
            // libcurl's syntax for a field with an empty value.
            lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        // Waiting for "100 Continue" delays each request by a second on servers that do not support it.
        lines.append("Expect:")
        if headers["content-type"] == nil { lines.append("Content-Type:") }
        // Some gateways reject requests without a user agent.
        if headers["user-agent"] == nil { lines.append("User-Agent: Trackway") }
        return lines
    }

    /// Whether the text is an HTTP token (RFC 9110, 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte >= 0x41
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}
#endif
