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

extension DestinationConfiguration {
    /// Trackway's own collector.
    ///
    /// ```swift
    /// Configuration(appID: "shopping", destinations: [
    ///     .collector(URL(string: "http://127.0.0.1:8787")!, writeKey: "dev")
    /// ])
    /// ```
    /// - Parameters:
    ///   - url: where the collector listens; events go to `v1/events` below it. A query it has is kept.
    ///   - writeKey: what the collector knows this app by; `trackway keys create` makes one.
    ///   - id: names this destination in routes and the ledger. It must stay the same forever, because the place in
    ///     the journal is stored under it.
    ///   - durabilities: what events must have become at the collector before they are let go here; see
    ///     [the wire format](../../../Documentation/WireFormat.md).
    ///   - isCompressed: whether bodies are compressed with gzip. Set it to false if a proxy in front of the collector refuses them.
    public static func collector(
        _ url: URL,
        writeKey: String,
        id: DestinationID = "collector",
        accepting durabilities: Set<CollectorDurability> = .usual,
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

extension DestinationConfiguration {
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
    ///   - id: names this destination in routes and the ledger. It must stay the same forever, because the place in
    ///     the journal is stored under it.
    public static func clickstream(
        appID: String,
        endpoint: URL,
        isCompressed: Bool = true,
        authCookie: String? = nil,
        userAttributes: ClickstreamDestination.UserAttributes = .everyEvent,
        id: DestinationID = "clickstream"
    ) -> DestinationConfiguration {
        DestinationConfiguration(
            ClickstreamDestination(
                id: id,
                appID: appID,
                endpoint: endpoint.absoluteString,
                isCompressed: isCompressed,
                authCookie: authCookie,
                userAttributes: userAttributes
            )
        )
    }
}

extension DestinationConfiguration {
    /// A back end that speaks Sensors Analytics.
    ///
    /// ```swift
    /// Configuration(appID: "shopping", destinations: [
    ///     .sensorsAnalytics(serverURL: URL(string: "https://events.example.com/sa?project=production")!)
    /// ])
    /// ```
    /// - Parameters:
    ///   - serverURL: where the back end listens; its query names the project and may hold a token.
    ///   - options: what the destination does beside that: debug mode, cookie, session ids.
    ///   - id: names this destination in routes and the ledger. It must stay the same forever, because the place in
    ///     the journal is stored under it.
    public static func sensorsAnalytics(
        serverURL: URL,
        options: SensorsAnalyticsOptions = SensorsAnalyticsOptions(),
        id: DestinationID = "sensors-analytics"
    ) -> DestinationConfiguration {
        DestinationConfiguration(
            SensorsAnalyticsDestination(id: id, serverURL: serverURL.absoluteString, options: options)
        )
    }
}

extension DestinationConfiguration {
    /// A back end that speaks Sift.
    ///
    /// ```swift
    /// Configuration(appID: "shopping", destinations: [
    ///     .sift(accountID: "5f053f004025ca08a187fad6", beaconKey: "6442baaa8c")
    /// ])
    /// ```
    /// - Parameters:
    ///   - accountID: the account events belong to; without one, events wait.
    ///   - beaconKey: what the back end knows the app by; without one, events wait.
    ///   - serverURLFormat: an http or https address with `%@` where the account's id goes.
    ///   - edition: which client's set of keys is sent.
    ///   - id: names this destination in routes and the ledger. It must stay the same forever, because the place in
    ///     the journal is stored under it.
    public static func sift(
        accountID: String?,
        beaconKey: String?,
        serverURLFormat: String = SiftDestination.defaultServerURLFormat,
        edition: SiftDestination.Edition = .legacy,
        id: DestinationID = "sift"
    ) -> DestinationConfiguration {
        DestinationConfiguration(
            SiftDestination(
                id: id,
                accountID: accountID,
                beaconKey: beaconKey,
                serverURLFormat: serverURLFormat,
                edition: edition
            )
        )
    }
}

extension DestinationConfiguration {
    /// Usage reports of SAP Mobile Services.
    ///
    /// ```swift
    /// Configuration(appID: "shopping", destinations: [
    ///     .sapMobileServices(URL(string: "https://tenant.example.com")!, applicationID: "org.example.shop")
    /// ])
    /// ```
    /// - Parameters:
    ///   - backendURL: the back end's address; reports go to a path of the application below it.
    ///   - applicationID: what the back end knows the application by.
    ///   - namesDevice: whether the device's id stands in the path, too.
    ///   - headers: further header fields, such as the `Authorization` that the back end's security asks for.
    ///   - id: names this destination in routes and the ledger. It must stay the same forever, because the place in
    ///     the journal is stored under it.
    public static func sapMobileServices(
        _ backendURL: URL,
        applicationID: String,
        namesDevice: Bool = true,
        headers: WireHeaders = [:],
        id: DestinationID = "sap-mobile-services"
    ) -> DestinationConfiguration {
        DestinationConfiguration(
            SAPMobileServicesDestination(
                id: id,
                backendURL: backendURL.absoluteString,
                applicationID: applicationID,
                namesDevice: namesDevice,
                headers: headers
            )
        )
    }
}
