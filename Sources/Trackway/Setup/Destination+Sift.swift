// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayDestinations
public import TrackwayEvents
public import TrackwayWire

extension Destination where Self == SiftDestination {
    /// A back-end that speaks Sift.
    ///
    /// ```swift
    /// Configuration(appID: "shopping", destinations: [
    ///     .sift(accountID: "5f053f004025ca08a187fad6", beaconKey: "6442baaa8c")
    /// ])
    /// ```
    /// - Parameters:
    ///   - accountID: the account events belong to; without one, events wait.
    ///   - beaconKey: what the back-end knows the app by; without one, events wait.
    ///   - serverURLFormat: an http or https address with `%@` where the account's id goes.
    ///   - edition: which client's set of keys is sent.
    ///   - id: names this destination in routes and the ledger. It must stay the same for ever, because the place in
    ///     the journal is stored under it.
    public static func sift(
        accountID: String?,
        beaconKey: String?,
        serverURLFormat: String = SiftDestination.defaultServerURLFormat,
        edition: SiftDestination.Edition = .legacy,
        id: DestinationID = "sift"
    ) -> SiftDestination {
        SiftDestination(
            id: id,
            accountID: accountID,
            beaconKey: beaconKey,
            serverURLFormat: serverURLFormat,
            edition: edition
        )
    }
}
