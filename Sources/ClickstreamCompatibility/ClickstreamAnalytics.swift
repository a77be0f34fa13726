// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway

/// The documented calls of the Clickstream SDK, carried out by Trackway.
///
/// ```swift
/// try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().withAppId("shop").withEndpoint("https://example.com/collect"))
/// ClickstreamAnalytics.recordEvent("button_click", ["category": "shoes", "value": 279.9])
/// ```
/// Any thread. Calls before ``initSDK(_:)`` do nothing; how many there were is told once the SDK works.
public enum ClickstreamAnalytics {
    /// The one instance behind the static calls.
    package static let shared = ClickstreamCore()

    /// Starts the SDK, with the settings of `amplifyconfiguration.json` where the configuration says nothing. May be called
    /// late; when the SDK works already it changes nothing.
    ///
    /// - Throws: ``ClickstreamError`` saying which setting is missing or wrong, or why storage cannot be used.
    public static func initSDK(_ configuration: ClickstreamConfiguration? = nil) throws {
        try shared.start(configuration)
    }

    /// The front door that everything goes through, for calls that this class has no word for; nil while ``initSDK(_:)``
    /// has not been called, or failed.
    public static var analytics: Analytics? { shared.made }

    /// Lets go of the SDK as the end of the process does; what waits stays on the disk. The next ``initSDK(_:)`` makes it
    /// anew and has `configure` change its configuration last: consent, diagnostics, further destinations, or, for an
    /// app's tests, clock, storage and network.
    ///
    /// ```swift
    /// let environment = InMemoryEnvironment()
    /// ClickstreamAnalytics.startOver { $0.run(in: environment) }
    /// try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().withAppId("shop").withEndpoint("https://example.com/collect"))
    /// ```
    /// The calls are static, so tests that use them run one after the other (`.serialized`). Any thread.
    ///
    /// - Parameter configure: is called with each ``initSDK(_:)`` that makes the SDK, on its thread, until the next
    ///   ``startOver(_:)``; it must not call the SDK.
    public static func startOver(_ configure: @escaping @Sendable (inout Configuration) -> Void = { _ in }) {
        shared.startOver(configure)
    }

    /// Records an event.
    public static func recordEvent(_ eventName: String) {
        recordEvent(eventName, [:])
    }

    /// Records an event with attributes, and with what it is about.
    public static func recordEvent(
        _ eventName: String,
        _ attributes: ClickstreamAttribute,
        _ items: [ClickstreamAttribute] = []
    ) {
        shared.record(eventName, attributes, items)
    }

    /// Sends what waits, as soon as possible.
    public static func flushEvents() {
        shared.flush()
    }

    /// Adds attributes to every event recorded from now on.
    public static func addGlobalAttributes(_ attributes: ClickstreamAttribute) {
        shared.addGlobalAttributes(attributes)
    }

    /// Takes attributes away from every event recorded from now on.
    public static func deleteGlobalAttributes(_ attributes: String...) {
        shared.deleteGlobalAttributes(attributes)
    }

    /// Adds attributes to the user. They are kept, and carried by every event from now on.
    public static func addUserAttributes(_ attributes: ClickstreamAttribute) {
        shared.addUserAttributes(attributes)
    }

    /// Says who is signed in; nil, or an empty id, that nobody is.
    public static func setUserId(_ userId: String?) {
        shared.setUser(userId)
    }

    /// The SDK's configuration, to be changed while it works.
    ///
    /// - Throws: ``ClickstreamError`` before ``initSDK(_:)`` was called.
    public static func getClickstreamConfiguration() throws -> ClickstreamConfiguration {
        try shared.liveConfiguration()
    }

    /// Records and sends nothing until ``enable()``, or until the next start. What waits stays.
    public static func disable() {
        shared.disable()
    }

    /// Records and sends again.
    public static func enable() {
        shared.enable()
    }
}
