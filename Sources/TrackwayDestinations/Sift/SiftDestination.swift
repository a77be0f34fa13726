// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDestinationKit

/// A destination that sends events to a Sift back end.
///
/// It uses the format of Sift's mobile clients: a PUT of a gzipped list of events. Snapshots (`_app_state`,
/// `_device_properties`) are sent as the format's structures, and all other events under their own names with their
/// attributes as strings. Unknown values are left out with their keys. Data that the format does not support is left
/// out and reported. The format has no event ids: a receiver recognizes duplicates by their content.
///
/// Only status 200 removes events from the queue.
public struct SiftDestination: Destination {
    /// The client whose set of keys is sent.
    ///
    /// A back end accepts either edition; they differ in the amount of data.
    public enum Edition: String, Sendable, Hashable, CaseIterable {
        /// Everything that the format ever contained, as in client 2.1.0.
        ///
        /// This includes the application state, orientation, heading, motion, the location with all accuracies, and the
        /// properties of the kernel and the processor.
        case legacy
        /// The subset that client 2.2.5 sends.
        ///
        /// It contains only the latitude and longitude of a location, and only a device's names, its carrier, and
        /// evidence that it was modified.
        case current

        /// The version of the client in the `sdk_version` of snapshots.
        public var sdkVersion: String {
            switch self {
            case .legacy: "v2.1.0"
            case .current: "v2.2.5"
            }
        }
    }

    /// The destination's id in routes, cursors and the ledger.
    public let id: DestinationID
    /// The maximum size of a batch: 100 events and 256 KiB.
    ///
    /// A snapshot with readings takes several kilobytes.
    public let limits = BatchLimits(events: 100, bytes: 256 * 1024)
    /// The account that events belong to.
    public let accountID: String?
    /// The key that identifies the app to the back end.
    public let beaconKey: String?
    /// The address, with `%@` in place of the account's id.
    public let serverURLFormat: String
    /// The client whose set of keys is sent.
    public let edition: Edition
    private let gzip = GzipCompressor(level: 6)

    /// The address of Sift's own service.
    public static let defaultServerURLFormat = "https://api3.siftscience.com/v3/accounts/%@/mobile_events"

    /// Creates a destination.
    ///
    /// Invalid settings are reported when a batch is to be sent, and suspend the destination; all events are kept until
    /// the settings are valid.
    ///
    /// - Parameters:
    ///   - id: `sift` by default; use a different id for each additional destination.
    ///   - accountID: The account's id; without an id, events are kept.
    ///   - beaconKey: The account's beacon key; without a key, events are kept.
    ///   - serverURLFormat: An http or https address with `%@` in place of the account's id.
    ///   - edition: The client whose set of keys is sent.
    public init(
        id: DestinationID = "sift",
        accountID: String?,
        beaconKey: String?,
        serverURLFormat: String = SiftDestination.defaultServerURLFormat,
        edition: Edition = .legacy
    ) {
        self.id = id
        self.accountID = accountID
        self.beaconKey = beaconKey
        self.serverURLFormat = serverURLFormat
        self.edition = edition
    }

    /// Encodes a batch.
    public func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        let address = try address()
        guard let beaconKey, !beaconKey.isEmpty else {
            throw WireEncodingError(
                .misconfigured,
                "beaconKey is missing. Set the account's beacon key; events are kept until then."
            )
        }
        let encoding = SiftEncoding(batch, edition: edition)
        guard encoding.count > 0 else {
            throw WireEncodingError(.nothingToSend, "No event in the batch can be sent.", omitted: encoding.omitted)
        }
        // The credentials are only the key, without the colon that separates a user name from a password.
        let credentials = String(decoding: Base64.encode(Array(beaconKey.utf8)), as: UTF8.self)
        return WireRequest(
            method: "PUT",
            url: address,
            headers: [
                "Authorization": "Basic \(credentials)", "Content-Type": "application/json",
                "Content-Encoding": "gzip",
            ],
            body: gzip.compress(encoding.json),
            omitted: encoding.omitted,
            trimmed: encoding.trimmed
        )
    }

    /// Returns the verdict on a response.
    ///
    /// Status 200 removes the events from the queue unless the response is a web page or comes from another host. The
    /// body of a success response is not documented, so only responses that are clearly from elsewhere can be excluded.
    public func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        // Without a valid address, no request was sent, so no host is expected.
        let verdict = response.verdict(from: try? address()) { response in
            switch response.status {
            case 200: .accepted
            case 400, 422: .rejected(reason: response.statusReason)
            // This includes other success statuses: clients of this format do not accept them as a receipt, so back
            // ends do not use them.
            default: .retry(after: RetryAfter.duration(in: response), reason: response.statusReason)
            }
        }
        // Apps set these values on a `Sift` object, not in a configuration.
        switch verdict {
        case .unauthorized(let reason):
            return .unauthorized(reason: reason + " Check accountId and beaconKey; Sift.resume retries immediately.")
        case .misconfigured(let reason):
            return .misconfigured(
                reason: reason + " Check accountId and serverUrlFormat; Sift.resume retries immediately."
            )
        default:
            return verdict
        }
    }

    private func address() throws(WireEncodingError) -> String {
        guard let accountID, !accountID.isEmpty else {
            throw WireEncodingError(
                .misconfigured,
                "accountID is missing. Set the account's id; events are kept until then."
            )
        }
        guard let address = SiftAddress(format: serverURLFormat, accountID: accountID) else {
            throw WireEncodingError(
                .misconfigured,
                "serverURLFormat is \"\(serverURLFormat.prefix(200))\". Set an http or https address with %@ for the "
                    + "account's id, such as \(Self.defaultServerURLFormat)."
            )
        }
        return address.url
    }

    /// Returns the format's installation id: one per device and vendor.
    ///
    /// All apps of a vendor on a device have the same id, and so do all storage folders of one app.
    ///
    /// - Parameters:
    ///   - device: The device properties of the context. Their `id` is the vendor's id on Apple systems, or a hash of
    ///     the machine's and the app's ids.
    ///   - installation: The id to use if the device has no such id.
    /// - Returns: A UUID in uppercase, as the format's clients write it; an id of another form is returned unchanged.
    package static func installation(on device: Attributes, else installation: InstallationID) -> String {
        guard let id = device["id"]?.string, !id.isEmpty else { return installation.description.uppercased() }
        let digits = id.filter { $0 != "-" }
        guard digits.utf8.count == 32, digits.allSatisfy({ $0.isHexDigit && $0.isASCII }) else { return id }
        var text = ""
        for (index, digit) in digits.uppercased().enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }

    /// Returns events as the format's list, before compression.
    ///
    /// Data from a context or an installation is not added.
    ///
    /// - Complexity: O(size of the events).
    package static func list(_ events: [Event], edition: Edition) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("data")
        writer.beginArray()
        for event in events {
            let record = SiftRecord(event, in: RecordedContext(), installation: "", edition: edition)
            writer.element()
            JSONValue.object(record.members).write(into: &writer)
        }
        writer.endArray()
        writer.endObject()
        return writer.array()
    }

    /// Whether a format is an http or https address with a placeholder.
    ///
    /// The placeholder is replaced by the account's id.
    package static func isUsable(serverURLFormat: String) -> Bool {
        SiftAddress(format: serverURLFormat, accountID: "account") != nil
    }
}

/// The address of an account's events.
///
/// It is the address format with the account's id inserted.
private struct SiftAddress: Sendable, Hashable {
    /// The complete address.
    let url: String

    /// Inserts the account's id into an address format.
    ///
    /// Nil if the format has no placeholder, or the result is not an http or https address.
    init?(format: String, accountID: String) {
        let parts = format.split(separator: "%@", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return nil }
        // `.` and `..` are encoded, because in a path they would refer to another folder.
        let isDirection = accountID == "." || accountID == ".."
        let name = isDirection ? String(repeating: "%2E", count: accountID.count) : accountID.percentEncoded()
        let url = parts.joined(separator: name)
        guard HTTPAddress(url) != nil else { return nil }
        self.url = url
    }
}
