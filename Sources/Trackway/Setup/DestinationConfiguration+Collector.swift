// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDestinationKit

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension DestinationConfiguration {
    /// Returns a destination for a Trackway collector.
    ///
    /// ```swift
    /// Configuration(appID: "shopping", destinations: [
    ///     .collector(URL(string: "http://127.0.0.1:8787")!, writeKey: "dev")
    /// ], consent: .granted)
    /// ```
    /// - Parameters:
    ///   - url: The collector's URL; events are posted to `v1/events` below it. Its query, if any, is kept.
    ///   - writeKey: The key that identifies the app at the collector; `trackway keys create` creates one.
    ///   - id: The destination's id in routes and the ledger. The id must never change, because the position in the
    ///     journal is stored under it.
    ///   - durabilities: The durabilities at the collector that allow events to be removed from the device; see [the
    ///     wire format](../../../Documentation/WireFormat.md).
    ///   - isCompressed: Whether bodies are compressed with gzip. Use false if a proxy in front of the collector
    ///     rejects compressed bodies.
    public static func collector(
        _ url: URL,
        writeKey: String,
        id: DestinationID = "collector",
        accepting durabilities: Set<CollectorDurability> = .standard,
        isCompressed: Bool = true
    ) -> DestinationConfiguration {
        DestinationConfiguration(
            CollectorDestination(
                id: id,
                url: url.absoluteString,
                writeKey: writeKey,
                accepting: durabilities,
                isCompressed: isCompressed
            )
        )
    }
}
