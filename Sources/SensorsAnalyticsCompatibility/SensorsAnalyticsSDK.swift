// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
public import TrackwayDestinations
internal import TrackwayEvents
package import TrackwayUIKit

/// The calls that apps written for Sensors Analytics make, on Trackway's front door.
///
/// ```swift
/// let options = SAConfigOptions(serverURL: "https://events.example.com/sa?project=production", launchOptions: nil)
/// options.autoTrackEventType = [.eventTypeAppStart, .eventTypeAppEnd]
/// SensorsAnalyticsSDK.start(configOptions: options)
/// SensorsAnalyticsSDK.sharedInstance()?.track("ViewProduct", withProperties: ["price": 38.5])
/// ```
/// Every call may come from any thread, the first one included. What was set before the first event is in it: the start of
/// the app is recorded when the app has had a moment to say more about itself, and never later than its first event.
public final class SensorsAnalyticsSDK: Sendable {
    /// What may change while the app runs.
    struct State: Sendable {
        var destination: SensorsAnalyticsDestination
        /// What the app wants to be captured.
        let autoTrackEventType: SensorsAnalyticsAutoTrackEventType
        let capture: CaptureOptions
        /// Whether the app switched recording off.
        var isDisabled: Bool
        /// What the back-end wants, if it ever said so.
        var remote: SensorsAnalyticsRemoteConfiguration?
        /// The debug mode that the app wants.
        var debugMode: SensorsAnalyticsDebugMode
        /// How many waiting events are sent at once while events are not looked at one by one.
        let flushEvents: Int
        /// What the app names anew for each event.
        var dynamicProperties: (@Sendable () -> SensorsAnalyticsProperties)?
    }

    /// The front door that everything goes through, for calls that this class has no word for.
    public let analytics: Analytics
    let state: Locked<State>
    let remote: RemoteConfigurationDriver?
    /// Screens and clicks, as far as they are wanted.
    package let automatic: AutomaticCapture

    /// A compatibility module on analytics that were made from the options' configuration.
    package init(_ analytics: Analytics, _ options: SAConfigOptions, debugMode: SensorsAnalyticsDebugMode = .off) {
        self.analytics = analytics
        // Titles are what the format calls a screen's title and an element's content.
        var (screens, clicks) = (ScreenRules.ofClasses, ClickRules())
        screens.includesTitles = true
        clicks.includesTitles = true
        automatic = AutomaticCapture(analytics, screens: screens, clicks: clicks)
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
        remote = options.enableRemoteConfig ? RemoteConfigurationDriver(analytics, place: options.remoteConfigURL) : nil
        applyPolicy()
        analytics.reportDuplicates(of: Self.objectiveCNames)
        remote?.start(self)
    }

    // MARK: The one instance

    /// What stands behind the static calls.
    private struct Instance: Sendable {
        var sdk: SensorsAnalyticsSDK?
        var hasStarted = false
        var configure: @Sendable (inout Configuration) -> Void = { _ in }
        /// How often it was started over: a start that was under way then is nobody's any more.
        var generation = 0
    }

    private static let instance = Locked(Instance())

    /// The classes that Objective-C has by the names of the original SDK's, which one app can have once.
    package static let objectiveCNames: Set = ["SAConfigOptions", "SensorsAnalyticsSDK"]

    /// Starts the SDK. Any thread; a second call changes nothing.
    ///
    /// - Parameters:
    ///   - configOptions: how it works. Without options events are kept until there is an address to send them to.
    ///   - debugMode: whether events go to the place where they are looked at one by one.
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
            // No lock is held: what is made here may call the app, and the app may ask for the instance.
            let sdk = SensorsAnalyticsSDK(try Analytics(configuration), options, debugMode: debugMode)
            instance.withLock { if $0.generation == first.generation { $0.sdk = sdk } }
        } catch {
            Analytics.report(notStarted: error, to: configuration)
            // Another attempt, with a folder that can be written say, is welcome.
            instance.withLock { if $0.generation == first.generation { $0.hasStarted = false } }
        }
    }

    /// Lets go of the SDK as the end of the process does; what waits stays on the disk. The next
    /// ``start(configOptions:debugMode:)`` makes it anew and has `configure` change its configuration last, after
    /// ``SAConfigOptions/configure``: for an app's tests, clock, storage and network.
    ///
    /// ```swift
    /// let environment = InMemoryEnvironment()
    /// SensorsAnalyticsSDK.startOver { $0.run(in: environment) }
    /// SensorsAnalyticsSDK.start(configOptions: SAConfigOptions(serverURL: "https://events.example.com/sa?project=production"))
    /// ```
    /// There is one instance, so tests that use it run one after the other (`.serialized`). Who holds the former one goes on
    /// with it. Any thread.
    ///
    /// - Parameter configure: is called with each start that makes the SDK, on its thread, until the next
    ///   ``startOver(_:)``; it must not call the SDK.
    public static func startOver(_ configure: @escaping @Sendable (inout Configuration) -> Void = { _ in }) {
        // The former instance goes when the lock is released: letting go of it may call the app.
        _ = instance.withLock { instance in
            let former = instance
            instance = Instance(configure: configure, generation: former.generation + 1)
            return former
        }
    }

    /// The SDK; nil before it was started, and while the back-end wants nothing to be recorded.
    public static func sharedInstance() -> SensorsAnalyticsSDK? {
        guard let sdk = instance.withLock({ $0.sdk }), !sdk.isDisabledRemotely else { return nil }
        return sdk
    }

    // MARK: On and off

    /// Records `$AppDataTrackingClose`, sends what waits, and records nothing more until ``enableSDK()`` or the next start.
    public static func disableSDK() {
        guard let sdk = instance.withLock({ $0.sdk }) else { return }
        sdk.disable()
    }

    /// Records again.
    public static func enableSDK() {
        guard let sdk = instance.withLock({ $0.sdk }) else { return }
        sdk.enable()
    }
}
