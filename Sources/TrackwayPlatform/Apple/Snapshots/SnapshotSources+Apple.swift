// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
package import TrackwayBehavior
package import TrackwayEvents

extension SnapshotSources {
    /// What an Apple system knows. Nothing is switched on and no leave is asked for: the battery, how the device is held and
    /// what is near are told if the app has switched them on. Place and motion come with products of their own, where the app
    /// links them.
    ///
    /// - Parameters:
    ///   - app: The `app` section of the context.
    ///   - root: Of no meaning here: these systems tell by calls, not by files.
    ///   - recognizes: Whether what tells this device from all others may be read: the kernel's ids, the host's and the device's
    ///     names, addresses of network interfaces.
    package static func system(app: Attributes, root: String = "", recognizes: Bool = false) -> SnapshotSources {
        let screen = AppleScreenFacts()
        var sources = SnapshotSources(
            deviceProperties: AppleDeviceProperties(app: app, screen: screen, recognizes: recognizes),
            appState: AppleAppState(screen: screen, recognizes: recognizes)
        )
        SnapshotProducts.add(to: &sources)
        return sources
    }
}

/// What an Apple system tells about the state of the device. Whether the app is seen, the SDK knows itself.
package struct AppleAppState: AppStateSource {
    private let screen: AppleScreenFacts
    private let recognizes: Bool

    /// A source that takes what only the main thread may ask for from these facts.
    init(screen: AppleScreenFacts, recognizes: Bool) {
        self.screen = screen
        self.recognizes = recognizes
    }

    package func appState() -> AppStateSnapshot {
        var state = screen.facts().state
        if recognizes { state.networkAddresses = InterfaceAddress.all().map { InterfaceAddress.reachable($0) } }
        return state
    }
}
#endif
