// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDestinationKit

/// A destination that sends usage reports to SAP Mobile Services.
///
/// A request is a POST of one JSON report, with its events grouped by session. Captured events are translated
/// (`_session_start` becomes `SessionStart`, `_screen_view` a `BehaviorEvent`); all others are records with their name
/// as the key. Attributes with the names of the format's properties (`screen`, `element`, …) become these properties,
/// as strings. All other data of an event goes into `others` as compact JSON, so nothing is left out.
///
/// The same batch always results in the same report with the same id, so that a back end can recognize duplicates. The
/// format has no event ids.
public struct SAPMobileServicesDestination: Destination {
    /// The destination's id in routes, cursors and the ledger.
    public let id: DestinationID
    /// The maximum size of a batch: 200 events and 256 KiB.
    ///
    /// The size in bytes is that of the recorded events. The report for a batch of this size rarely exceeds
    /// ``maximumBodyBytes``.
    public let limits = BatchLimits(events: 200, bytes: 256 * 1024)
    /// The application's id in Mobile Services.
    public let applicationID: String
    private let address: Address
    private let headers: WireHeaders

    private enum Address: Sendable {
        /// The back end's address, and whether the path contains the device's id.
        case backEnd(String, namesDevice: Bool)
        /// A proxy's address, used unchanged.
        case endpoint(String)
    }

    /// The maximum size of a body, in bytes.
    ///
    /// The back end's limit is not published. This is half a megabyte, which JSON receivers commonly accept.
    public static let maximumBodyBytes = 512 * 1024

    /// Creates a destination for a Mobile Services back end.
    ///
    /// Invalid settings are reported when a batch is to be sent, and suspend the destination; all events are kept until
    /// the settings are valid.
    ///
    /// - Parameters:
    ///   - id: `sap-mobile-services` by default; use a different id for each additional destination.
    ///   - backendURL: The back end's address, such as `https://tenant.example.com`.
    ///   - applicationID: The application's id in the back end.
    ///   - namesDevice: Whether the path contains the device's id, too. The body always contains it.
    ///   - headers: Additional header fields, such as the `Authorization` that the back end's security requires.
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

    /// Creates a destination with an address that is used unchanged.
    ///
    /// An example is the address of a proxy.
    ///
    /// - Parameters:
    ///   - id: `sap-mobile-services` by default; use a different id for each additional destination.
    ///   - endpoint: The address to which reports are posted.
    ///   - applicationID: The application for records that do not specify one.
    ///   - headers: Additional header fields.
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

    /// Returns the number of leading events that one report can contain.
    ///
    /// All events in a report have the same application, version and device.
    public func maximumEventsPerRequest(for batch: EventBatch) -> Int { reading(batch).leadingEventCount }

    /// Encodes a batch.
    public func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        // Check the settings first, so that no event is dropped because of invalid settings.
        _ = try url(of: SAPUsageSource(RecordedContext(), application: applicationID, installation: batch.installation))
        let fields = try fields()
        let reading = reading(batch)
        guard reading.leadingEventCount == batch.records.count else {
            throw WireEncodingError(
                .tooLarge,
                "A report is for one application on one device, so it can contain only the first "
                    + "\(reading.leadingEventCount) events."
            )
        }
        guard let source = reading.source else {
            throw WireEncodingError(.nothingToSend, "No event in the batch can be sent.", omitted: reading.omitted)
        }
        let body = SAPUsageReport.json(of: reading.records, from: source, in: batch)
        guard body.count <= Self.maximumBodyBytes else {
            throw WireEncodingError(
                .tooLarge,
                "\(batch.records.count) events take up \(body.count) bytes; the maximum is \(Self.maximumBodyBytes)."
            )
        }
        return WireRequest(url: try url(of: source), headers: fields, body: body, omitted: reading.omitted)
    }

    /// Returns the verdict on a response.
    ///
    /// A success response counts as accepted unless it is a web page, a redirect or from another host. The
    /// documentation does not specify how a Mobile Services back end responds to an accepted report, so nothing in a
    /// response can prove that the back end sent it. Status 403 means that the application's usage policy is disabled
    /// (or that this client may not report). The destination is then suspended, all events are kept, and one event is
    /// sent as a probe at increasing intervals.
    public func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        let verdict = response.verdict(from: requestedAddress) { response in
            switch response.status {
            case 200..<300: .accepted
            case 400, 422: .rejected(reason: response.statusReason)
            // The path names a different application than the body; only a change of settings can fix this.
            case 409: .misconfigured(reason: response.statusReason)
            default: .retry(after: RetryAfter.duration(in: response), reason: response.statusReason)
            }
        }
        guard response.status == 403, case .unauthorized = verdict else { return verdict }
        return .unauthorized(
            reason: "Status 403: the application's usage policy accepts no reports, or none from this client."
        )
    }

    /// Returns the request for the application's policy.
    ///
    /// The request is part of the settings exchange: `GET <back end>/mobileservices/application/<id>/settings`.
    /// `SAPMobileServicesPolicy` parses the response.
    ///
    /// - Throws: `WireEncodingError` with `misconfigured` if the settings are invalid, or if the destination was
    ///   created with an `endpoint`.
    public func settingsRequest() throws(WireEncodingError) -> WireRequest {
        let base = try base()
        guard case .backEnd = address else {
            throw WireEncodingError(
                .misconfigured,
                "\"\(requestedAddress.prefix(200))\" is a proxy's address; only the back end returns its policy."
            )
        }
        return WireRequest(
            method: "GET",
            url: base.appending("/mobileservices/application/\(Self.segment(applicationID))/settings"),
            headers: try fields()
        )
    }

    /// The only application whose events can be sent; nil for any.
    package var boundApplication: String? {
        if case .backEnd = address { applicationID } else { nil }
    }

    /// A string that identifies the address to which reports are sent.
    package var reportAddress: String {
        boundApplication.map { "\(requestedAddress) \($0)" } ?? requestedAddress
    }

    /// Validates the settings without encoding a batch.
    ///
    /// - Throws: `WireEncodingError` with `misconfigured` if they are invalid.
    package func checkSettings() throws(WireEncodingError) {
        _ = try base()
        _ = try fields()
    }

    private var requestedAddress: String {
        switch address {
        case .backEnd(let address, _), .endpoint(let address): address
        }
    }

    /// Returns the address to which a source's reports are sent.
    private func url(of source: SAPUsageSource) throws(WireEncodingError) -> String {
        let base = try base()
        guard case .backEnd(_, let namesDevice) = address else { return requestedAddress }
        let application = Self.segment(applicationID)
        let path =
            "/mobileservices/application/\(application)/clientusage/v1/runtime/clientusage/application/\(application)"
        return base.appending(namesDevice ? "\(path)/device/\(Self.segment(source.deviceID))" : path)
    }

    /// Returns the address, after validating it and the application's id.
    private func base() throws(WireEncodingError) -> HTTPAddress {
        guard !applicationID.isEmpty else {
            throw WireEncodingError(
                .misconfigured,
                "applicationID is empty. Set the application's id in Mobile Services; events are kept until then."
            )
        }
        guard let base = HTTPAddress(requestedAddress) else {
            throw WireEncodingError(
                .misconfigured,
                "\"\(requestedAddress.prefix(200))\" is not an http or https address. Set the back end's address, such as "
                    + "https://tenant.example.com; events are kept until then."
            )
        }
        return base
    }

    /// Returns a name, escaped as one segment of a path.
    ///
    /// `.` and `..` are encoded, because in a path they would refer to another folder.
    private static func segment(_ name: String) -> String {
        name == "." || name == ".." ? String(repeating: "%2E", count: name.utf8.count) : name.percentEncoded()
    }

    private func fields() throws(WireEncodingError) -> WireHeaders {
        var fields: WireHeaders = ["content-type": "application/json", "accept": "application/json"]
        for field in headers { fields[field.name] = field.value }
        guard fields.allSatisfy({ $0.value.utf8.allSatisfy { (0x20...0x7e).contains($0) } }) else {
            throw WireEncodingError(.misconfigured, "A header field has characters that are not allowed.")
        }
        return fields
    }

    private func reading(_ batch: EventBatch) -> SAPUsageBatchReader {
        let isBound = if case .backEnd = address { true } else { false }
        return SAPUsageBatchReader(batch, application: applicationID, isBound: isBound)
    }
}
