// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDestinationKit

/// A destination that sends events to a Sensors Analytics back end.
///
/// It uses the vendor's format: a form with a checksum and gzipped records. Captured events are translated
/// (`_app_start` becomes `$AppStart` and so on); all others keep their names. Data that the format cannot express is
/// left out of a record and reported: items, objects, and reserved keys. The format's encryption of bodies is not
/// supported.
public struct SensorsAnalyticsDestination: Destination {
    /// The destination's id in routes, cursors and the ledger.
    public let id: DestinationID
    /// The back end's address with project and token: `https://host/sa?project=production`.
    public let serverURL: String
    /// The options.
    public let options: SensorsAnalyticsOptions
    private let compressor = GzipCompressor(level: 6)

    /// The maximum number of events per request, as in the format's clients.
    public static let eventsPerRequest = 50

    /// Creates a destination.
    ///
    /// Invalid settings are reported when a batch is to be sent, and suspend the destination.
    ///
    /// - Parameters:
    ///   - id: `sensors-analytics` by default; use a different id for each additional destination.
    ///   - serverURL: The back end's address, with its query.
    ///   - options: The options.
    public init(
        id: DestinationID = "sensors-analytics",
        serverURL: String,
        options: SensorsAnalyticsOptions = SensorsAnalyticsOptions()
    ) {
        self.id = id
        self.serverURL = serverURL
        self.options = options
    }

    /// The limits of a batch: fifty events, or one in debug mode.
    public var limits: BatchLimits {
        BatchLimits(events: options.debugMode == .off ? Self.eventsPerRequest : 1)
    }

    /// Returns the number of leading events recorded in the same mode.
    ///
    /// Events recorded in debug mode are sent to `debug` individually; events recorded otherwise are sent to the upload
    /// address, regardless of the mode at the time of sending.
    public func maximumEventsPerRequest(for batch: EventBatch) -> Int {
        SensorsAnalyticsModes(batch, of: id, defaultMode: options.debugMode).count
    }

    /// Encodes a batch.
    public func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        guard let address = SensorsAnalyticsAddress(serverURL) else {
            throw WireEncodingError(
                .misconfigured,
                "\"\(serverURL.prefix(200))\" is not an http or https address. Set the back end's address, such as "
                    + "https://events.example.com/sa?project=production."
            )
        }
        let modes = SensorsAnalyticsModes(batch, of: id, defaultMode: options.debugMode)
        guard modes.count == batch.records.count else {
            throw WireEncodingError(
                .tooLarge,
                "All events of a request must have the same address; only the first \(modes.count) do."
            )
        }
        let headers = try headers(modes.first)
        let encoding = SensorsAnalyticsEncoding(batch, options: options, sentAt: sentAt)
        guard encoding.count > 0 else {
            throw WireEncodingError(.nothingToSend, "No event in the batch can be sent.", omitted: encoding.omitted)
        }
        let list = Base64.encode(compressor.compress(encoding.json))
        return WireRequest(
            url: modes.first == .off ? address.upload : address.debug,
            headers: headers,
            body: SensorsAnalyticsForm.body(dataList: String(decoding: list, as: UTF8.self)),
            omitted: encoding.omitted,
            trimmed: encoding.trimmed
        )
    }

    /// Returns the verdict on a response.
    ///
    /// A success response removes the events from the queue, unless it is a web page, a redirect or from another host.
    public func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        SensorsAnalyticsResponseEvaluator(
            rule: options.answerRule,
            authority: SensorsAnalyticsAddress(serverURL)?.authority
        )
        .verdict(on: response, events: batch.records.count)
    }

    private func headers(_ mode: SensorsAnalyticsDebugMode) throws(WireEncodingError) -> WireHeaders {
        var headers: WireHeaders = [
            "content-type": SensorsAnalyticsForm.contentType, "user-agent": options.userAgent,
        ]
        if let cookie = options.cookie { headers["cookie"] = cookie }
        if mode == .only { headers["dry-run"] = "true" }
        guard headers.allSatisfy({ $0.value.utf8.allSatisfy { (0x20...0x7e).contains($0) } }) else {
            throw WireEncodingError(.misconfigured, "The cookie or user agent has characters not allowed in a header.")
        }
        return headers
    }

    /// Returns the JSON of a batch's events as sent at this time.
    ///
    /// Nil if none can be sent.
    package func eventJSON(of batch: EventBatch, sentAt: Timestamp) -> String? {
        let encoding = SensorsAnalyticsEncoding(batch, options: options, sentAt: sentAt)
        guard encoding.count > 0 else { return nil }
        return String(decoding: encoding.json.dropFirst().dropLast(), as: UTF8.self)
    }
}

/// The debug mode in which each event of a batch was recorded.
///
/// The recorded mode, not the mode at the time of sending, determines the address. Events recorded for inspection
/// therefore never reach the reports.
private struct SensorsAnalyticsModes {
    /// The first event's mode.
    let first: SensorsAnalyticsDebugMode
    /// The number of leading events in one request.
    let count: Int

    /// Reads the modes from the contexts of a batch.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - destination: The destination whose mode to read.
    ///   - defaultMode: The mode for events that were recorded with no mode.
    /// - Complexity: O(events + bytes of the contexts).
    init(_ batch: EventBatch, of destination: DestinationID, defaultMode: SensorsAnalyticsDebugMode) {
        var modes: [UInt32: SensorsAnalyticsDebugMode] = [:]
        func mode(_ record: EventBatch.Record) -> SensorsAnalyticsDebugMode {
            if let known = modes[record.context] { return known }
            let read = Self.mode(record.context, of: batch, destination) ?? defaultMode
            modes[record.context] = read
            return read
        }
        guard let record = batch.records.first else {
            first = defaultMode
            count = 0
            return
        }
        let first = mode(record)
        self.first = first
        // Events in debug mode are sent individually.
        count = first == .off ? batch.records.prefix { mode($0) == .off }.count : 1
    }

    private static func mode(
        _ generation: UInt32,
        of batch: EventBatch,
        _ destination: DestinationID
    ) -> SensorsAnalyticsDebugMode? {
        batch.recordedContext(generation)?.modes[destination.rawValue]?.string
            .flatMap { SensorsAnalyticsDebugMode(rawValue: $0) }
    }
}
