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

extension Destination where Self == ClickstreamDestination {
    /// An ingestion server that speaks Clickstream.
    ///
    /// ```swift
    /// Configuration(appID: "shopping", destinations: [
    ///     .clickstream(appID: "shopping", endpoint: URL(string: "https://events.example.com/collect")!)
    /// ])
    /// ```
    /// - Parameters:
    ///   - appID: what the pipeline knows the app by.
    ///   - endpoint: where events are posted; a query it has is replaced.
    ///   - isCompressed: whether bodies are compressed.
    ///   - authCookie: the cookie a load balancer wants to see, as it gave it.
    ///   - userAttributes: which events carry the attributes of the user.
    ///   - id: names this destination in routes and the ledger. It must stay the same for ever, because the place in
    ///     the journal is stored under it.
    public static func clickstream(
        appID: String,
        endpoint: URL,
        isCompressed: Bool = true,
        authCookie: String? = nil,
        userAttributes: ClickstreamDestination.UserAttributes = .everyEvent,
        id: DestinationID = "clickstream"
    ) -> ClickstreamDestination {
        ClickstreamDestination(
            id: id,
            appID: appID,
            endpoint: endpoint.absoluteString,
            isCompressed: isCompressed,
            authCookie: authCookie,
            userAttributes: userAttributes
        )
    }
}
