// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
public import TrackwayDestinations

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
    func replace(_ destination: SensorsAnalyticsDestination, flushEvents: Int? = nil) {
        do throws(TrackwayError) {
            if let flushEvents {
                try analytics.replaceDestination(destination, flushEvents: flushEvents)
            } else {
                try analytics.replaceDestination(destination)
            }
        } catch {
            // Only an app that took the compatibility module's destination out of the configuration gets here, and it was told then.
            return
        }
    }
}

extension SensorsAnalyticsSDK.State {
    /// Gives the destination other options.
    mutating func change(_ body: (inout SensorsAnalyticsOptions) -> Void) {
        var options = destination.options
        body(&options)
        destination = SensorsAnalyticsDestination(
            id: destination.id,
            serverURL: destination.serverURL,
            options: options
        )
    }
}
