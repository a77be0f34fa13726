// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
package import TrackwayBehavior
package import TrackwayEvents

extension SnapshotSources {
    /// Returns the sources that an Apple system provides.
    ///
    /// No sensor is turned on and no permission is requested: battery, orientation, and proximity are reported only if
    /// the app has turned them on. Location and motion come from separate products, if the app links them.
    ///
    /// - Parameters:
    ///   - app: The `app` section of the context.
    ///   - root: Ignored here, because these systems are read through calls, not files.
    ///   - recognizes: Whether to read facts that uniquely identify this device: the kernel's ids, the host's and the
    ///     device's names, and the addresses of network interfaces.
    package static func system(app: Attributes, root: String = "", recognizes: Bool = false) -> SnapshotSources {
        let screen = MainThreadFacts()
        var sources = SnapshotSources(
            deviceProperties: AppleDeviceProperties(app: app, screen: screen, recognizes: recognizes),
            appState: AppleAppState(screen: screen, recognizes: recognizes)
        )
        SnapshotProducts.add(to: &sources)
        return sources
    }
}

/// Reads the device state that an Apple system provides.
///
/// App visibility is not included, because the SDK tracks it.
package struct AppleAppState: AppStateSource {
    private let screen: MainThreadFacts
    private let recognizes: Bool

    /// Creates a source that reads the main thread's facts from `screen`.
    init(screen: MainThreadFacts, recognizes: Bool) {
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
