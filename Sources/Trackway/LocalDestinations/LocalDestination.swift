// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

/// A destination whose events the app reads and removes itself.
///
/// The SDK sends nothing for it.
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
/// Its events have no age limit and a separate size limit, ``Configuration/Storage/maximumLocalDestinationBytes``.
/// Consent applies as to every destination. The ledger counts events as pending until the app removes them, and then as
/// delivered.
public struct LocalDestination: Destination {
    /// The id in routes, in ``Analytics/pendingEvents(for:)`` and in the ledger.
    public let id: DestinationID

    /// Creates a local destination with an id.
    public init(_ id: DestinationID) {
        self.id = id
    }

    /// Never called by the SDK, which sends nothing for a local destination.
    public func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        throw WireEncodingError(.misconfigured, "\"\(id)\" is app-managed: read its events with pendingEvents(for:)")
    }

    /// Never called by the SDK.
    public func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        .misconfigured(reason: "\"\(id)\" is app-managed: read its events with pendingEvents(for:)")
    }
}

extension DestinationConfiguration {
    /// Returns a destination whose events the app reads and removes itself.
    ///
    /// See ``LocalDestination``.
    ///
    /// - Parameter id: The id in routes and in the ledger. It must never change, because the position in the journal is
    ///   stored under it.
    public static func local(_ id: DestinationID) -> DestinationConfiguration {
        DestinationConfiguration(LocalDestination(id))
    }
}
