// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
public import Trackway
internal import TrackwayCore
package import TrackwayDestinations
internal import TrackwayMigration

/// The SDK's options, which are read once, when the SDK is started.
///
/// ```swift
/// let options = SAConfigOptions(serverURL: "https://events.example.com/sa?project=production", launchOptions: nil)
/// options.autoTrackEventType = [.eventTypeAppStart, .eventTypeAppEnd]
/// SensorsAnalyticsSDK.start(configOptions: options)
/// ```
/// The class is not `Sendable`: configure the options in one place and start the SDK with them.
public final class SAConfigOptions {
    /// The address that events are sent to.
    ///
    /// Its query names the project and may contain a token.
    public var serverURL: String
    /// The events that are recorded automatically.
    ///
    /// None by default.
    public var autoTrackEventType: SensorsAnalyticsAutoTrackEventType = []

    /// The address of the back end's configuration.
    ///
    /// An empty string means the default: an address next to ``serverURL``.
    public var remoteConfigURL = ""
    /// Whether a configuration is requested from the back end.
    ///
    /// True by default.
    public var enableRemoteConfig = true

    /// The maximum time until an event is sent, in milliseconds.
    ///
    /// 15,000 by default, at least 5,000.
    public var flushInterval = 15_000
    /// The number of pending events that starts an upload immediately.
    ///
    /// 100 by default, at least 50.
    public var flushBulkSize = 100

    /// Whether events are also written to standard error.
    ///
    /// False by default.
    public var enableLog = false
    /// Whether a crash is reported at the next launch.
    ///
    /// False by default.
    public var enableTrackAppCrash = false
    /// Whether each event contains the ID of its session.
    ///
    /// False by default.
    public var enableSession = false
    /// The seconds in the background after which a new session begins.
    ///
    /// 300 by default.
    public var eventSessionTimeout = 300
    /// Whether the SDK starts disabled.
    ///
    /// False by default.
    public var disableSDK = false

    /// A closure that changes settings that this class lacks.
    ///
    /// The closure is called right before the SDK is created, for example to set the storage folder, consent,
    /// diagnostics, or further destinations.
    public var configure: (inout Configuration) -> Void = { _ in }

    /// Creates the options for a back end.
    ///
    /// - Parameters:
    ///   - serverURL: The address to send events to. An invalid address is reported, and events are stored until it is
    ///     corrected.
    ///   - launchOptions: The options that the system passed to the app at launch, which are not read.
    public init(serverURL: String, launchOptions: [AnyHashable: Any]? = nil) {
        self.serverURL = serverURL
    }
}

/// The events that are recorded automatically.
public struct SensorsAnalyticsAutoTrackEventType: OptionSet, Sendable, Hashable {
    /// The set as a bit mask.
    public let rawValue: UInt

    /// Creates a set with these bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The app was started: `$AppStart`, or `$AppStartPassively` in the background.
    public static let eventTypeAppStart = SensorsAnalyticsAutoTrackEventType(rawValue: 1)
    /// The app left the foreground: `$AppEnd`.
    public static let eventTypeAppEnd = SensorsAnalyticsAutoTrackEventType(rawValue: 2)
    /// An element was clicked: `$AppClick`.
    public static let eventTypeAppClick = SensorsAnalyticsAutoTrackEventType(rawValue: 4)
    /// A screen was shown: `$AppViewScreen`.
    public static let eventTypeAppViewScreen = SensorsAnalyticsAutoTrackEventType(rawValue: 8)
}

extension SAConfigOptions {
    /// The ID of the compatibility module's destination.
    static let destinationID: DestinationID = "sensors-analytics"

    /// Returns the destination for these options.
    func destination(debugMode: SensorsAnalyticsDebugMode) -> SensorsAnalyticsDestination {
        var options = SensorsAnalyticsOptions()
        options.debugMode = debugMode
        options.namesSession = enableSession
        return SensorsAnalyticsDestination(id: Self.destinationID, serverURL: serverURL, options: options)
    }

    /// Returns Trackway's configuration for these options.
    package func configuration(debugMode: SensorsAnalyticsDebugMode) -> Configuration {
        var configuration = Configuration(
            appID: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
            destinations: [DestinationConfiguration(destination(debugMode: debugMode))],
            consent: .granted
        )
        configuration.recordsConsent = false
        configuration.privacy.sharesVendorID = true
        configuration.capture = capture
        configuration.sessions.timeout = sessionTimeout
        configuration.limits = Self.limits
        configuration.logEvents = enableLog
        let shown = destination(debugMode: debugMode)
        configuration.eventLogForm = { shown.eventJSON(of: $0, sentAt: $1) }
        configuration.modes = [Self.destinationID.rawValue: .string(debugMode.rawValue)]
        configuration.delivery.policy = DeliveryPolicy(
            flushInterval: .milliseconds(max(5_000, flushInterval)),
            flushEvents: flushEvents(debugMode)
        )
        configuration.legacySDK = LegacySDK.sensorsAnalytics()
        configure(&configuration)
        return configuration
    }

    /// Returns the number of pending events that starts an upload.
    ///
    /// In a debug mode, each event is sent as soon as it is recorded.
    func flushEvents(_ debugMode: SensorsAnalyticsDebugMode) -> Int {
        debugMode == .off ? max(50, flushBulkSize) : 1
    }

    /// The Trackway capture options that correspond to these options.
    var capture: CaptureOptions {
        var capture = autoTrackEventType.capture
        if enableSession { capture.insert(.sessions) }
        if enableTrackAppCrash { capture.insert(.crashes) }
        return capture
    }

    /// The session timeout.
    ///
    /// The format has no sessions unless they are enabled. Without sessions, returning to the app does not record its
    /// screen again.
    private var sessionTimeout: Duration {
        .seconds(enableSession ? Int64(max(1, eventSessionTimeout)) : 100 * 365 * 86_400)
    }

    /// Trackway's event limits, as high as the limits of the format.
    ///
    /// The format's limits are higher than the default ones. They count UTF-16 units, each of which takes at most three
    /// bytes in UTF-8.
    private static var limits: EventLimits {
        var limits = EventLimits()
        limits.nameBytes = 1_024
        limits.keyBytes = 1_024
        limits.stringBytes = 3 * SensorsAnalyticsRules.crashReasonLength
        limits.attributes = 1_000
        limits.eventBytes = 256 * 1_024
        return limits
    }
}

extension SensorsAnalyticsAutoTrackEventType {
    /// The Trackway capture options that correspond to these events.
    var capture: CaptureOptions {
        // Launches and exits are observed even if neither is enabled, so that the very first launch is recognized once
        // they are enabled. The policy prevents them from being recorded.
        var capture: CaptureOptions = .launches
        if contains(.eventTypeAppViewScreen) { capture.insert(.screens) }
        return capture
    }

    /// The captured events that are not recorded.
    ///
    /// The blocked events are of kinds outside the set, or unknown to the format.
    var blockedEvents: Set<String> {
        var blocked: Set<String> = [CapturedName.firstOpen, CapturedName.sessionStart]
        if !contains(.eventTypeAppStart) { blocked.insert(CapturedName.appStart) }
        if !contains(.eventTypeAppEnd) { blocked.insert(CapturedName.appEnd) }
        if !contains(.eventTypeAppClick) { blocked.insert(CapturedName.click) }
        return blocked
    }
}
