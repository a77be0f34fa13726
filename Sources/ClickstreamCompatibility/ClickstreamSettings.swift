// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayDestinations
internal import TrackwayEvents
internal import TrackwayUIKit
internal import TrackwayWire

/// What an app, or its configuration file, chose. What nobody chose is nil.
struct ClickstreamSettings: Sendable {
    var appID: String?
    var endpoint: String?
    var isLoggingEvents: Bool?
    var isCompressingEvents: Bool?
    var sendEventsInterval: Int?
    var sessionTimeout: Int64?
    var isTrackingScreenViews: Bool?
    var isTrackingUserEngagement: Bool?
    var isTrackingAppExceptions: Bool?
    var authCookie: String?
    var globalAttributes: ClickstreamAttribute?
    /// Keys of the configuration file that have no meaning.
    var unknownKeys: [String] = []

    /// These settings where they say something, else those of `other`.
    func completed(by other: ClickstreamSettings) -> ClickstreamSettings {
        ClickstreamSettings(
            appID: Self.filled(appID) ?? other.appID,
            endpoint: Self.filled(endpoint) ?? other.endpoint,
            isLoggingEvents: isLoggingEvents ?? other.isLoggingEvents,
            isCompressingEvents: isCompressingEvents ?? other.isCompressingEvents,
            // Nothing or less than nothing is no interval: the file's, or the usual one.
            sendEventsInterval: sendEventsInterval.flatMap { $0 > 0 ? $0 : nil } ?? other.sendEventsInterval,
            sessionTimeout: sessionTimeout ?? other.sessionTimeout,
            isTrackingScreenViews: isTrackingScreenViews ?? other.isTrackingScreenViews,
            isTrackingUserEngagement: isTrackingUserEngagement ?? other.isTrackingUserEngagement,
            isTrackingAppExceptions: isTrackingAppExceptions ?? other.isTrackingAppExceptions,
            authCookie: authCookie ?? other.authCookie,
            globalAttributes: globalAttributes ?? other.globalAttributes,
            unknownKeys: unknownKeys + other.unknownKeys
        )
    }

    private static func filled(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension ClickstreamSettings {
    /// The usual time between sendings, in milliseconds.
    private static let usualInterval = 10_000
    /// The usual time after which a session is over, in milliseconds.
    private static let usualTimeout: Int64 = 1_800_000
    /// What an event may carry so that the format's own limits, which count characters, are the ones that are felt. A
    /// character of some scripts is two dozen bytes.
    private static var roomyLimits: EventLimits {
        var limits = EventLimits()
        limits.nameBytes = 4_096
        limits.keyBytes = 4_096
        limits.stringBytes = 32_768
        limits.itemIDBytes = 32_768
        limits.attributes = 1_000
        limits.items = 200
        limits.eventBytes = 384 * 1024
        return limits
    }

    /// Where events go with these settings.
    ///
    /// - Throws: ``ClickstreamError`` when no app id or endpoint was chosen.
    func destination() throws(ClickstreamError) -> ClickstreamDestination {
        guard let appID, !appID.isEmpty, let endpoint, !endpoint.isEmpty else {
            throw ClickstreamError(
                .incomplete,
                "appId and endpoint are required; give them to ClickstreamConfiguration or in amplifyconfiguration.json."
            )
        }
        return ClickstreamDestination(
            appID: appID,
            endpoint: endpoint,
            isCompressed: isCompressingEvents ?? true,
            authCookie: authCookie
        )
    }

    /// The SDK's configuration with these settings.
    ///
    /// - Throws: ``ClickstreamError`` when no app id or endpoint was chosen.
    func configuration() throws(ClickstreamError) -> Configuration {
        let destination = try destination()
        var configuration = Configuration(
            appID: Bundle.main.bundleIdentifier ?? destination.appID,
            destinations: [DestinationConfiguration(destination)]
        )
        configuration.predecessor = .clickstream(appID: destination.appID)
        let interval = sendEventsInterval.flatMap { $0 > 0 ? $0 : nil } ?? Self.usualInterval
        configuration.delivery.policy.flushInterval = .milliseconds(interval)
        configuration.limits = Self.roomyLimits
        configuration.capture = capture
        configuration.sessions.timeout = timeout
        configuration.logEvents = isLoggingEvents ?? false
        // What the document tells people to look for in the log.
        configuration.eventLogLabel = "EventRecorder"
        configuration.eventLogForm = { batch, _ in destination.eventJSON(of: batch) }
        return configuration
    }

    /// What is recorded by itself.
    var capture: CaptureOptions {
        var capture = CaptureOptions.standard
        if isTrackingScreenViews == false { capture.remove(.screens) }
        if isTrackingUserEngagement == false { capture.remove(.engagement) }
        if isTrackingAppExceptions == true { capture.insert(.crashes) }
        return capture
    }

    /// What of the interface is found by itself: screens, by default. Without them no method of UIKit is exchanged.
    var automatic: AutomaticCapture.Wish { AutomaticCapture.Wish(screens: capture.contains(.screens)) }

    /// After how long in the background a session is over.
    var timeout: Duration { .milliseconds(max(0, sessionTimeout ?? Self.usualTimeout)) }
}
