// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

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

/// What came back for a `WireRequest`: from the back-end, or from something between it and us.
public struct WireResponse: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// Header fields, looked up without regard to case.
    public var headers: WireHeaders
    /// The body after the transport undid any content encoding; a transport cuts it at a bound of its own.
    public var body: [UInt8]
    /// The address that answered, when the transport knows it; differs from the request's only if something redirected.
    public var url: String?
    /// When the answer arrived on the device's wall clock; used only where an answer names a date without naming its own.
    public var receivedAt: Timestamp?

    /// Makes an answer.
    public init(
        status: Int,
        headers: WireHeaders = [:],
        body: [UInt8] = [],
        url: String? = nil,
        receivedAt: Timestamp? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
        self.receivedAt = receivedAt
    }
}
