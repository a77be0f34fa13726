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

    /// Judges an answer. Status 200 lets go of the events, unless a page or another host says it.
    public func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        // Without an address no request was made; whoever answered all the same was not asked.
        SiftJudge.verdict(on: response, from: try? address())
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
}
