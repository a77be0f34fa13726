// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation

/// ``SAConfigOptions`` for Objective-C.
@objc(SAConfigOptions)
public final class SAConfigOptionsObject: NSObject {
    let options: SAConfigOptions

    /// Options for a back-end; nothing is read from the launch options.
    @objc public init(serverURL: String, launchOptions: NSDictionary?) {
        options = SAConfigOptions(serverURL: serverURL)
    }

    /// Where events go.
    @objc public var serverURL: String {
        get { options.serverURL }
        set { options.serverURL = newValue }
    }

    /// What is recorded without a call: values of ``SensorsAnalyticsAutoTrackEventTypeObject``, combined with `|`.
    @objc public var autoTrackEventType: UInt {
        get { options.autoTrackEventType.rawValue }
        set { options.autoTrackEventType = SensorsAnalyticsAutoTrackEventType(rawValue: newValue) }
    }

    /// Where the back-end's configuration lies; empty for the usual place.
    @objc public var remoteConfigURL: String {
        get { options.remoteConfigURL }
        set { options.remoteConfigURL = newValue }
    }

    /// Whether the back-end is asked for a configuration.
    @objc public var enableRemoteConfig: Bool {
        get { options.enableRemoteConfig }
        set { options.enableRemoteConfig = newValue }
    }

    /// The longest an event waits to be sent, in milliseconds.
    @objc public var flushInterval: Int {
        get { options.flushInterval }
        set { options.flushInterval = newValue }
    }

    /// So many waiting events are sent at once.
    @objc public var flushBulkSize: Int {
        get { options.flushBulkSize }
        set { options.flushBulkSize = newValue }
    }

    /// Whether events are also written to standard error.
    @objc public var enableLog: Bool {
        get { options.enableLog }
        set { options.enableLog = newValue }
    }

    /// Whether a crash is told at the next start.
    @objc public var enableTrackAppCrash: Bool {
        get { options.enableTrackAppCrash }
        set { options.enableTrackAppCrash = newValue }
    }

    /// Whether each event names its session.
    @objc public var enableSession: Bool {
        get { options.enableSession }
        set { options.enableSession = newValue }
    }

    /// How many seconds the app may be away before another session begins.
    @objc public var eventSessionTimeout: Int {
        get { options.eventSessionTimeout }
        set { options.eventSessionTimeout = newValue }
    }

    /// Whether the SDK begins switched off.
    @objc public var disableSDK: Bool {
        get { options.disableSDK }
        set { options.disableSDK = newValue }
    }
}
#endif
