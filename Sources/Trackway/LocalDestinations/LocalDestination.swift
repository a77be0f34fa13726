// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit

extension DestinationConfiguration {
    /// Returns a destination whose events the app reads and removes itself.
    ///
    /// The SDK sends nothing for such a local destination.
    ///
    /// ```swift
    /// let analytics = try Analytics(Configuration(appID: "shopping", destinations: [.local("exports")]))
    /// analytics.record("order", ["total": 99.9], to: ["exports"])
    ///
    /// let snapshot = try analytics.pendingEvents(for: "exports")
    /// for try await event in snapshot.events {
    ///     try file.write(event)
    /// }
    /// try snapshot.remove()
    /// ```
    /// A local destination's events have no age limit, and have a separate size limit,
    /// ``Configuration/Storage/maximumLocalDestinationBytes``. Consent applies as it does to every destination. The
    /// ledger counts events as pending until the app removes them, and then as delivered.
    ///
    /// - Parameter id: The id in routes and in the ledger. The id must never change, because the position in the
    ///   journal is stored under it.
    public static func local(_ id: DestinationID) -> DestinationConfiguration {
        DestinationConfiguration(LocalDestination(id))
    }
}

/// The format of local destinations, which the SDK never calls.
struct LocalDestination: Destination {
    let id: DestinationID

    init(_ id: DestinationID) { self.id = id }

    /// Never called by the SDK, which sends nothing for a local destination.
    func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        throw WireEncodingError(.misconfigured, "\"\(id)\" is app-managed: read its events with pendingEvents(for:)")
    }

    /// Never called by the SDK.
    func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        .misconfigured(reason: "\"\(id)\" is app-managed: read its events with pendingEvents(for:)")
    }
}
