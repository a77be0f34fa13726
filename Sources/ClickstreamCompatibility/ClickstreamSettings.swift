// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
