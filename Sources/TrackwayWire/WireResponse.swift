// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

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
