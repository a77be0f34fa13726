// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
public import TrackwayCore
public import TrackwayDestinationKit

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension DestinationConfiguration {
    /// Returns a destination for a Clickstream ingestion server.
    ///
    /// ```swift
    /// Configuration(appID: "shopping", destinations: [
    ///     .clickstream(appID: "shopping", endpoint: URL(string: "https://events.example.com/collect")!)
    /// ], consent: .granted)
    /// ```
    /// - Parameters:
    ///   - appID: The app's id in the pipeline.
    ///   - endpoint: The URL that events are posted to; its query, if any, is replaced.
    ///   - isCompressed: Whether bodies are compressed.
    ///   - authCookie: The cookie that a load balancer requires, exactly as it was issued.
    ///   - userAttributes: The events that contain the user's attributes.
    ///   - id: The destination's id in routes and the ledger. It must never change, because the position in the journal
    ///     is stored under it.
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
    /// Returns a destination for a Sensors Analytics back end.
    ///
    /// ```swift
    /// Configuration(appID: "shopping", destinations: [
    ///     .sensorsAnalytics(serverURL: URL(string: "https://events.example.com/sa?project=production")!)
    /// ], consent: .granted)
    /// ```
    /// - Parameters:
    ///   - serverURL: The back end's URL; its query names the project and may contain a token.
    ///   - options: Other settings of the destination: debug mode, cookie, session ids.
    ///   - id: The destination's id in routes and the ledger. It must never change, because the position in the journal
    ///     is stored under it.
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
    /// Returns a destination for a Sift back end.
    ///
    /// ```swift
    /// Configuration(appID: "shopping", destinations: [
    ///     .sift(accountID: "5f053f004025ca08a187fad6", beaconKey: "6442baaa8c")
    /// ], consent: .granted)
    /// ```
    /// - Parameters:
    ///   - accountID: The account that events belong to; without an account, events stay pending.
    ///   - beaconKey: The key that identifies the app to the back end; without a key, events stay pending.
    ///   - serverURLFormat: An http or https URL with `%@` in place of the account's id.
    ///   - edition: The edition of the client whose set of keys is sent.
    ///   - id: The destination's id in routes and the ledger. It must never change, because the position in the journal
    ///     is stored under it.
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
    /// Returns a destination for usage reports of SAP Mobile Services.
    ///
    /// ```swift
    /// Configuration(appID: "shopping", destinations: [
    ///     .sapMobileServices(URL(string: "https://tenant.example.com")!, applicationID: "org.example.shop")
    /// ], consent: .granted)
    /// ```
    /// - Parameters:
    ///   - backendURL: The back end's URL; reports are posted to an application-specific path below it.
    ///   - applicationID: The application's id at the back end.
    ///   - namesDevice: Whether the path also contains the device's id.
    ///   - headers: Additional header fields, such as the `Authorization` that the back end's security requires.
    ///   - id: The destination's id in routes and the ledger. It must never change, because the position in the journal
    ///     is stored under it.
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
