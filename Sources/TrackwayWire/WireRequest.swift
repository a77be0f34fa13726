// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One HTTP request as a destination wants it sent: a value, not yet a connection.
public struct WireRequest: Sendable, Hashable {
    /// The HTTP method, upper-case.
    public var method: String
    /// The absolute address.
    public var url: String
    /// Header fields; a transport adds only what the protocol needs (host, content length).
    public var headers: WireHeaders
    /// The body exactly as it goes over the wire, compression included.
    public var body: [UInt8]
    /// Records of the batch that this request does not carry because the format cannot express them, and why. They are
    /// a dead letter for this destination once the rest of the batch is settled.
    public var leftOut: [Rejection]
    /// What this request carries less of than was recorded: attributes, items or parts of texts that the format or its
    /// back-end would not take, each with the record they belong to. The records themselves travel.
    public var trimmed: [Rejection]

    /// Makes a request.
    public init(
        method: String = "POST",
        url: String,
        headers: WireHeaders = [:],
        body: [UInt8] = [],
        leftOut: [Rejection] = [],
        trimmed: [Rejection] = []
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.leftOut = leftOut
        self.trimmed = trimmed
    }
}
