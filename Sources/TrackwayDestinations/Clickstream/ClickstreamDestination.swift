// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDestinationKit

/// A destination that sends events to a Clickstream Analytics ingestion server.
///
/// It uses the format of Clickstream's own clients. Apart from the sending time, the same batch always results in the
/// same request. Events keep their ids, so the pipeline recognizes duplicates. Parts that exceed a limit of the format
/// are left out; the event reports this in `_error_code` and `_error_message`.
public struct ClickstreamDestination: Destination {
    /// The events that contain the attributes of the user.
    public enum UserAttributes: String, Sendable, Hashable, CaseIterable {
        /// Every event contains all user attributes.
        case everyEvent
        /// Only `_profile_set` events contain all user attributes.
        ///
        /// Other events contain only the user's id and first touch.
        ///
        /// This reduces the amount of data sent, and the amount of personal data in it.
        case profileSetOnly
    }

    /// The destination's id in routes, cursors and the ledger.
    public let id: DestinationID
    /// The maximum size of a batch: 100 events and 384 KiB.
    ///
    /// The request for such a batch, including the data that its events share, usually fits within
    /// ``maximumBodyBytes``.
    public let limits = BatchLimits(events: 100, bytes: 384 * 1024)
    /// The app's id in the pipeline.
    public let appID: String
    /// The address to which events are sent, such as `https://example.com/collect`.
    public let endpoint: String
    /// Whether bodies are compressed.
    public let isCompressed: Bool
    /// The events that contain the attributes of the user.
    public let userAttributes: UserAttributes
    private let authCookie: String?
    private let gzip = GzipCompressor(level: 6)

    /// The maximum size of a body before compression, in bytes.
    ///
    /// The server accepts at most one megabyte.
    public static let maximumBodyBytes = 512 * 1024

    /// Creates a destination.
    ///
    /// Invalid settings are reported when a batch is about to be sent, and suspend the destination.
    ///
    /// - Parameters:
    ///   - id: `clickstream` by default; use a different id for each additional destination.
    ///   - appID: The app's id in the pipeline.
    ///   - endpoint: The address to which events are sent. Its query, if any, is replaced.
    ///   - isCompressed: Whether bodies are compressed.
    ///   - authCookie: The cookie that a load balancer requires, exactly as the load balancer issued it.
    ///   - userAttributes: The events that contain the attributes of the user.
    public init(
        id: DestinationID = "clickstream",
        appID: String,
        endpoint: String,
        isCompressed: Bool = true,
        authCookie: String? = nil,
        userAttributes: UserAttributes = .everyEvent
    ) {
        self.id = id
        self.appID = appID
        self.endpoint = endpoint
        self.isCompressed = isCompressed
        self.authCookie = authCookie
        self.userAttributes = userAttributes
    }

    /// Encodes a batch as a POST request with a JSON array.
    ///
    /// A compressed body is the gzipped array as Base64 text.
    public func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        let address = try address()
        let headers = try headers()
        var encoder = ClickstreamEncoder(batch, appID: appID, allUserAttributes: userAttributes == .everyEvent)
        let platform = encoder.platform()
        let text = encoder.body()
        guard !encoder.isEmpty else {
            throw WireEncodingError(.nothingToSend, "No event in the batch can be sent.", omitted: encoder.omitted)
        }
        guard text.count <= Self.maximumBodyBytes else {
            throw WireEncodingError(
                .tooLarge,
                "\(batch.records.count) events take up \(text.count) bytes; the maximum is \(Self.maximumBodyBytes)."
            )
        }
        let body = isCompressed ? Base64.encode(gzip.compress(text)) : text
        // The format defines the order of the query items.
        let query = [
            "platform=\(platform.percentEncoded())", "appId=\(appID.percentEncoded())",
            "compression=\(isCompressed ? "gzip" : "")", "event_bundle_sequence_id=\(Self.sequence(of: batch))",
            "upload_timestamp=\(sentAt.milliseconds)", "hashCode=\(SHA256.hash(body).prefix(4).hexadecimal)",
        ]
        return WireRequest(
            url: "\(address)?\(query.joined(separator: "&"))",
            headers: headers,
            body: body,
            omitted: encoder.omitted,
            trimmed: encoder.trimmed
        )
    }

    /// Returns the sequence number of a batch's request.
    ///
    /// The same batch always has the same number.
    ///
    /// The number is greater than those of all earlier requests of the installation, including requests of other
    /// processes, unless the clock is set back. It consists of the time of the last event in milliseconds, followed by
    /// the last three digits of its sequence number. The first event is not used, because it may be one that an earlier
    /// process could not record.
    private static func sequence(of batch: EventBatch) -> Int64 {
        // An unreadable record has no time; its sequence number alone is used.
        let time = batch.records.last.flatMap { try? batch.event($0).time.milliseconds }
        // Times before 1970, and times that do not fit, are clamped.
        return min(max(0, time ?? 0), .max / 1_000 - 1) * 1_000
            + Int64((batch.records.last?.sequence ?? batch.last) % 1_000)
    }

    /// Returns the verdict on a response.
    ///
    /// On success, the ingestion server responds with status 200 and no body, so nothing in the response proves that
    /// the server sent it. Status 200 counts as accepted unless the response is recognizably from elsewhere: a web
    /// page, a redirect, or a response from another host.
    public func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        response.verdict(from: endpoint) { response in
            switch response.status {
            case 200..<300: .accepted
            case 400..<500: .rejected(reason: response.statusReason)
            default: .unrecognizedResponse(reason: "Status \(response.status) is not a valid status.")
            }
        }
    }

    private func address() throws(WireEncodingError) -> String {
        guard let address = HTTPAddress(endpoint) else {
            throw WireEncodingError(
                .misconfigured,
                "\"\(endpoint.prefix(200))\" is not an http or https address. Set the endpoint, such as "
                    + "https://example.com/collect."
            )
        }
        guard !appID.isEmpty else {
            throw WireEncodingError(.misconfigured, "The app id is empty. Set the app's id in the pipeline.")
        }
        return address.withoutQuery + (address.path.isEmpty ? "/" : "")
    }

    private func headers() throws(WireEncodingError) -> WireHeaders {
        var headers: WireHeaders = ["content-type": "application/json; charset=utf-8"]
        if let authCookie, !authCookie.isEmpty {
            guard authCookie.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
                throw WireEncodingError(.misconfigured, "The cookie contains characters not allowed in a header.")
            }
            headers["cookie"] = authCookie
        }
        return headers
    }

    /// Returns the JSON of a batch's events as they are sent.
    ///
    /// Nil if none can be sent.
    package func eventJSON(of batch: EventBatch) -> String? {
        var encoder = ClickstreamEncoder(batch, appID: appID, allUserAttributes: userAttributes == .everyEvent)
        let array = encoder.body()
        guard !encoder.isEmpty else { return nil }
        return String(decoding: array.dropFirst().dropLast(), as: UTF8.self)
    }
}
