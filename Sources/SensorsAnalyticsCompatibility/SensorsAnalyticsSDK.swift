// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
internal import TrackwayCore
public import TrackwayDestinations
package import TrackwayUIKit

/// The API of the Sensors Analytics SDK, implemented with Trackway's public API.
///
/// ```swift
/// let options = SAConfigOptions(serverURL: "https://events.example.com/sa?project=production", launchOptions: nil)
/// options.autoTrackEventType = [.eventTypeAppStart, .eventTypeAppEnd]
/// SensorsAnalyticsSDK.start(configOptions: options)
/// SensorsAnalyticsSDK.sharedInstance()?.track("ViewProduct", withProperties: ["price": 38.5])
/// ```
/// Thread-safe, including the first call. Settings made before the first event apply to that event: the start of the
/// app is recorded after a short delay that leaves time for more settings, but never later than the app's first event.
public final class SensorsAnalyticsSDK: Sendable {
    /// The state that may change while the app runs.
    struct State: Sendable {
        var destination: SensorsAnalyticsDestination
        /// The kinds of events that the app wants captured.
        let autoTrackEventType: SensorsAnalyticsAutoTrackEventType
        let capture: CaptureOptions
        /// Whether the app disabled recording.
        var isDisabled: Bool
        /// The back end's configuration, or nil if it never sent one.
        var remote: SensorsAnalyticsRemoteConfiguration?
        /// The debug mode that the app set.
        var debugMode: SensorsAnalyticsDebugMode
        /// The number of pending events that starts an upload outside debug modes.
        let flushEvents: Int
        /// A closure that returns the app's dynamic properties for an event.
        var dynamicProperties: (@Sendable () -> SensorsAnalyticsProperties)?
    }

    /// The underlying analytics, for features that this class lacks.
    public let analytics: Analytics
    let state: Locked<State>
    let remote: RemoteConfigurationRunner?
    /// The object that captures screens and clicks, if enabled.
    package let automaticCapture: AutomaticCapture

    /// Creates an instance with analytics made from the options' configuration.
    package init(_ analytics: Analytics, _ options: SAConfigOptions, debugMode: SensorsAnalyticsDebugMode = .off) {
        self.analytics = analytics
        // The format sends titles as a screen's title and an element's content.
        var (screens, clicks) = (ScreenRules.namedByClass, ClickRules())
        screens.includesTitles = true
        clicks.includesTitles = true
        automaticCapture = AutomaticCapture(analytics, screens: screens, clicks: clicks)
        state = Locked(
            State(
                destination: options.destination(debugMode: debugMode),
                autoTrackEventType: options.autoTrackEventType,
                capture: options.capture,
                isDisabled: options.disableSDK,
                debugMode: debugMode,
                flushEvents: options.flushEvents(.off)
            )
        )
        remote = options.enableRemoteConfig ? RemoteConfigurationRunner(analytics, url: options.remoteConfigURL) : nil
        applyPolicy()
        analytics.reportDuplicates(of: Self.objectiveCNames)
        remote?.start(self)
    }

    // MARK: Shared instance

    /// The state of the static methods.
    private struct Instance: Sendable {
        var sdk: SensorsAnalyticsSDK?
        var hasStarted = false
        var configure: @Sendable (inout Configuration) -> Void = { _ in }
        /// The number of calls to ``startOver(_:)``.
        ///
        /// A start in progress during such a call is discarded.
        var generation = 0
    }

    private static let instance = Locked(Instance())

    /// Objective-C classes named like the original SDK's.
    ///
    /// Such a class can exist only once in an app.
    package static let objectiveCNames: Set = ["SAConfigOptions", "SensorsAnalyticsSDK"]

    /// Starts the SDK.
    ///
    /// Thread-safe; a second call has no effect.
    ///
    /// - Parameters:
    ///   - configOptions: The options. Without options, events are stored until an address to send them to is set.
    ///   - debugMode: Whether events are sent to the address where they are checked one by one.
    public static func start(configOptions: SAConfigOptions?, debugMode: SensorsAnalyticsDebugMode = .off) {
        let first = instance.withLock { instance -> Instance? in
            defer { instance.hasStarted = true }
            return instance.hasStarted ? nil : instance
        }
        guard let first else { return }
        let options = configOptions ?? SAConfigOptions(serverURL: "")
        var configuration = options.configuration(debugMode: debugMode)
        first.configure(&configuration)
        do throws(TrackwayError) {
            // No lock is held: creating the analytics may call the app, and the app may request the instance.
            let sdk = SensorsAnalyticsSDK(try Analytics(configuration), options, debugMode: debugMode)
            instance.withLock { if $0.generation == first.generation { $0.sdk = sdk } }
        } catch {
            Analytics.report(notStarted: error, to: configuration)
            // Allow another attempt, for example with a writable folder.
            instance.withLock { if $0.generation == first.generation { $0.hasStarted = false } }
        }
    }

    /// Releases the SDK as if the process had ended.
    ///
    /// Pending events stay on disk. The next ``start(configOptions:debugMode:)`` creates the SDK again. That call first
    /// passes its configuration to `configure`, after ``SAConfigOptions/configure``. This function is intended for an
    /// app's tests, to set the clock, storage and network.
    ///
    /// ```swift
    /// let environment = InMemoryEnvironment()
    /// SensorsAnalyticsSDK.startOver { $0.run(in: environment) }
    /// SensorsAnalyticsSDK.start(configOptions: SAConfigOptions(serverURL: "https://events.example.com/sa?project=production"))
    /// ```
    /// There is one instance, so tests that use it must run serially (`.serialized`). References to the previous
    /// instance remain usable. Thread-safe.
    ///
    /// - Parameter configure: A closure that a start calls on its thread whenever it creates the SDK, until the next
    ///   ``startOver(_:)``; it must not call the SDK.
    public static func startOver(_ configure: @escaping @Sendable (inout Configuration) -> Void = { _ in }) {
        // Release the previous instance outside the lock, because releasing it may call the app.
        _ = instance.withLock { instance in
            let former = instance
            instance = Instance(configure: configure, generation: former.generation + 1)
            return former
        }
    }

    /// The SDK, or nil.
    ///
    /// The value is nil before the SDK is started, and while the back end disables recording.
    public static func sharedInstance() -> SensorsAnalyticsSDK? {
        guard let sdk = instance.withLock({ $0.sdk }), !sdk.isDisabledRemotely else { return nil }
        return sdk
    }

    // MARK: Enabling and disabling

    /// Disables recording until ``enableSDK()`` or the next launch.
    ///
    /// The call first records `$AppDataTrackingClose` and sends pending events.
    public static func disableSDK() {
        guard let sdk = instance.withLock({ $0.sdk }) else { return }
        sdk.disable()
    }

    /// Enables recording again.
    public static func enableSDK() {
        guard let sdk = instance.withLock({ $0.sdk }) else { return }
        sdk.enable()
    }
}
