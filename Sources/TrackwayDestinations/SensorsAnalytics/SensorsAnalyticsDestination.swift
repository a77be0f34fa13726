// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

/// Sends to a Sensors Analytics back-end, in its own format: a form with a checksum and gzipped records.
///
/// Captured events are translated (`_app_start` becomes `$AppStart` and so on), all others travel under their own names.
/// What the format cannot carry is left out of a record and named in reports: items, objects, keys it keeps for itself.
/// Its encryption of bodies is not offered.
public struct SensorsAnalyticsDestination: Destination {
    /// The destination's name in routes, cursors and the ledger.
    public let id: DestinationID
    /// Where the back-end listens, project and token included: `https://host/sa?project=production`.
    public let serverURL: String
    /// What it does beside that.
    public let options: SensorsAnalyticsOptions
    private let compressor = GzipCompressor(level: 6)

    /// The most events of a request; the format's clients agree on it.
    public static let eventsPerRequest = 50

    /// Makes a destination. Settings that cannot work are reported when a batch is to be sent, and park the destination.
    ///
    /// - Parameters:
    ///   - id: `sensors-analytics` by default; another name for every further one.
    ///   - serverURL: Where the back-end listens, with its query.
    ///   - options: What it does beside that.
    public init(
        id: DestinationID = "sensors-analytics",
        serverURL: String,
        options: SensorsAnalyticsOptions = SensorsAnalyticsOptions()
    ) {
        self.id = id
        self.serverURL = serverURL
        self.options = options
    }

    /// At most fifty events; one while they are looked at one by one.
    public var limits: BatchLimits {
        BatchLimits(events: options.debugMode == .off ? Self.eventsPerRequest : 1)
    }

    /// As many as were recorded in the same way: events recorded while events are looked at go to `debug`, one by one, and
    /// those recorded otherwise to the upload address, whatever is chosen when they travel.
    public func eventsForOneRequest(of batch: EventBatch) -> Int {
        SensorsAnalyticsModes(batch, of: id, usual: options.debugMode).count
    }

    /// Encodes a batch.
    public func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        guard let address = SensorsAnalyticsAddress(serverURL) else {
            throw WireEncodingError(
                .misconfigured,
                "\"\(serverURL.prefix(200))\" is no http or https address. Give the back-end's, such as "
                    + "https://events.example.com/sa?project=production."
            )
        }
        let modes = SensorsAnalyticsModes(batch, of: id, usual: options.debugMode)
        guard modes.count == batch.records.count else {
            throw WireEncodingError(
                .tooLarge,
                "Events of one request must go to one place; \(modes.count) of these do."
            )
        }
        let headers = try headers(modes.first)
        let encoding = SensorsAnalyticsEncoding(batch, options: options, sentAt: sentAt)
        guard encoding.count > 0 else {
            throw WireEncodingError(.nothingToSend, "No event of the batch can be sent.", leftOut: encoding.leftOut)
        }
        let list = Base64.encode(compressor.compress(encoding.json))
        return WireRequest(
            url: modes.first == .off ? address.upload : address.debug,
            headers: headers,
            body: SensorsAnalyticsForm.body(dataList: String(decoding: list, as: UTF8.self)),
            leftOut: encoding.leftOut,
            trimmed: encoding.trimmed
        )
    }

    /// Judges an answer. A success lets go of the events; a page, a redirect or another host's answer never does.
    public func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        SensorsAnalyticsJudge(rule: options.answerRule, authority: SensorsAnalyticsAddress(serverURL)?.authority)
            .verdict(on: response, events: batch.records.count)
    }

    private func headers(_ mode: SensorsAnalyticsDebugMode) throws(WireEncodingError) -> WireHeaders {
        var headers: WireHeaders = [
            "content-type": SensorsAnalyticsForm.contentType, "user-agent": options.userAgent,
        ]
        if let cookie = options.cookie { headers["cookie"] = cookie }
        if mode == .only { headers["dry-run"] = "true" }
        guard headers.allSatisfy({ $0.value.utf8.allSatisfy { (0x20...0x7e).contains($0) } }) else {
            throw WireEncodingError(.misconfigured, "The cookie or the user agent holds characters a header cannot.")
        }
        return headers
    }

    /// The events of a batch as JSON, as they are sent at this time; nil when none can be.
    package func eventJSON(of batch: EventBatch, sentAt: Timestamp) -> String? {
        let encoding = SensorsAnalyticsEncoding(batch, options: options, sentAt: sentAt)
        guard encoding.count > 0 else { return nil }
        return String(decoding: encoding.json.dropFirst().dropLast(), as: UTF8.self)
    }
}

/// In which debug mode each event of a batch was recorded: where it goes depends on that, and not on the mode of the day on
/// which it travels. What was recorded to be looked at never reaches the reports.
private struct SensorsAnalyticsModes {
    /// The first event's mode.
    let first: SensorsAnalyticsDebugMode
    /// How many events from the first on go into one request.
    let count: Int

    /// Reads the modes from the contexts of a batch.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - destination: Whose mode.
    ///   - usual: The mode of events that were recorded before modes were noted.
    /// - Complexity: O(events + bytes of the contexts).
    init(_ batch: EventBatch, of destination: DestinationID, usual: SensorsAnalyticsDebugMode) {
        var modes: [UInt32: SensorsAnalyticsDebugMode] = [:]
        func mode(_ record: EventBatch.Record) -> SensorsAnalyticsDebugMode {
            if let known = modes[record.context] { return known }
            let read = Self.mode(record.context, of: batch, destination) ?? usual
            modes[record.context] = read
            return read
        }
        guard let record = batch.records.first else {
            first = usual
            count = 0
            return
        }
        let first = mode(record)
        self.first = first
        // Those that are looked at are looked at one by one.
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
