// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayBehavior
public import TrackwayDestinations
internal import TrackwayEvents
internal import TrackwayUIKit

extension SensorsAnalyticsSDK {
    /// Whether the back-end wants nothing to be recorded.
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

    /// Whether anything is recorded without a call.
    public func isAutoTrackEnabled() -> Bool {
        !state.withLock { $0.captured }.isEmpty
    }

    /// Whether events of this kind are not recorded by themselves; for a set, whether none of them is.
    public func isAutoTrackEventTypeIgnored(_ eventType: SensorsAnalyticsAutoTrackEventType) -> Bool {
        state.withLock { $0.captured }.isDisjoint(with: eventType)
    }

    /// Records the start of this process, if that is still to be done. There is no need to call it: the start is recorded
    /// by itself, once, however late the SDK was started.
    public func autoTrackAppStart() {
        analytics.recordPendingStart()
    }

    /// Takes controllers for no screens, so that `$AppViewScreen` is not recorded for them; at run time, for good. What is clicked in
    /// them is told as before.
    ///
    /// - Parameter controllers: the names of their classes, with the module or without it.
    public func ignoreAutoTrackViewControllers(_ controllers: [String]) {
        automatic.ignore(controllers: controllers)
    }

    /// Records no `$AppClick` for views of a class, of those derived from it, and for what lies inside of them; at run time, for good.
    public func ignoreViewType(_ aClass: AnyClass) {
        automatic.ignore(viewsOf: aClass)
    }

    /// The back-end wants something else.
    func remoteChanged(to configuration: SensorsAnalyticsRemoteConfiguration?) {
        state.withLock { $0.remote = configuration }
        applyPolicy()
    }

    /// Makes what app and back-end want count.
    func applyPolicy() {
        let debugChange = state.withLock { state -> SensorsAnalyticsDestination? in
            let wanted = state.remote?.disablesDebugMode == true ? .off : state.debugMode
            guard wanted != state.destination.options.debugMode else { return nil }
            state.change { $0.debugMode = wanted }
            return state.destination
        }
        // The app and the back end may change this at the same time. The thread that applied the older values then applies the newer ones.
        var (policy, capture, wish) = state.withLock { ($0.policy, $0.wantedCapture, $0.wish) }
        while true {
            // The back end may ask for more than the app started with: it is captured then, except for what the policy forbids.
            analytics.setCollectionPolicy(policy)
            analytics.options.capture = capture
            automatic.want(wish)
            let latest = state.withLock { ($0.policy, $0.wantedCapture, $0.wish) }
            guard latest != (policy, capture, wish) else { break }
            (policy, capture, wish) = latest
        }
        if let debugChange { lookAtEvents(debugChange) }
    }

    /// Events recorded from now on go where the destination's mode says. What waits goes where it was recorded for, and goes
    /// now.
    private func lookAtEvents(_ destination: SensorsAnalyticsDestination) {
        let mode = destination.options.debugMode
        analytics.setMode(mode.rawValue, of: destination.id)
        replace(destination, flushEvents: mode == .off ? state.withLock { $0.flushEvents } : 1)
        flushAfterLaunch()
    }
}

extension SensorsAnalyticsSDK.State {
    /// The kinds that app and back-end together want to be captured.
    fileprivate var captured: SensorsAnalyticsAutoTrackEventType {
        remote?.autoTrackMode.map { SensorsAnalyticsAutoTrackEventType(rawValue: $0) } ?? autoTrackEventType
    }

    /// The same as the front door's policy.
    fileprivate var policy: CollectionPolicy {
        CollectionPolicy(
            isOn: !isDisabled && remote?.disablesSDK != true,
            blockedEvents: captured.blockedEvents.union(
                remote?.blockedEvents.flatMap(CapturedName.captured(as:)) ?? []
            )
        )
    }

    /// What of the interface is to be found by itself. Without screens and clicks no method of UIKit is exchanged.
    fileprivate var wish: AutomaticCapture.Wish {
        guard !isDisabled, remote?.disablesSDK != true else { return AutomaticCapture.Wish() }
        return AutomaticCapture.Wish(
            screens: captured.contains(.eventTypeAppViewScreen),
            clicks: captured.contains(.eventTypeAppClick)
        )
    }

    /// What the front door has to capture for it.
    fileprivate var wantedCapture: CaptureOptions {
        capture.subtracting([.launches, .screens]).union(captured.capture)
    }
}

extension CapturedName {
    /// The names under which the events are recorded that the format knows as `name`.
    fileprivate static func captured(as name: String) -> [String] {
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
    /// Sends to another address from now on, what waits included.
    public func setServerUrl(_ serverUrl: String) {
        setServerUrl(serverUrl, isRequestRemoteConfig: false)
    }

    /// Sends to another address from now on.
    ///
    /// - Parameters:
    ///   - serverUrl: where events go.
    ///   - isRequestRemoteConfig: whether to ask there for a configuration.
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
        if isRequestRemoteConfig { remote?.ask(self) }
    }

    /// Where events go.
    public func serverUrl() -> String { state.withLock { $0.destination.serverURL } }

    /// Sends a cookie with every request.
    ///
    /// - Parameters:
    ///   - cookie: the cookie.
    ///   - encode: whether it has to be escaped first.
    public func setCookie(_ cookie: String, withEncode encode: Bool) {
        change { $0.cookie = encode ? SensorsAnalyticsForm.escaped(cookie) : cookie }
    }

    /// Looks at events one by one from now on, or stops that. Events recorded before go where they were recorded for: those
    /// of `SensorsAnalyticsDebugMode/only` never reach the reports, and those of `SensorsAnalyticsDebugMode/off` do. The
    /// back-end may forbid it.
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

    /// Puts the destination in its own place.
    ///
    /// - Parameter flushEvents: how many waiting events are sent at once; nil for as many as before.
    private func replace(_ destination: SensorsAnalyticsDestination, flushEvents: Int? = nil) {
        do throws(TrackwayError) {
            if let flushEvents {
                try analytics.replaceDestination(destination, flushEvents: flushEvents)
            } else {
                try analytics.replaceDestination(DestinationConfiguration(destination))
            }
        } catch {
            // Only an app that took the compatibility module's destination out of the configuration gets here, and it was told then.
            return
        }
    }
}

extension SensorsAnalyticsSDK.State {
    /// Gives the destination other options.
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
