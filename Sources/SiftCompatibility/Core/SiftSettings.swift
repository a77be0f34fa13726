// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
package import TrackwayDestinations
internal import TrackwayEvents

/// What an app chose about where its events go.
package struct SiftSettings: Sendable, Hashable {
    /// The account events belong to.
    package var accountId: String?
    /// What the back-end knows the app by.
    package var beaconKey: String?
    /// The address, `%@` where the account's id goes.
    package var serverUrlFormat: String? = SiftDestination.defaultServerURLFormat
    /// Which client's set of keys is sent.
    package var edition = SiftDestination.Edition.legacy
    /// Whether a batch is given up after three refusals.
    package var strikesOut = false
    /// The destinations of removed queues of which something handed over may wait, in alphabetical order.
    package var leaving: [String] = []

    /// Nothing was chosen.
    package init() {}

    /// A queue's destination.
    func destination(_ id: DestinationID) -> SiftDestination {
        SiftDestination(
            id: id,
            accountID: accountId,
            beaconKey: beaconKey,
            serverURLFormat: serverUrlFormat ?? "",
            edition: edition
        )
    }

    /// When a batch is given up; nil for never.
    var attempts: AttemptLimit? { strikesOut ? .threeStrikes : nil }

    /// What keeps events from being sent, if anything does.
    package var faults: [SiftFault] {
        var faults: [SiftFault] = []
        if accountId?.isEmpty ?? true { faults.append(Self.missing("accountId", "account id")) }
        if beaconKey?.isEmpty ?? true { faults.append(Self.missing("beaconKey", "beacon key")) }
        if !SiftDestination.isUsable(serverURLFormat: serverUrlFormat ?? "") {
            faults.append(
                SiftFault(
                    field: "serverUrlFormat",
                    value: serverUrlFormat ?? "",
                    message: "The address format \((serverUrlFormat ?? "").quoted) is invalid. Nothing is sent; "
                        + "everything is stored.",
                    recoverySuggestion: "Use an http or https address with %@ in place of the account id."
                )
            )
        }
        return faults
    }

    private static func missing(_ field: String, _ what: String) -> SiftFault {
        SiftFault(
            field: field,
            value: "",
            message: "The \(what) is missing. Nothing is sent; everything is stored.",
            recoverySuggestion: "Set \(field)."
        )
    }
}

// MARK: Over restarts

extension SiftSettings {
    /// The name of the file in the installation's folder that holds what is kept.
    package static let file = "sift"

    /// What is kept over restarts: account and key, whether batches are given up, and which removed queues leave.
    package var kept: [UInt8] {
        var members = [("account", accountId), ("beacon_key", beaconKey)].compactMap { key, text in
            text.map { JSONValue.Object.Member(key: key, value: .string($0)) }
        }
        if strikesOut { members.append(.init(key: "strikes_out", value: .boolean(true))) }
        if !leaving.isEmpty { members.append(.init(key: "leaving", value: .array(leaving.map { .string($0) }))) }
        return JSONValue.object(JSONValue.Object(members)).json()
    }

    /// Takes over what an earlier process kept. What cannot be understood says nothing: the app sets both at its start.
    package mutating func recall(_ kept: [UInt8]) {
        guard let json = try? JSONValue.parse(kept) else { return }  // As above.
        accountId = json["account"]?.string ?? accountId
        beaconKey = json["beacon_key"]?.string ?? beaconKey
        strikesOut = json["strikes_out"]?.boolean ?? strikesOut
        leaving = json["leaving"]?.array?.compactMap(\.string) ?? leaving
    }
}
