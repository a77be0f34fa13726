// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Sends to a Trackway collector, in our own format.
public struct CollectorDestination: Destination {
    /// The destination's name in routes, cursors and the ledger.
    public let id: DestinationID
    /// The largest batch; the collector takes batches of this size by default.
    public let limits: BatchLimits
    /// The collector's address, such as `https://events.example.com`.
    public let url: String
    /// What events must have become at the collector before they are let go here.
    public let accepted: Set<CollectorDurability>
    /// Whether bodies are compressed with gzip.
    public let isCompressed: Bool
    private let writeKey: String
    /// Small batches mean few events: trying hard costs little then, and gains a fifth of the bytes. Measured per event of
    /// 390 bytes: 30 a batch, 66 bytes and 3.4 µs at level 6 (74 and 2.1 at level 3); 1,000 a batch, 55 bytes and 1.9 µs at
    /// level 3 (48 and 4.2 at level 6).
    private let thorough = GzipCompressor(level: 6)
    private let quick = GzipCompressor(level: 3)
    private static let thoroughBytes = 64 * 1024

    /// Makes a destination. Settings that cannot work are reported when a batch is to be sent, and park the destination.
    ///
    /// - Parameters:
    ///   - id: `collector` by default; another name for every further collector.
    ///   - url: The collector's address, `http` or `https`, with or without a path.
    ///   - writeKey: The key that allows writing.
    ///   - limits: The largest batch.
    ///   - accepted: What events must have become at the collector before they are let go here. An answer that says anything else
    ///     lets nothing go: the batch is sent again, and the collector knows its events by their ids.
    ///   - isCompressed: Whether bodies are compressed with gzip. Set it to false if a proxy in front of the collector refuses them.
    public init(
        id: DestinationID = "collector",
        url: String,
        writeKey: String,
        limits: BatchLimits = BatchLimits(),
        accepting accepted: Set<CollectorDurability> = .usual,
        isCompressed: Bool = true
    ) {
        self.id = id
        self.limits = limits
        self.accepted = accepted
        self.isCompressed = isCompressed
        self.url = url
        self.writeKey = writeKey
    }

    /// Encodes a batch: a POST of lines of JSON, compressed with gzip unless the destination is set not to.
    public func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        guard let endpoint = HTTPAddress(url)?.appending(CollectorFormat.path) else {
            throw WireEncodingError(
                .misconfigured,
                "\"\(url.prefix(200))\" is no http or https address. Give the collector's, such as https://events.example.com."
            )
        }
        guard !writeKey.isEmpty, writeKey.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw WireEncodingError(.misconfigured, "The write key is empty or holds characters a header cannot.")
        }
        guard !accepted.isEmpty else {
            throw WireEncodingError(
                .misconfigured,
                "The destination accepts no durability at all, so no answer could let an event go. Name at least disk and replicated."
            )
        }
        var writer = JSONWriter()
        CollectorFormat.write(batch, sentAt: sentAt, into: &writer)
        var headers: WireHeaders = [
            "content-type": CollectorFormat.contentType,
            "accept": "application/json",
            "authorization": "Bearer \(writeKey)",
            "user-agent": CollectorFormat.sdk,
            CollectorFormat.batchField: CollectorFormat.id(of: batch),
        ]
        guard isCompressed else { return WireRequest(url: endpoint, headers: headers, body: writer.array()) }
        headers["content-encoding"] = "gzip"
        let body = (writer.count <= Self.thoroughBytes ? thorough : quick).compress(writer.bytes)
        return WireRequest(url: endpoint, headers: headers, body: body)
    }

    /// Judges an answer; `CollectorJudge` holds the rules.
    public func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        if let answering = response.url.flatMap(HTTPAddress.init), answering.authority != HTTPAddress(url)?.authority {
            return .notTheBackEnd(reason: "Another host answered: \(answering.authority).")
        }
        return CollectorJudge.verdict(on: response, events: batch.records.count, accepting: accepted)
    }
}
