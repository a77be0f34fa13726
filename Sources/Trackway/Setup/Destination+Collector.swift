// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Destination where Self == CollectorDestination {
    /// Trackway's own collector.
    ///
    /// ```swift
    /// Configuration(appID: "shopping", destinations: [
    ///     .collector(URL(string: "http://127.0.0.1:8787")!, writeKey: "dev")
    /// ])
    /// ```
    /// - Parameters:
    ///   - url: where the collector listens; events go to `v1/events` below it.
    ///   - writeKey: what the collector knows this app by; `trackway keys create` makes one.
    ///   - id: names this destination in routes and the ledger. It must stay the same for ever, because the place in
    ///     the journal is stored under it.
    public static func collector(
        _ url: URL,
        writeKey: String,
        id: DestinationID = "collector"
    ) -> CollectorDestination {
        CollectorDestination(id: id, url: url.absoluteString, writeKey: writeKey)
    }
}
