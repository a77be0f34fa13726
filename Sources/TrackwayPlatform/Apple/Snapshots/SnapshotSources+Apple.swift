// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
package import TrackwayBehavior
package import TrackwayEvents

extension SnapshotSources {
    /// What an Apple system knows. Nothing is switched on and no leave is asked for: the battery, how the device is held and
    /// what is near are told if the app has switched them on, and the place if the person lets the app know.
    ///
    /// - Parameters:
    ///   - app: The `app` section of the context.
    ///   - root: Of no meaning here: these systems tell by calls, not by files.
    package static func system(app: Attributes, root: String = "") -> SnapshotSources {
        let screen = AppleScreenFacts()
        var sources = SnapshotSources(
            deviceProperties: AppleDeviceProperties(app: app, screen: screen),
            appState: AppleAppState(screen: screen)
        )
        #if canImport(CoreLocation) && !os(tvOS)
        sources.location = AppleLocation()
        #endif
        #if os(iOS)
        sources.heading = AppleCompass()
        sources.motion = AppleMotion()
        #endif
        return sources
    }
}

/// What an Apple system tells about the state of the device. Whether the app is seen, the SDK knows itself.
package struct AppleAppState: AppStateSource {
    private let screen: AppleScreenFacts

    /// A source that takes what only the main thread may ask for from these facts.
    init(screen: AppleScreenFacts) {
        self.screen = screen
    }

    package func appState() -> AppStateSnapshot {
        var state = screen.facts().state
        state.networkAddresses = InterfaceAddress.all().map { InterfaceAddress.reachable($0) }
        return state
    }
}
#endif
