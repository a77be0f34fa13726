// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

/// Sends to a Sift back-end, in the format of its mobile clients: a PUT of a gzipped list of events.
///
/// Snapshots (`_app_state`, `_device_properties`) travel as the structures the format has for them, every other event under
/// its own name with its attributes as texts. What is not known has no key. What the format has no place for is left out and
/// named in reports. The format knows no ids of events: a receiver recognises what it got twice by its content.
///
/// Only status 200 lets go of events.
public struct SiftDestination: Destination {
    /// Which client's set of keys is sent. A back-end takes either; the difference is how much it is told.
    public enum Edition: String, Sendable, Hashable, CaseIterable {
        /// Everything the format ever had, as client 2.1.0: application state, orientation, heading, motion, where the
        /// device is with all accuracies, and what its kernel and processor say.
        case legacy
        /// The part that client 2.2.5 still sends: of a place latitude and longitude, of the device its names, carrier and
        /// evidence of changes.
        case current

        /// The version that snapshots name as their maker's, in `sdk_version`.
        public var sdkVersion: String {
            switch self {
            case .legacy: "v2.1.0"
            case .current: "v2.2.5"
            }
        }
    }

    /// The destination's name in routes, cursors and the ledger.
    public let id: DestinationID
    /// The largest batch: 100 events and 256 KiB, because a snapshot with readings is several kilobytes.
    public let limits = BatchLimits(events: 100, bytes: 256 * 1024)
    /// The account events belong to.
    public let accountID: String?
    /// What the back-end knows the app by.
    public let beaconKey: String?
    /// The address, `%@` where the account's id goes.
    public let serverURLFormat: String
    /// Which client's set of keys is sent.
    public let edition: Edition
    private let gzip = GzipCompressor(level: 6)

    /// Where the service itself listens.
    public static let defaultServerURLFormat = "https://api3.siftscience.com/v3/accounts/%@/mobile_events"

    /// Makes a destination. Settings that cannot work are reported when a batch is to be sent, and park the destination;
    /// everything is kept until they can.
    ///
    /// - Parameters:
    ///   - id: `sift` by default; another name for every further one.
    ///   - accountID: The account's id; without one, events wait.
    ///   - beaconKey: The beacon key of the account; without one, events wait.
    ///   - serverURLFormat: An http or https address with `%@` where the account's id goes.
    ///   - edition: Which client's set of keys is sent.
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
                "beaconKey is missing. Give the beacon key of the account; the events wait for it."
            )
        }
        let encoding = SiftEncoding(batch, edition: edition)
        guard encoding.count > 0 else {
            throw WireEncodingError(.nothingToSend, "No event of the batch can be sent.", leftOut: encoding.leftOut)
        }
        // The key alone, without the colon that a name and a password would have between them.
        let credentials = String(decoding: Base64.encode(Array(beaconKey.utf8)), as: UTF8.self)
        return WireRequest(
            method: "PUT",
            url: address,
            headers: [
                "Authorization": "Basic \(credentials)", "Content-Type": "application/json",
                "Content-Encoding": "gzip",
            ],
            body: gzip.compress(encoding.json),
            leftOut: encoding.leftOut,
            trimmed: encoding.trimmed
        )
    }

    /// Judges an answer. Status 200 lets go of the events, unless a page or another host says it: what the body of a success
    /// says is not known, so what can be told apart is what others say.
    public func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        // Without an address no request was made; whoever answered all the same was not asked.
        let verdict = response.verdict(from: try? address()) { response in
            switch response.status {
            case 200: .accepted
            case 400, 422: .rejected(reason: response.statusReason)
            // Other successes too: clients of this format take none of them for a receipt, so back-ends mean none by them.
            default: .retry(after: RetryAfter.duration(in: response), reason: response.statusReason)
            }
        }
        // Apps set these on an object of Sift, which reads no configuration.
        switch verdict {
        case .unauthorized(let reason):
            return .unauthorized(reason: reason + " Check accountId and beaconKey; Sift.resume tries again at once.")
        case .misconfigured(let reason):
            return .misconfigured(
                reason: reason + " Check accountId and serverUrlFormat; Sift.resume tries again at once."
            )
        default:
            return verdict
        }
    }

    private func address() throws(WireEncodingError) -> String {
        guard let accountID, !accountID.isEmpty else {
            throw WireEncodingError(
                .misconfigured,
                "accountID is missing. Give the id of the account; the events wait for it."
            )
        }
        guard let address = SiftAddress(format: serverURLFormat, accountID: accountID) else {
            throw WireEncodingError(
                .misconfigured,
                "serverURLFormat is \"\(serverURLFormat.prefix(200))\". Give an http or https address with %@ where the "
                    + "account's id goes, such as \(Self.defaultServerURLFormat)."
            )
        }
        return address.url
    }

    /// What the format calls an installation: the device, as the apps of its vendor know it. Every app of a vendor on a device
    /// says the same, and so does every storage folder of one app.
    ///
    /// - Parameters:
    ///   - device: what the context says about the device: its `id` is the one that Apple's systems give a vendor, or the
    ///     hash of a machine's id with the app's.
    ///   - installation: what counts while the device has no such id.
    /// - Returns: A UUID in capitals, as the format's clients write it; an id of another form as it is.
    package static func installation(on device: Attributes, else installation: InstallationID) -> String {
        guard let id = device["id"]?.string, !id.isEmpty else { return installation.description.uppercased() }
        let digits = id.filter { $0 != "-" }
        guard digits.utf8.count == 32, digits.allSatisfy({ $0.isHexDigit && $0.isASCII }) else { return id }
        var text = ""
        for (place, digit) in digits.uppercased().enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append("-") }
            text.append(digit)
        }
        return text
    }

    /// Events as the format's list, before it is packed. Nothing of a context or an installation is added to them.
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

    /// Whether it is an http or https address with a place for the account's id.
    package static func isUsable(serverURLFormat: String) -> Bool {
        SiftAddress(format: serverURLFormat, accountID: "account") != nil
    }
}

/// Where an account's events go: the format with the account's id in it.
private struct SiftAddress: Sendable, Hashable {
    /// The whole address.
    let url: String

    /// Fills a format; nil when it has no place for the account, or does not become an http or https address.
    init?(format: String, accountID: String) {
        let parts = format.split(separator: "%@", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return nil }
        // A path's `.` and `..` are directions, not names: no id can become another path.
        let isDirection = accountID == "." || accountID == ".."
        let name = isDirection ? String(repeating: "%2E", count: accountID.count) : accountID.percentEncoded()
        let url = parts.joined(separator: name)
        guard HTTPAddress(url) != nil else { return nil }
        self.url = url
    }
}
