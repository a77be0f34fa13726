// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
public import Trackway
package import TrackwayDestinations
internal import TrackwayEvents

/// How the SDK works; handed over once, when it is started, and not looked at again.
///
/// ```swift
/// let options = SAConfigOptions(serverURL: "https://events.example.com/sa?project=production", launchOptions: nil)
/// options.autoTrackEventType = [.eventTypeAppStart, .eventTypeAppEnd]
/// SensorsAnalyticsSDK.start(configOptions: options)
/// ```
/// Not `Sendable`: set it up in one place and start with it.
public final class SAConfigOptions {
    /// Where events go; its query names the project and may hold a token.
    public var serverURL: String
    /// What is recorded without a call. Nothing by default.
    public var autoTrackEventType: SensorsAnalyticsAutoTrackEventType = []

    /// Where the back-end's configuration lies; empty for the usual place beside ``serverURL``.
    public var remoteConfigURL = ""
    /// Whether the back-end is asked for a configuration. True by default.
    public var enableRemoteConfig = true

    /// The longest an event waits to be sent, in milliseconds: 15,000 by default, at least 5,000.
    public var flushInterval = 15_000
    /// So many waiting events are sent at once: 100 by default, at least 50.
    public var flushBulkSize = 100

    /// Whether events are also written to standard error. False by default.
    public var enableLog = false
    /// Whether a crash is told at the next start. False by default.
    public var enableTrackAppCrash = false
    /// Whether each event names its session. False by default.
    public var enableSession = false
    /// How many seconds the app may be away before another session begins: 300 by default.
    public var eventSessionTimeout = 300
    /// Whether the SDK begins switched off. False by default.
    public var disableSDK = false

    /// Changes what this class has no word for, right before the SDK is made: storage folder, consent, diagnostics,
    /// further destinations.
    public var configure: (inout Configuration) -> Void = { _ in }

    /// Options for a back-end.
    ///
    /// - Parameters:
    ///   - serverURL: where events go. One that is no address is told of, and events are kept until it is corrected.
    ///   - launchOptions: what the system handed to the app as it was launched. Nothing is read from it.
    public init(serverURL: String, launchOptions: [AnyHashable: Any]? = nil) {
        self.serverURL = serverURL
    }
}

/// Which events are recorded without a call.
public struct SensorsAnalyticsAutoTrackEventType: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt

    /// A set of these bits.
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
    /// The name of the compatibility module's destination.
    static let destinationID: DestinationID = "sensors-analytics"

    /// The destination that these options describe.
    func destination(debugMode: SensorsAnalyticsDebugMode) -> SensorsAnalyticsDestination {
        var options = SensorsAnalyticsOptions()
        options.debugMode = debugMode
        options.namesSession = enableSession
        return SensorsAnalyticsDestination(id: Self.destinationID, serverURL: serverURL, options: options)
    }

    /// The front door's configuration that these options describe.
    package func configuration(debugMode: SensorsAnalyticsDebugMode) -> Configuration {
        var configuration = Configuration(
            appID: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
            destinations: [DestinationConfiguration(destination(debugMode: debugMode))]
        )
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
        configuration.predecessor = .sensorsAnalytics()
        configure(&configuration)
        return configuration
    }

    /// How many waiting events are sent at once: those that are looked at go one by one, as soon as they are recorded.
    func flushEvents(_ debugMode: SensorsAnalyticsDebugMode) -> Int {
        debugMode == .off ? max(50, flushBulkSize) : 1
    }

    /// What the front door captures for these options.
    var capture: CaptureOptions {
        var capture = autoTrackEventType.capture
        if enableSession { capture.insert(.sessions) }
        if enableTrackAppCrash { capture.insert(.crashes) }
        return capture
    }

    /// The format counts no sessions unless asked to, and then a return to the app never shows a screen anew.
    private var sessionTimeout: Duration {
        .seconds(enableSession ? Int64(max(1, eventSessionTimeout)) : 100 * 365 * 86_400)
    }

    /// The format's own limits are wider than the usual ones, and count UTF-16 units: three bytes each at most.
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
    /// The same in the front door's words.
    var capture: CaptureOptions {
        // Starts and exits are watched even when neither is wanted, so that the first start ever is known as such when they
        // are; the policy keeps them from being recorded.
        var capture: CaptureOptions = .launches
        if contains(.eventTypeAppViewScreen) { capture.insert(.screens) }
        return capture
    }

    /// The captured events that belong to kinds outside the set, and those that the format does not know.
    var blockedEvents: Set<String> {
        var blocked: Set<String> = [CapturedName.firstOpen, CapturedName.sessionStart]
        if !contains(.eventTypeAppStart) { blocked.insert(CapturedName.appStart) }
        if !contains(.eventTypeAppEnd) { blocked.insert(CapturedName.appEnd) }
        if !contains(.eventTypeAppClick) { blocked.insert(CapturedName.click) }
        return blocked
    }
}
