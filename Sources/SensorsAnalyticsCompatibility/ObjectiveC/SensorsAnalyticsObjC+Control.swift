// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation

// Super properties, timers, screens, address and switch for Objective-C; each call does what the one of the same name does in
// Swift.
extension SensorsAnalyticsSDKObject {
    // MARK: Super properties

    /// Adds properties to every event from now on.
    @objc public func registerSuperProperties(_ properties: NSDictionary) {
        sdk.registerSuperProperties(Self.properties(properties))
    }

    /// Names properties anew for each event, on the thread that records it.
    @objc public func registerDynamicSuperProperties(_ properties: @escaping @Sendable () -> NSDictionary?) {
        sdk.registerDynamicSuperProperties { SensorsAnalyticsSDKObject.properties(properties()) }
    }

    /// Takes a property away from every event from now on.
    @objc public func unregisterSuperProperty(_ property: String) {
        sdk.unregisterSuperProperty(property)
    }

    /// Takes all properties away from every event from now on.
    @objc public func clearSuperProperties() {
        sdk.clearSuperProperties()
    }

    /// The properties that every event has, without the dynamic ones.
    @objc public func currentSuperProperties() -> NSDictionary {
        Self.dictionary(sdk.currentSuperProperties())
    }

    /// The properties that the SDK adds to every event by itself.
    @objc public func getPresetProperties() -> NSDictionary {
        Self.dictionary(sdk.getPresetProperties())
    }

    // MARK: Timers

    /// Starts a timer and answers its id.
    @discardableResult
    @objc public func trackTimerStart(_ event: String) -> String? {
        sdk.trackTimerStart(event)
    }

    /// Ends a timer and records its event.
    @objc public func trackTimerEnd(_ event: String) {
        sdk.trackTimerEnd(event)
    }

    /// Ends a timer and records its event with properties.
    @objc public func trackTimerEnd(_ event: String, withProperties properties: NSDictionary?) {
        sdk.trackTimerEnd(event, withProperties: Self.properties(properties))
    }

    /// Lets a timer stand still.
    @objc public func trackTimerPause(_ event: String) {
        sdk.trackTimerPause(event)
    }

    /// Lets a timer go on.
    @objc public func trackTimerResume(_ event: String) {
        sdk.trackTimerResume(event)
    }

    /// Gives a timer up.
    @objc public func removeTimer(_ event: String) {
        sdk.removeTimer(event)
    }

    /// Gives all timers up.
    @objc public func clearTrackTimer() {
        sdk.clearTrackTimer()
    }

    // MARK: Screens

    /// Tells which screen is shown.
    @objc public func trackViewScreen(_ url: String, withProperties properties: NSDictionary?) {
        sdk.trackViewScreen(url, withProperties: Self.properties(properties))
    }

    /// The address of the screen that was shown last; nil before there was one.
    @objc public func getLastScreenUrl() -> String? { sdk.getLastScreenUrl() }

    /// The address of the screen that is shown; nil before there was one.
    @objc public func getCurrentScreenUrl() -> String? { sdk.getCurrentScreenUrl() }

    // MARK: Address and switch

    /// Sends to another address from now on.
    @objc public func setServerUrl(_ serverUrl: String) {
        sdk.setServerUrl(serverUrl)
    }

    /// Sends to another address from now on, and asks there for a configuration if it is to.
    @objc public func setServerUrl(_ serverUrl: String, isRequestRemoteConfig: Bool) {
        sdk.setServerUrl(serverUrl, isRequestRemoteConfig: isRequestRemoteConfig)
    }

    /// Where events go.
    @objc public func serverUrl() -> String { sdk.serverUrl() }

    /// Sends a cookie with every request.
    @objc public func setCookie(_ cookie: String, withEncode encode: Bool) {
        sdk.setCookie(cookie, withEncode: encode)
    }

    /// Looks at events one by one from now on, or stops that.
    @objc public func setDebugMode(_ debugMode: SensorsAnalyticsDebugModeObject) {
        sdk.setDebugMode(debugMode.debugMode)
    }

    /// Sends what waits.
    @objc public func flush() {
        sdk.flush()
    }

    /// Drops what waits to be sent.
    @objc public func deleteAll() {
        sdk.deleteAll()
    }

    /// Records `$AppDataTrackingClose`, sends what waits, and records nothing more until ``enableSDK()`` or the next start.
    @objc public static func disableSDK() {
        SensorsAnalyticsSDK.disableSDK()
    }

    /// Records again.
    @objc public static func enableSDK() {
        SensorsAnalyticsSDK.enableSDK()
    }

    /// Whether anything is recorded without a call.
    @objc public func isAutoTrackEnabled() -> Bool { sdk.isAutoTrackEnabled() }

    /// Whether events of these kinds are not recorded by themselves.
    @objc public func isAutoTrackEventTypeIgnored(_ eventType: UInt) -> Bool {
        sdk.isAutoTrackEventTypeIgnored(SensorsAnalyticsAutoTrackEventType(rawValue: eventType))
    }

    /// Records the start of this process, if that is still to be done.
    @objc public func autoTrackAppStart() {
        sdk.autoTrackAppStart()
    }
}
#endif
