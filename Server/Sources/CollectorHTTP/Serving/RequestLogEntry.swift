// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayCore
internal import TrackwayDestinationKit

/// A line of the request log.
///
/// The line identifies no person: it has the route's pattern instead of the path, no query, no header, and the client's
/// address only as far as events are stored with it.
struct RequestLogEntry: Sendable, Hashable {
    /// The time at which the request's headers had arrived.
    var time: Timestamp
    var method: String
    /// The pattern of the path, such as `/v1/users/{id}`; nil if nothing is at the path.
    var route: String?
    var status: Int
    /// The code of the error; nil for a successful request.
    var code: String?
    /// The declared length of the request's body; nil if unknown.
    var receivedBytes: Int?
    /// The length of the response's body; nil for a stream.
    var sentBytes: Int?
    /// The time until the response was prepared.
    ///
    /// Includes the arrival of the request's body, but not the transmission of the response's body.
    var duration: Duration
    /// The name of the key; nil if the key is missing or unknown.
    var key: String?
    /// The client's address as the address policy allows; nil for none.
    var address: String?

    /// Returns the line without a line feed: a JSON object whose unknown members are null.
    ///
    /// The member `address` is omitted if there is no address.
    func json() -> [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("time", time.iso8601)
            writer.member("method", method)
            writer.member("route", route)
            writer.member("status", Int64(status))
            writer.member("code", code)
            Self.write("received_bytes", receivedBytes, to: &writer)
            Self.write("sent_bytes", sentBytes, to: &writer)
            writer.member("duration_us", Self.microseconds(duration))
            writer.member("key", key)
            if let address { writer.member("address", address) }
            writer.endObject()
            return Array(writer.bytes)
        }
    }

    private static func microseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }

    private static func write(_ name: String, _ value: Int?, to writer: inout JSONWriter) {
        writer.key(name)
        if let value { writer.integer(Int64(value)) } else { writer.null() }
    }
}

extension RequestLogEntry {
    /// The methods that are logged by name.
    ///
    /// A client chooses the text of any other method.
    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .delete, .options, .patch]

    /// Describes a request that arrived at `time`, and its response, with a duration of zero.
    init(
        _ request: Request,
        from origin: RequestOrigin,
        _ match: RouteMatch?,
        _ response: Response,
        _ code: String?,
        at time: Timestamp,
        _ dependencies: CollectorDependencies
    ) {
        self.time = time
        method = Self.methods.contains(request.method) ? request.method.rawValue : "other"
        if case .endpoint(let endpoint, _)? = match { route = endpoint.route }
        status = response.status.code
        self.code = code
        receivedBytes = request.headers[.contentLength].flatMap { Int($0) }
        sentBytes = response.body.contentLength
        duration = .zero
        key = dependencies.authorization.identify(header: request.headers[.authorization]).grant?.name
        address = dependencies.configuration.clientAddresses.stored(origin.sender)
    }
}
