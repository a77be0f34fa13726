// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

/// A destination whose events wait for the app itself: nothing is ever sent for it, and the app reads back what waits, does with
/// it what it likes, and removes it.
///
/// ```swift
/// let analytics = try Analytics(Configuration(appID: "shopping", destinations: [.local("exports")]))
/// analytics.record("order", ["total": 99.9], to: ["exports"])
///
/// let snapshot = try analytics.pendingEvents(for: "exports")
/// try snapshot.readEvents { event in
///     try file.write(event)
///     return true
/// }
/// try snapshot.remove()
/// ```
/// Its events have no age limit and a limit of bytes of their own (``Configuration/Storage/maximumLocalDestinationBytes``). Consent counts as for
/// every destination. The ledger shows what waits as pending, and what was removed after a snapshot as delivered.
public struct LocalDestination: Destination {
    /// The target's name in routes, snapshots and the ledger.
    public let id: DestinationID

    /// A target.
    public init(_ id: DestinationID) {
        self.id = id
    }

    /// Never called by the SDK: nothing is sent for a target.
    public func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        throw WireEncodingError(.misconfigured, "\"\(id)\" is a target of the app's: read it with a snapshot")
    }

    /// Never called by the SDK.
    public func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        .misconfigured(reason: "\"\(id)\" is a target of the app's: read it with a snapshot")
    }
}

extension DestinationConfiguration {
    /// A target of the app's own; see `LocalDestination`.
    ///
    /// - Parameter id: names it in routes and the ledger. It must stay the same for ever, because the place in the journal is
    ///   stored under it.
    public static func local(_ id: DestinationID) -> DestinationConfiguration {
        DestinationConfiguration(LocalDestination(id))
    }
}
