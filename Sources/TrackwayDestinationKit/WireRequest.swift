// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// An HTTP request for a transport to send.
public struct WireRequest: Sendable, Hashable {
    /// The HTTP method, in uppercase.
    public var method: String
    /// The absolute address.
    public var url: String
    /// Header fields.
    ///
    /// A transport adds only the fields that the protocol requires (host, content length).
    public var headers: WireHeaders
    /// The body exactly as sent, including compression.
    public var body: [UInt8]
    /// Records of the batch that the format cannot express, with reasons.
    ///
    /// The request does not contain these records. They become dead letters of the destination when the rest of the
    /// batch is settled.
    public var omitted: [Rejection]
    /// The records that the request contains only partially, with reasons.
    ///
    /// The format or its back end does not accept some of their attributes, items, or parts of strings. The records
    /// themselves are sent.
    public var trimmed: [Rejection]

    /// Creates a request.
    public init(
        method: String = "POST",
        url: String,
        headers: WireHeaders = [:],
        body: [UInt8] = [],
        omitted: [Rejection] = [],
        trimmed: [Rejection] = []
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.omitted = omitted
        self.trimmed = trimmed
    }
}

/// The response to a `WireRequest`, from the back end or an intermediary.
public struct WireResponse: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// Header fields, looked up case-insensitively.
    public var headers: WireHeaders
    /// The body after the transport removed any content encoding.
    ///
    /// A transport may truncate the body at its own limit.
    public var body: [UInt8]
    /// The address that responded, if the transport knows it.
    ///
    /// This address differs from the request's address only after a redirect.
    public var url: String?
    /// The time at which the response arrived, by the device's wall clock.
    ///
    /// Used only if a response contains a date but not its own `Date`.
    public var receivedAt: Timestamp?

    /// Creates a response.
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
