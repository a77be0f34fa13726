// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import TrackwayBehavior
package import TrackwayEvents

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
