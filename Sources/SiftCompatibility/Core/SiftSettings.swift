// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
package import TrackwayDestinations

/// An app's settings for sending events.
package struct SiftSettings: Sendable, Hashable {
    /// The account that events belong to.
    package var accountId: String?
    /// The key that identifies the app to the back end.
    package var beaconKey: String?
    /// The address, with `%@` in place of the account ID.
    package var serverUrlFormat: String? = SiftDestination.defaultServerURLFormat
    /// The client whose set of keys is sent.
    package var edition = SiftDestination.Edition.legacy
    /// Whether a batch is dropped after three rejections.
    package var dropsAfterThreeStrikes = false
    /// Destinations of removed queues whose handed-over events may not have been delivered yet.
    ///
    /// The list is in alphabetical order.
    package var draining: [String] = []

    /// Creates the default settings.
    package init() {}

    /// Returns a queue's destination.
    func destination(_ id: DestinationID) -> SiftDestination {
        SiftDestination(
            id: id,
            accountID: accountId,
            beaconKey: beaconKey,
            serverURLFormat: serverUrlFormat ?? "",
            edition: edition
        )
    }

    /// The number of failures after which a batch is dropped.
    ///
    /// The value is nil if batches are never dropped.
    var attemptLimit: AttemptLimit? { dropsAfterThreeStrikes ? .threeStrikes : nil }

    /// The reasons why events cannot be sent; empty if they can.
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

// MARK: Persistence

extension SiftSettings {
    /// The name of the settings file in the installation's folder.
    package static let file = "sift"

    /// The settings that persist across restarts, as JSON.
    ///
    /// They are the account and key, whether batches are dropped, and the removed queues that are still being
    /// delivered.
    package var encoded: [UInt8] {
        var members = [("account", accountId), ("beacon_key", beaconKey)].compactMap { key, text in
            text.map { JSONValue.Object.Member(key: key, value: .string($0)) }
        }
        if dropsAfterThreeStrikes { members.append(.init(key: "strikes_out", value: .boolean(true))) }
        if !draining.isEmpty { members.append(.init(key: "leaving", value: .array(draining.map { .string($0) }))) }
        return JSONValue.object(JSONValue.Object(members)).json()
    }

    /// Restores the settings that an earlier process saved.
    ///
    /// Settings that cannot be decoded are ignored: the app sets the account and key at its launch.
    package mutating func restore(from data: [UInt8]) {
        guard let json = try? JSONValue.parse(data) else { return }  // See above.
        accountId = json["account"]?.string ?? accountId
        beaconKey = json["beacon_key"]?.string ?? beaconKey
        dropsAfterThreeStrikes = json["strikes_out"]?.boolean ?? dropsAfterThreeStrikes
        draining = json["leaving"]?.array?.compactMap(\.string) ?? draining
    }
}
