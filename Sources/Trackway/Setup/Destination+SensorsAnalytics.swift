// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayDestinations
public import TrackwayEvents
public import TrackwayWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Destination where Self == SensorsAnalyticsDestination {
    /// A back-end that speaks Sensors Analytics.
    ///
    /// ```swift
    /// Configuration(appID: "shopping", destinations: [
    ///     .sensorsAnalytics(serverURL: URL(string: "https://events.example.com/sa?project=production")!)
    /// ])
    /// ```
    /// - Parameters:
    ///   - serverURL: where the back-end listens; its query names the project and may hold a token.
    ///   - options: what the destination does beside that: debug mode, cookie, session ids.
    ///   - id: names this destination in routes and the ledger. It must stay the same for ever, because the place in
    ///     the journal is stored under it.
    public static func sensorsAnalytics(
        serverURL: URL,
        options: SensorsAnalyticsOptions = SensorsAnalyticsOptions(),
        id: DestinationID = "sensors-analytics"
    ) -> SensorsAnalyticsDestination {
        SensorsAnalyticsDestination(id: id, serverURL: serverURL.absoluteString, options: options)
    }
}
