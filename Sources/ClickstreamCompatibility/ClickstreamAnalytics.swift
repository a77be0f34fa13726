// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway

/// The API of the Clickstream SDK, implemented with Trackway.
///
/// ```swift
/// try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().withAppId("shop").withEndpoint("https://example.com/collect"))
/// ClickstreamAnalytics.recordEvent("button_click", ["category": "shoes", "value": 279.9])
/// ```
/// Thread-safe. Calls before ``initSDK(_:)`` have no effect; their number is reported once the SDK has started.
public enum ClickstreamAnalytics {
    /// The shared core of the static methods.
    package static let shared = ClickstreamCore()

    /// Starts the SDK.
    ///
    /// Settings that are missing from the configuration are taken from `amplifyconfiguration.json`. The call may be
    /// made late; if the SDK is already running, the call has no effect.
    ///
    /// - Throws: ``ClickstreamError``, stating which setting is missing or invalid, or why the storage cannot be used.
    public static func initSDK(_ configuration: ClickstreamConfiguration? = nil) throws {
        try shared.start(configuration)
    }

    /// The underlying analytics, for features that this class lacks.
    ///
    /// Nil until ``initSDK(_:)`` has succeeded.
    public static var analytics: Analytics? { shared.currentAnalytics }

    /// Releases the SDK as if the process had ended.
    ///
    /// Pending events stay on disk. The next ``initSDK(_:)`` creates the SDK again. That call first passes its
    /// configuration to `configure`, which may change it: consent, diagnostics, further destinations, or, in an app's
    /// tests, clock, storage and network.
    ///
    /// ```swift
    /// let environment = InMemoryEnvironment()
    /// ClickstreamAnalytics.startOver { $0.run(in: environment) }
    /// try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().withAppId("shop").withEndpoint("https://example.com/collect"))
    /// ```
    /// The methods are static, so tests that use them must run serially (`.serialized`). Thread-safe.
    ///
    /// - Parameter configure: A closure that ``initSDK(_:)`` calls on its thread whenever it creates the SDK, until the
    ///   next ``startOver(_:)``; it must not call the SDK.
    public static func startOver(_ configure: @escaping @Sendable (inout Configuration) -> Void = { _ in }) {
        shared.startOver(configure)
    }

    /// Records an event.
    public static func recordEvent(_ eventName: String) {
        recordEvent(eventName, [:])
    }

    /// Records an event with attributes and items.
    public static func recordEvent(
        _ eventName: String,
        _ attributes: ClickstreamAttribute,
        _ items: [ClickstreamAttribute] = []
    ) {
        shared.record(eventName, attributes, items)
    }

    /// Sends pending events as soon as possible.
    public static func flushEvents() {
        shared.flush()
    }

    /// Adds attributes to every event recorded from now on.
    public static func addGlobalAttributes(_ attributes: ClickstreamAttribute) {
        shared.addGlobalAttributes(attributes)
    }

    /// Removes attributes from every event recorded from now on.
    public static func deleteGlobalAttributes(_ attributes: String...) {
        shared.deleteGlobalAttributes(attributes)
    }

    /// Adds attributes to the user.
    ///
    /// The attributes persist, and all later events contain them.
    public static func addUserAttributes(_ attributes: ClickstreamAttribute) {
        shared.addUserAttributes(attributes)
    }

    /// Sets the signed-in user.
    ///
    /// Nil or an empty ID signs the user out.
    public static func setUserId(_ userId: String?) {
        shared.setUser(userId)
    }

    /// The SDK's configuration, which can be changed while it runs.
    ///
    /// - Throws: ``ClickstreamError`` until ``initSDK(_:)`` has succeeded.
    public static func getClickstreamConfiguration() throws -> ClickstreamConfiguration {
        try shared.liveConfiguration()
    }

    /// Stops recording and sending until ``enable()`` or the next start.
    ///
    /// Pending events stay on disk.
    public static func disable() {
        shared.disable()
    }

    /// Resumes recording and sending.
    public static func enable() {
        shared.enable()
    }
}
