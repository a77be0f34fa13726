// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore
public import TrackwayDestinations
internal import TrackwayLifecycle
internal import TrackwayUIKit

extension SensorsAnalyticsSDK {
    /// Whether the back end disables recording.
    package var isDisabledRemotely: Bool { state.withLock { $0.remote?.disablesSDK ?? false } }

    /// See ``disableSDK()``.
    package func disable() {
        guard state.withLock({ !$0.isDisabled }) else { return }
        track(SA_EVENT_NAME_APP_DATA_TRACKING_CLOSE)
        state.withLock { $0.isDisabled = true }
        applyPolicy()
        flush()
    }

    /// See ``enableSDK()``.
    package func enable() {
        state.withLock { $0.isDisabled = false }
        applyPolicy()
    }

    /// Whether any events are recorded automatically.
    public func isAutoTrackEnabled() -> Bool {
        !state.withLock { $0.capturedTypes }.isEmpty
    }

    /// Whether events of this kind are not recorded automatically.
    ///
    /// For a set of kinds, the result is whether none of them is recorded automatically.
    public func isAutoTrackEventTypeIgnored(_ eventType: SensorsAnalyticsAutoTrackEventType) -> Bool {
        state.withLock { $0.capturedTypes }.isDisjoint(with: eventType)
    }

    /// Records the start of this process, unless it has already been recorded.
    ///
    /// Calling this method is unnecessary: the start is recorded automatically, once, no matter how late the SDK is
    /// started.
    public func autoTrackAppStart() {
        analytics.recordPendingStart()
    }

    /// Stops recording `$AppViewScreen` for view controllers.
    ///
    /// The controllers no longer count as screens. This can be called at any time and cannot be undone. Clicks in the
    /// controllers are still recorded.
    ///
    /// - Parameter controllers: The names of their classes, with or without the module.
    public func ignoreAutoTrackViewControllers(_ controllers: [String]) {
        automaticCapture.ignore(controllers: controllers)
    }

    /// Stops recording `$AppClick` for views of a class.
    ///
    /// This includes views of subclasses and everything inside such views. It can be called at any time and cannot
    /// be undone.
    public func ignoreViewType(_ aClass: AnyClass) {
        automaticCapture.ignore(viewsOf: aClass)
    }

    /// Applies a changed remote configuration.
    func applyRemoteConfiguration(_ configuration: SensorsAnalyticsRemoteConfiguration?) {
        state.withLock { $0.remote = configuration }
        applyPolicy()
    }

    /// Applies the settings of the app and the back end.
    func applyPolicy() {
        let debugChange = state.withLock { state -> SensorsAnalyticsDestination? in
            let mode = state.remote?.disablesDebugMode == true ? .off : state.debugMode
            guard mode != state.destination.options.debugMode else { return nil }
            state.change { $0.debugMode = mode }
            return state.destination
        }
        // The app and the back end may change these settings at the same time. The thread that applied the older values
        // then applies the newer ones.
        var (policy, capture, features) = state.withLock { ($0.policy, $0.captureOptions, $0.features) }
        while true {
            // The back end may request more kinds of events than the app enabled at the start. These are then captured,
            // except for those that the policy forbids.
            analytics.setCollectionPolicy(policy)
            analytics.options.capture = capture
            automaticCapture.capture(features)
            let latest = state.withLock { ($0.policy, $0.captureOptions, $0.features) }
            guard latest != (policy, capture, features) else { break }
            (policy, capture, features) = latest
        }
        if let debugChange { applyDebugMode(debugChange) }
    }

    /// Applies a changed debug mode to events recorded from now on.
    ///
    /// Pending events are sent immediately, to the address of the mode in which they were recorded.
    private func applyDebugMode(_ destination: SensorsAnalyticsDestination) {
        let mode = destination.options.debugMode
        analytics.setMode(mode.rawValue, of: destination.id)
        replace(destination, flushEvents: mode == .off ? state.withLock { $0.flushEvents } : 1)
        flushAfterLaunch()
    }
}

extension SensorsAnalyticsSDK.State {
    /// The kinds of events to capture.
    ///
    /// The back end's choice overrides the app's.
    fileprivate var capturedTypes: SensorsAnalyticsAutoTrackEventType {
        remote?.autoTrackMode.map { SensorsAnalyticsAutoTrackEventType(rawValue: $0) } ?? autoTrackEventType
    }

    /// The collection policy for this state.
    fileprivate var policy: CollectionPolicy {
        CollectionPolicy(
            isEnabled: !isDisabled && remote?.disablesSDK != true,
            blockedEvents: capturedTypes.blockedEvents.union(
                remote?.blockedEvents.flatMap(CapturedName.names(for:)) ?? []
            )
        )
    }

    /// The parts of the interface to capture automatically.
    ///
    /// Without screens and clicks, no UIKit method is swizzled.
    fileprivate var features: AutomaticCapture.Features {
        guard !isDisabled, remote?.disablesSDK != true else { return AutomaticCapture.Features() }
        return AutomaticCapture.Features(
            screens: capturedTypes.contains(.eventTypeAppViewScreen),
            clicks: capturedTypes.contains(.eventTypeAppClick)
        )
    }

    /// The capture options for this state.
    fileprivate var captureOptions: CaptureOptions {
        capture.subtracting([.launches, .screens]).union(capturedTypes.capture)
    }
}

extension CapturedName {
    /// Returns the recorded names of events that the format calls `name`.
    fileprivate static func names(for name: String) -> [String] {
        switch name {
        case SA_EVENT_NAME_APP_START, SA_EVENT_NAME_APP_START_PASSIVELY: [appStart]
        case SA_EVENT_NAME_APP_END: [appEnd]
        case SA_EVENT_NAME_APP_CLICK: [click, name]
        case SA_EVENT_NAME_APP_VIEW_SCREEN: [screenView, name]
        case SA_EVENT_NAME_APP_CRASHED: [appException, name]
        default: [name]
        }
    }
}

extension SensorsAnalyticsSDK {
    /// Sets the address to send events to, including pending events.
    public func setServerUrl(_ serverUrl: String) {
        setServerUrl(serverUrl, isRequestRemoteConfig: false)
    }

    /// Sets the address to send events to.
    ///
    /// - Parameters:
    ///   - serverUrl: The address to send events to.
    ///   - isRequestRemoteConfig: Whether to request a configuration from that address.
    public func setServerUrl(_ serverUrl: String, isRequestRemoteConfig: Bool) {
        let destination = state.withLock { state in
            state.destination = SensorsAnalyticsDestination(
                id: state.destination.id,
                serverURL: serverUrl,
                options: state.destination.options
            )
            return state.destination
        }
        replace(destination)
        if isRequestRemoteConfig { remote?.requestConfiguration(self) }
    }

    /// The address that events are sent to.
    public func serverUrl() -> String { state.withLock { $0.destination.serverURL } }

    /// Sends a cookie with every request.
    ///
    /// - Parameters:
    ///   - cookie: The cookie.
    ///   - encode: Whether the cookie must be escaped first.
    public func setCookie(_ cookie: String, withEncode encode: Bool) {
        change { $0.cookie = encode ? SensorsAnalyticsForm.escaped(cookie) : cookie }
    }

    /// Sets the debug mode, in which events are checked one by one.
    ///
    /// Events recorded earlier are sent according to the mode in which they were recorded: those of
    /// `SensorsAnalyticsDebugMode/only` never reach the reports, and those of `SensorsAnalyticsDebugMode/off` do. The
    /// back end may forbid debug modes.
    public func setDebugMode(_ debugMode: SensorsAnalyticsDebugMode) {
        state.withLock { $0.debugMode = debugMode }
        applyPolicy()
    }

    private func change(_ body: (inout SensorsAnalyticsOptions) -> Void) {
        let destination = state.withLock { state in
            state.change(body)
            return state.destination
        }
        replace(destination)
    }

    /// Replaces the destination with the same ID.
    ///
    /// - Parameter flushEvents: The number of pending events that starts an upload; nil for the previous number.
    private func replace(_ destination: SensorsAnalyticsDestination, flushEvents: Int? = nil) {
        do throws(TrackwayError) {
            if let flushEvents {
                try analytics.replaceDestination(destination, flushEvents: flushEvents)
            } else {
                try analytics.replaceDestination(DestinationConfiguration(destination))
            }
        } catch {
            // This happens only if the app removed the module's destination from the configuration, which has already
            // been reported.
            return
        }
    }
}

extension SensorsAnalyticsSDK.State {
    /// Changes the destination's options.
    fileprivate mutating func change(_ body: (inout SensorsAnalyticsOptions) -> Void) {
        var options = destination.options
        body(&options)
        destination = SensorsAnalyticsDestination(
            id: destination.id,
            serverURL: destination.serverURL,
            options: options
        )
    }
}
