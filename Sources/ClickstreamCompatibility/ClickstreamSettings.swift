// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations
internal import TrackwayMigration
internal import TrackwayUIKit

/// The settings in an app's code or in its configuration file.
///
/// A setting is nil if it is not set.
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
    /// Unsupported keys of the configuration file.
    var unknownKeys: [String] = []

    /// Returns these settings, with missing ones taken from `other`.
    func withDefaults(from other: ClickstreamSettings) -> ClickstreamSettings {
        ClickstreamSettings(
            appID: Self.nonEmpty(appID) ?? other.appID,
            endpoint: Self.nonEmpty(endpoint) ?? other.endpoint,
            isLoggingEvents: isLoggingEvents ?? other.isLoggingEvents,
            isCompressingEvents: isCompressingEvents ?? other.isCompressingEvents,
            // Zero or less is not a valid interval: use the file's interval, or else the default.
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

    private static func nonEmpty(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension ClickstreamSettings {
    /// The default sending interval, in milliseconds.
    private static let defaultInterval = 10_000
    /// The default session timeout, in milliseconds.
    private static let defaultTimeout: Int64 = 1_800_000
    /// Event limits wide enough that the format's own limits apply first.
    ///
    /// The format's limits count characters, and in some scripts a character takes two dozen bytes.
    private static var permissiveLimits: EventLimits {
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

    /// Returns the destination for these settings.
    ///
    /// - Throws: ``ClickstreamError`` if no app ID or endpoint is set.
    func destination() throws(ClickstreamError) -> ClickstreamDestination {
        guard let appID, !appID.isEmpty, let endpoint, !endpoint.isEmpty else {
            throw ClickstreamError(
                .incomplete,
                "appId and endpoint are required; set them in ClickstreamConfiguration or amplifyconfiguration.json."
            )
        }
        return ClickstreamDestination(
            appID: appID,
            endpoint: endpoint,
            isCompressed: isCompressingEvents ?? true,
            authCookie: authCookie
        )
    }

    /// Returns the SDK's configuration for these settings.
    ///
    /// - Throws: ``ClickstreamError`` if no app ID or endpoint is set.
    func configuration() throws(ClickstreamError) -> Configuration {
        let destination = try destination()
        var configuration = Configuration(
            appID: Bundle.main.bundleIdentifier ?? destination.appID,
            destinations: [DestinationConfiguration(destination)],
            consent: .granted
        )
        configuration.recordsConsent = false
        configuration.privacy.sharesVendorID = true
        configuration.legacySDK = LegacySDK.clickstream(appID: destination.appID)
        let interval = sendEventsInterval.flatMap { $0 > 0 ? $0 : nil } ?? Self.defaultInterval
        configuration.delivery.policy.flushInterval = .milliseconds(interval)
        configuration.limits = Self.permissiveLimits
        configuration.capture = capture
        configuration.sessions.timeout = timeout
        configuration.logEvents = isLoggingEvents ?? false
        // This is the text that the documentation says to look for in the log.
        configuration.eventLogLabel = "EventRecorder"
        configuration.eventLogForm = { batch, _ in destination.eventJSON(of: batch) }
        return configuration
    }

    /// The events that are recorded automatically.
    var capture: CaptureOptions {
        var capture = CaptureOptions.standard
        if isTrackingScreenViews == false { capture.remove(.screens) }
        if isTrackingUserEngagement == false { capture.remove(.engagement) }
        if isTrackingAppExceptions == true { capture.insert(.crashes) }
        return capture
    }

    /// The parts of the interface to capture automatically: screens, by default.
    ///
    /// Without screens, no UIKit method is swizzled.
    var automaticCapture: AutomaticCapture.Features { AutomaticCapture.Features(screens: capture.contains(.screens)) }

    /// The time in the background after which a session ends.
    var timeout: Duration { .milliseconds(max(0, sessionTimeout ?? Self.defaultTimeout)) }
}
