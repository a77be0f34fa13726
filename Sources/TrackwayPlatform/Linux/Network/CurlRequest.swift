// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayWire

/// Takes the body of a good answer as it comes. Called on the network's thread, one call at a time.
final class CurlSink: Sendable, Hashable {
    /// The answer's head has arrived, and it is a 200.
    let opened: @Sendable () -> Void
    /// More bytes of its body.
    let piece: @Sendable ([UInt8]) -> Void

    init(opened: @escaping @Sendable () -> Void, piece: @escaping @Sendable ([UInt8]) -> Void) {
        self.opened = opened
        self.piece = piece
    }

    static func == (left: CurlSink, right: CurlSink) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A request in the form in which libcurl takes it: checked, with header lines that say no more than what was asked for.
struct CurlRequest: Sendable, Hashable {
    let method: String
    let url: String
    /// Whether the address is an `https` one.
    let isSecure: Bool
    /// `Name: value`, or `Name:` for a field that libcurl would otherwise add by itself.
    let headerLines: [String]
    let body: [UInt8]
    /// Takes the body of a 200 piece by piece, in place of the answer; nil for an answer that comes as a whole.
    var sink: CurlSink?

    /// Checks a request.
    ///
    /// - Throws: `TransportError` with `invalidRequest` for an address that is neither http nor https, and for a method or
    ///   field that would break the request's head; it names what is wrong.
    init(_ request: WireRequest) throws(TransportError) {
        let lower = request.url.lowercased()
        let scheme = ["http://", "https://"].first { lower.hasPrefix($0) }
        let host = request.url.utf8.dropFirst(scheme?.utf8.count ?? 0).first
        guard let scheme, let host, !"/?#:".utf8.contains(host),
            request.url.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw TransportError(.invalidRequest, "\"\(request.url)\" is no http or https address")
        }
        guard Self.isToken(request.method) else {
            throw TransportError(.invalidRequest, "\"\(request.method)\" is no method of HTTP")
        }
        method = request.method
        url = request.url
        isSecure = scheme == "https://"
        body = request.body
        headerLines = try Self.lines(for: request.headers)
    }

    /// What the body's length and the connection need is the library's to say.
    private static let ownFields: Set<String> = ["content-length", "transfer-encoding", "expect", "connection"]

    private static func lines(for headers: WireHeaders) throws(TransportError) -> [String] {
        var lines: [String] = []
        for field in headers where !ownFields.contains(field.name.lowercased()) {
            // A tab may stand in a value; any other control character would end the field, or the head.
            guard isToken(field.name), field.value.utf8.allSatisfy({ $0 == 9 || ($0 >= 0x20 && $0 != 0x7f) }) else {
                throw TransportError(
                    .invalidRequest,
                    "the header field \"\(field.name)\" holds what no header field can"
                )
            }
            // The library's way to say a field whose value is empty.
            lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        // Waiting for leave to send a body costs a second with each server that does not know the question.
        lines.append("Expect:")
        if headers["content-type"] == nil { lines.append("Content-Type:") }
        // Some gateways turn away whoever does not say a name.
        if headers["user-agent"] == nil { lines.append("User-Agent: Trackway") }
        return lines
    }

    /// Whether the text is what HTTP calls a token (RFC 9110, 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte >= 0x41
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}
#endif
