// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import Trackway
package import TrackwayDestinations
internal import TrackwayEvents

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
            destinations: [destination(debugMode: debugMode)]
        )
        configuration.capture = capture
        configuration.sessionTimeout = sessionTimeout
        configuration.limits = Self.limits
        configuration.logEvents = enableLog
        let shown = destination(debugMode: debugMode)
        configuration.eventLogForm = { shown.eventJSON(of: $0, sentAt: $1) }
        configuration.modes = [Self.destinationID.rawValue: .string(debugMode.rawValue)]
        configuration.delivery = DeliveryPolicy(
            flushInterval: .milliseconds(max(5_000, flushInterval)),
            flushEvents: flushEvents(debugMode)
        )
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
        return blocked
    }
}
