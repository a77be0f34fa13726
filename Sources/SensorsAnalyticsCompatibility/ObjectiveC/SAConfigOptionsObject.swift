// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation

/// ``SAConfigOptions`` for Objective-C.
@objc(SAConfigOptions)
public final class SAConfigOptionsObject: NSObject {
    let options: SAConfigOptions

    /// Creates the options for a back end.
    ///
    /// The launch options are not read.
    @objc public init(serverURL: String, launchOptions: NSDictionary?) {
        options = SAConfigOptions(serverURL: serverURL)
    }

    /// The address that events are sent to.
    @objc public var serverURL: String {
        get { options.serverURL }
        set { options.serverURL = newValue }
    }

    /// The events that are recorded automatically.
    ///
    /// The value consists of values of ``SensorsAnalyticsAutoTrackEventTypeObject``, combined with `|`.
    @objc public var autoTrackEventType: UInt {
        get { options.autoTrackEventType.rawValue }
        set { options.autoTrackEventType = SensorsAnalyticsAutoTrackEventType(rawValue: newValue) }
    }

    /// The address of the back end's configuration; empty for the default.
    @objc public var remoteConfigURL: String {
        get { options.remoteConfigURL }
        set { options.remoteConfigURL = newValue }
    }

    /// Whether a configuration is requested from the back end.
    @objc public var enableRemoteConfig: Bool {
        get { options.enableRemoteConfig }
        set { options.enableRemoteConfig = newValue }
    }

    /// The maximum time until an event is sent, in milliseconds.
    @objc public var flushInterval: Int {
        get { options.flushInterval }
        set { options.flushInterval = newValue }
    }

    /// The number of pending events that starts an upload immediately.
    @objc public var flushBulkSize: Int {
        get { options.flushBulkSize }
        set { options.flushBulkSize = newValue }
    }

    /// Whether events are also written to standard error.
    @objc public var enableLog: Bool {
        get { options.enableLog }
        set { options.enableLog = newValue }
    }

    /// Whether a crash is reported at the next launch.
    @objc public var enableTrackAppCrash: Bool {
        get { options.enableTrackAppCrash }
        set { options.enableTrackAppCrash = newValue }
    }

    /// Whether each event contains the ID of its session.
    @objc public var enableSession: Bool {
        get { options.enableSession }
        set { options.enableSession = newValue }
    }

    /// The seconds in the background after which a new session begins.
    @objc public var eventSessionTimeout: Int {
        get { options.eventSessionTimeout }
        set { options.eventSessionTimeout = newValue }
    }

    /// Whether the SDK starts disabled.
    @objc public var disableSDK: Bool {
        get { options.disableSDK }
        set { options.disableSDK = newValue }
    }
}
#endif
