// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
package import TrackwayLifecycle
package import TrackwayCore

extension SnapshotSources {
    /// Returns the sources that an Apple system provides.
    ///
    /// No sensor is turned on and no permission is requested: battery, orientation, and proximity are reported only if
    /// the app has turned them on. Location and motion are provided by separate products, if the app links them.
    ///
    /// - Parameters:
    ///   - app: The `app` section of the context.
    ///   - root: Ignored here, because Apple systems are read through calls, not files.
    ///   - recognizesDevice: Whether to read facts that uniquely identify this device: the kernel's ids, the host's and
    ///     the device's names, and the addresses of network interfaces.
    package static func system(app: Attributes, root: String = "", recognizesDevice: Bool = false) -> SnapshotSources {
        let screen = MainThreadFacts()
        var sources = SnapshotSources(
            deviceProperties: AppleDeviceProperties(app: app, screen: screen, recognizesDevice: recognizesDevice),
            appState: AppleAppState(screen: screen, recognizesDevice: recognizesDevice)
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
    private let recognizesDevice: Bool

    /// Creates a source that reads the main thread's facts from `screen`.
    init(screen: MainThreadFacts, recognizesDevice: Bool) {
        self.screen = screen
        self.recognizesDevice = recognizesDevice
    }

    package func appState() -> AppStateSnapshot {
        var state = screen.facts().state
        if recognizesDevice { state.networkAddresses = InterfaceAddress.all().map { InterfaceAddress.reachable($0) } }
        return state
    }
}
#endif
