// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway

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
