// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation

// Super properties, timers, screens, the address and enabling for Objective-C. Each method does what the Swift method
// of the same name does.
extension SensorsAnalyticsSDKObject {
    // MARK: Super properties

    /// Adds properties to every event from now on.
    @objc public func registerSuperProperties(_ properties: NSDictionary) {
        sdk.registerSuperProperties(Self.properties(properties))
    }

    /// Sets a closure that returns properties for each event.
    ///
    /// The closure is called on the recording thread.
    @objc public func registerDynamicSuperProperties(_ properties: @escaping @Sendable () -> NSDictionary?) {
        sdk.registerDynamicSuperProperties { SensorsAnalyticsSDKObject.properties(properties()) }
    }

    /// Stops adding a super property to events.
    @objc public func unregisterSuperProperty(_ property: String) {
        sdk.unregisterSuperProperty(property)
    }

    /// Stops adding all super properties to events.
    @objc public func clearSuperProperties() {
        sdk.clearSuperProperties()
    }

    /// The super properties, without the dynamic ones.
    @objc public func currentSuperProperties() -> NSDictionary {
        Self.dictionary(sdk.currentSuperProperties())
    }

    /// The properties that the SDK adds to every event automatically.
    @objc public func getPresetProperties() -> NSDictionary {
        Self.dictionary(sdk.getPresetProperties())
    }

    // MARK: Timers

    /// Starts a timer and returns its ID.
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

    /// Pauses a timer.
    @objc public func trackTimerPause(_ event: String) {
        sdk.trackTimerPause(event)
    }

    /// Resumes a timer.
    @objc public func trackTimerResume(_ event: String) {
        sdk.trackTimerResume(event)
    }

    /// Removes a timer.
    @objc public func removeTimer(_ event: String) {
        sdk.removeTimer(event)
    }

    /// Removes all timers.
    @objc public func clearTrackTimer() {
        sdk.clearTrackTimer()
    }

    // MARK: Screens

    /// Records `$AppViewScreen` with a screen's address.
    @objc public func trackViewScreen(_ url: String, withProperties properties: NSDictionary?) {
        sdk.trackViewScreen(url, withProperties: Self.properties(properties))
    }

    /// The address of the last screen shown; nil before the first.
    @objc public func getLastScreenUrl() -> String? { sdk.getLastScreenUrl() }

    /// The address of the current screen; nil before the first.
    @objc public func getCurrentScreenUrl() -> String? { sdk.getCurrentScreenUrl() }

    // MARK: Address, enabling and disabling

    /// Sets the address that events, including pending ones, are sent to.
    @objc public func setServerUrl(_ serverUrl: String) {
        sdk.setServerUrl(serverUrl)
    }

    /// Sets the address to send events to.
    ///
    /// A configuration is requested from the address if `isRequestRemoteConfig` is true.
    @objc public func setServerUrl(_ serverUrl: String, isRequestRemoteConfig: Bool) {
        sdk.setServerUrl(serverUrl, isRequestRemoteConfig: isRequestRemoteConfig)
    }

    /// The address that events are sent to.
    @objc public func serverUrl() -> String { sdk.serverUrl() }

    /// Sends a cookie with every request.
    @objc public func setCookie(_ cookie: String, withEncode encode: Bool) {
        sdk.setCookie(cookie, withEncode: encode)
    }

    /// Sets the debug mode, in which events are checked one by one.
    @objc public func setDebugMode(_ debugMode: SensorsAnalyticsDebugModeObject) {
        sdk.setDebugMode(debugMode.debugMode)
    }

    /// Sends pending events.
    @objc public func flush() {
        sdk.flush()
    }

    /// Drops pending events.
    @objc public func deleteAll() {
        sdk.deleteAll()
    }

    /// Disables recording until ``enableSDK()`` or the next launch.
    ///
    /// The call first records `$AppDataTrackingClose` and sends pending events.
    @objc public static func disableSDK() {
        SensorsAnalyticsSDK.disableSDK()
    }

    /// Enables recording again.
    @objc public static func enableSDK() {
        SensorsAnalyticsSDK.enableSDK()
    }

    /// Whether any events are recorded automatically.
    @objc public func isAutoTrackEnabled() -> Bool { sdk.isAutoTrackEnabled() }

    /// Whether events of these kinds are not recorded automatically.
    @objc public func isAutoTrackEventTypeIgnored(_ eventType: UInt) -> Bool {
        sdk.isAutoTrackEventTypeIgnored(SensorsAnalyticsAutoTrackEventType(rawValue: eventType))
    }

    /// Records the start of this process, unless it has already been recorded.
    @objc public func autoTrackAppStart() {
        sdk.autoTrackAppStart()
    }
}
#endif
