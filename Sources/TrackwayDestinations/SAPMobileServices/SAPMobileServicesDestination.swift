// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

/// Sends usage reports to SAP Mobile Services: a POST of one JSON report, its events grouped by session.
///
/// Captured events are translated (`_session_start` becomes `SessionStart`, `_screen_view` a `BehaviorEvent`), all others
/// are records with their name for a key. Attributes that are called like the format's properties (`screen`, `element`, …)
/// fill these, as texts; everything else an event says stands in `others` as compact JSON, so nothing is left out.
///
/// The same batch gives the same report with the same id, by which a back-end can tell that it knows it. The format has no
/// ids of events.
public struct SAPMobileServicesDestination: Destination {
    /// The destination's name in routes, cursors and the ledger.
    public let id: DestinationID
    /// The largest batch: 200 events and 256 KiB of recorded ones, so that a report hardly ever passes
    /// ``maximumBodyBytes``.
    public let limits = BatchLimits(events: 200, bytes: 256 * 1024)
    /// What Mobile Services knows the application by.
    public let applicationID: String
    private let address: Address
    private let headers: WireHeaders

    private enum Address: Sendable {
        /// The back-end's own address, and whether the path names the device.
        case backEnd(String, namesDevice: Bool)
        /// A proxy's address, used as it is.
        case endpoint(String)
    }

    /// The largest body, in bytes. No limit of the back-end is published; this is half a megabyte, which receivers of JSON
    /// commonly take.
    public static let maximumBodyBytes = 512 * 1024

    /// Makes a destination for a back-end of Mobile Services. Settings that cannot work are reported when a batch is to be
    /// sent, and park the destination; everything is kept until they can.
    ///
    /// - Parameters:
    ///   - id: `sap-mobile-services` by default; another name for every further one.
    ///   - backendURL: The back-end's address, such as `https://tenant.example.com`.
    ///   - applicationID: What the back-end knows the application by.
    ///   - namesDevice: Whether the device's id stands in the path, too. It is in the body in any case.
    ///   - headers: Further header fields, such as the `Authorization` that the back-end's security asks for.
    public init(
        id: DestinationID = "sap-mobile-services",
        backendURL: String,
        applicationID: String,
        namesDevice: Bool = true,
        headers: WireHeaders = [:]
    ) {
        self.id = id
        self.applicationID = applicationID
        address = .backEnd(backendURL, namesDevice: namesDevice)
        self.headers = headers
    }

    /// Makes a destination for an address that is used as it is: a proxy's, say, that hands reports on.
    ///
    /// - Parameters:
    ///   - id: `sap-mobile-services` by default; another name for every further one.
    ///   - endpoint: Where reports are posted.
    ///   - applicationID: The application of records that name none.
    ///   - headers: Further header fields.
    public init(
        id: DestinationID = "sap-mobile-services",
        endpoint: String,
        applicationID: String,
        headers: WireHeaders = [:]
    ) {
        self.id = id
        self.applicationID = applicationID
        address = .endpoint(endpoint)
        self.headers = headers
    }

    /// As many as are of one application, in one version, on one device: a report says these once.
    public func eventsForOneRequest(of batch: EventBatch) -> Int { reading(batch).countOfFirstSource }

    /// Encodes a batch.
    public func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        // Settings first: nothing is given up for what they are to blame for.
        _ = try url(of: SAPUsageSource(RecordedContext(), application: applicationID, installation: batch.installation))
        let fields = try fields()
        let reading = reading(batch)
        guard reading.countOfFirstSource == batch.records.count else {
            throw WireEncodingError(
                .tooLarge,
                "Events of one report must be of one application on one device; \(reading.countOfFirstSource) of these are."
            )
        }
        guard let source = reading.source else {
            throw WireEncodingError(.nothingToSend, "No event of the batch can be sent.", leftOut: reading.leftOut)
        }
        let body = SAPUsageReport.json(of: reading.records, from: source, in: batch)
        guard body.count <= Self.maximumBodyBytes else {
            throw WireEncodingError(
                .tooLarge,
                "\(batch.records.count) events are \(body.count) bytes; a report has at most \(Self.maximumBodyBytes)."
            )
        }
        return WireRequest(url: try url(of: source), headers: fields, body: body, leftOut: reading.leftOut)
    }

    /// Judges an answer. A success counts unless a page, a redirect or another host says it.
    ///
    /// What a back-end of Mobile Services answers a report it takes is not published, so nothing in an answer can prove that
    /// it is the back-end's. Status 403 says that the application's usage policy is off (or that this client may not
    /// report): the destination parks, everything is kept, and is asked again with one event, ever more seldom.
    public func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        let verdict = response.verdict(from: asked) { response in
            switch response.status {
            case 200..<300: .accepted
            case 400, 422: .rejected(reason: response.statusReason)
            // The path names another application than the body, which only settings can put right.
            case 409: .misconfigured(reason: response.statusReason)
            default: .retry(after: RetryAfter.duration(in: response), reason: response.statusReason)
            }
        }
        guard response.status == 403, case .unauthorized = verdict else { return verdict }
        return .unauthorized(
            reason: "Status 403: the application's usage policy takes no reports, or none of this client."
        )
    }

    /// Asks for the application's policy, as it is delivered when settings are exchanged: `GET
    /// <back-end>/mobileservices/application/<id>/settings`. `SAPMobileServicesPolicy` reads the answer.
    ///
    /// - Throws: `WireEncodingError` with `misconfigured` when the settings cannot work, or name a proxy's address.
    public func settingsRequest() throws(WireEncodingError) -> WireRequest {
        let base = try base()
        guard case .backEnd = address else {
            throw WireEncodingError(
                .misconfigured,
                "\"\(asked.prefix(200))\" is a proxy's address; only the back-end tells its policy."
            )
        }
        return WireRequest(
            method: "GET",
            url: base.appending("/mobileservices/application/\(Self.segment(applicationID))/settings"),
            headers: try fields()
        )
    }

    /// The application whose events alone can be sent; nil where any can.
    package var boundApplication: String? {
        if case .backEnd = address { applicationID } else { nil }
    }

    /// Identifies where reports go.
    package var reportAddress: String {
        boundApplication.map { "\(asked) \($0)" } ?? asked
    }

    /// Checks the settings without a batch.
    ///
    /// - Throws: `WireEncodingError` with `misconfigured` when they cannot work.
    package func checkSettings() throws(WireEncodingError) {
        _ = try base()
        _ = try fields()
    }

    private var asked: String {
        switch address {
        case .backEnd(let address, _), .endpoint(let address): address
        }
    }

    /// Where reports of a source go.
    private func url(of source: SAPUsageSource) throws(WireEncodingError) -> String {
        let base = try base()
        guard case .backEnd(_, let namesDevice) = address else { return asked }
        let application = Self.segment(applicationID)
        let path =
            "/mobileservices/application/\(application)/clientusage/v1/runtime/clientusage/application/\(application)"
        return base.appending(namesDevice ? "\(path)/device/\(Self.segment(source.deviceID))" : path)
    }

    /// The address that is asked, if it and the application's id can work.
    private func base() throws(WireEncodingError) -> HTTPAddress {
        guard !applicationID.isEmpty else {
            throw WireEncodingError(
                .misconfigured,
                "applicationID is empty. Give the id that Mobile Services knows the application by; the events wait for it."
            )
        }
        guard let base = HTTPAddress(asked) else {
            throw WireEncodingError(
                .misconfigured,
                "\"\(asked.prefix(200))\" is no http or https address. Give the back-end's, such as "
                    + "https://tenant.example.com; the events wait for it."
            )
        }
        return base
    }

    /// A name as one segment of a path. A path's `.` and `..` are directions: no name becomes another path.
    private static func segment(_ name: String) -> String {
        name == "." || name == ".." ? String(repeating: "%2E", count: name.utf8.count) : name.percentEncoded()
    }

    private func fields() throws(WireEncodingError) -> WireHeaders {
        var fields: WireHeaders = ["content-type": "application/json", "accept": "application/json"]
        for field in headers { fields[field.name] = field.value }
        guard fields.allSatisfy({ $0.value.utf8.allSatisfy { (0x20...0x7e).contains($0) } }) else {
            throw WireEncodingError(.misconfigured, "A header field holds characters that it cannot.")
        }
        return fields
    }

    private func reading(_ batch: EventBatch) -> SAPUsageReading {
        let isBound = if case .backEnd = address { true } else { false }
        return SAPUsageReading(batch, application: applicationID, isBound: isBound)
    }
}
