// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

/// Sends to a Clickstream Analytics ingestion server, in the format its own clients use.
///
/// The same batch gives the same request, the sending time aside, so that the pipeline recognises events sent twice by their
/// ids. The limits of the format are kept here: what breaks one is left out, and the event says so in `_error_code` and
/// `_error_message`.
public struct ClickstreamDestination: Destination {
    /// Which events carry the attributes of the user.
    public enum UserAttributes: String, Sendable, Hashable, CaseIterable {
        /// Every event carries all of them.
        case everyEvent
        /// `_profile_set` events carry all of them, others the user's id and first touch only: less to send, and less about
        /// people.
        case profileSetOnly
    }

    /// The destination's name in routes, cursors and the ledger.
    public let id: DestinationID
    /// The largest batch: 100 events, and so many bytes that what events have in common usually fits into a request of
    /// ``maximumBodyBytes`` too.
    public let limits = BatchLimits(events: 100, bytes: 384 * 1024)
    /// The app's id in the pipeline.
    public let appID: String
    /// The address events go to, such as `https://example.com/collect`.
    public let endpoint: String
    /// Whether bodies are compressed.
    public let isCompressed: Bool
    /// Which events carry the attributes of the user.
    public let userAttributes: UserAttributes
    private let authCookie: String?
    private let gzip = GzipCompressor(level: 6)

    /// The largest body before compression, in bytes. The server takes no more than a megabyte.
    public static let maximumBodyBytes = 512 * 1024

    /// Makes a destination. Settings that cannot work are reported when a batch is to be sent, and park the destination.
    ///
    /// - Parameters:
    ///   - id: `clickstream` by default; another name for every further one.
    ///   - appID: The app's id in the pipeline.
    ///   - endpoint: The address events go to. A query it has is replaced.
    ///   - isCompressed: Whether bodies are compressed.
    ///   - authCookie: The cookie a load balancer wants to see, as it gave it.
    ///   - userAttributes: Which events carry the attributes of the user.
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

    /// Encodes a batch: a POST of a JSON array, or of its gzipped bytes as base64 text.
    public func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        let address = try address()
        let headers = try headers()
        var encoder = ClickstreamEncoder(batch, appID: appID, allUserAttributes: userAttributes == .everyEvent)
        let platform = encoder.platform()
        let text = encoder.body()
        guard !encoder.isEmpty else {
            throw WireEncodingError(.nothingToSend, "The batch holds no event.", leftOut: encoder.leftOut)
        }
        guard text.count <= Self.maximumBodyBytes else {
            throw WireEncodingError(
                .tooLarge,
                "\(batch.records.count) events are \(text.count) bytes; a request has at most \(Self.maximumBodyBytes)."
            )
        }
        let body = isCompressed ? Base64.encode(gzip.compress(text)) : text
        // The order is the format's own.
        let query = [
            "platform=\(platform.percentEncoded())", "appId=\(appID.percentEncoded())",
            "compression=\(isCompressed ? "gzip" : "")", "event_bundle_sequence_id=\(Self.sequence(of: batch))",
            "upload_timestamp=\(sentAt.milliseconds)", "hashCode=\(SHA256.hash(body).prefix(4).hexadecimal)",
        ]
        return WireRequest(
            url: "\(address)?\(query.joined(separator: "&"))",
            headers: headers,
            body: body,
            leftOut: encoder.leftOut,
            trimmed: encoder.trimmed
        )
    }

    /// The number of a request: greater than that of every earlier one of the installation, over processes too, as long as
    /// nobody sets the clock back; and the same for the same batch. Milliseconds of the last event's time, and behind them the
    /// last three digits of its place. The first one may tell of what an earlier process left untold.
    private static func sequence(of batch: EventBatch) -> Int64 {
        // What is no event has no time; its place alone counts then.
        let time = batch.records.last.flatMap { try? batch.event($0).time.milliseconds }
        // Before 1970, and beyond what fits, nobody records.
        return min(max(0, time ?? 0), .max / 1_000 - 1) * 1_000
            + Int64((batch.records.last?.sequence ?? batch.last) % 1_000)
    }

    /// Judges an answer: a success counts unless somebody else gave it.
    ///
    /// The ingestion server answers a success with status 200 and no body, so nothing in the answer proves that it is the
    /// server's. What can be told apart is what others say: pages for people, redirects, and answers of other hosts.
    public func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        response.verdict(from: endpoint) { response in
            switch response.status {
            case 200..<300: .accepted
            case 400..<500: .rejected(reason: response.statusReason)
            default: .notTheBackEnd(reason: "Status \(response.status) is none.")
            }
        }
    }

    private func address() throws(WireEncodingError) -> String {
        guard let address = HTTPAddress(endpoint) else {
            throw WireEncodingError(
                .misconfigured,
                "\"\(endpoint.prefix(200))\" is no http or https address. Give the endpoint's, such as "
                    + "https://example.com/collect."
            )
        }
        guard !appID.isEmpty else {
            throw WireEncodingError(.misconfigured, "The app id is empty. Give the one the pipeline knows the app by.")
        }
        return address.withoutQuery + (address.path.isEmpty ? "/" : "")
    }

    private func headers() throws(WireEncodingError) -> WireHeaders {
        var headers: WireHeaders = ["content-type": "application/json; charset=utf-8"]
        if let authCookie, !authCookie.isEmpty {
            guard authCookie.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
                throw WireEncodingError(.misconfigured, "The cookie holds characters a header cannot.")
            }
            headers["cookie"] = authCookie
        }
        return headers
    }

    /// The events of a batch as JSON, as they are sent; nil when none can be.
    package func eventJSON(of batch: EventBatch) -> String? {
        var encoder = ClickstreamEncoder(batch, appID: appID, allUserAttributes: userAttributes == .everyEvent)
        let array = encoder.body()
        guard !encoder.isEmpty else { return nil }
        return String(decoding: array.dropFirst().dropLast(), as: UTF8.self)
    }
}
