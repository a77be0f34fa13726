// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayLifecycle

/// The phase of a scene, available on all systems.
enum SceneVisibility: Sendable, Hashable, CaseIterable {
    case active
    case inactive
    case background
}

/// A tracker that converts one scene's phases to lifecycle changes.
///
/// The tracker stores the last phase, so that a repeated phase is reported only once.
@MainActor
final class ScenePhaseTracker {
    private var last: SceneVisibility?

    nonisolated init() {}

    /// Returns the changes since the last phase, in the system's order.
    func changes(to next: SceneVisibility) -> [LifecycleChange] {
        defer { last = next }
        switch (last, next) {
        case (.active, .active), (.inactive, .inactive), (.background, .background): return []
        // At the first phase, the app may already be in the foreground, or may never reach it.
        case (nil, .active), (.inactive, .active): return [.didBecomeActive]
        case (nil, .inactive), (nil, .background): return []
        case (.background, .active): return [.willEnterForeground, .didBecomeActive]
        case (.background, .inactive): return [.willEnterForeground]
        case (.active, .inactive): return [.willResignActive]
        case (.active, .background): return [.willResignActive, .didEnterBackground]
        case (.inactive, .background): return [.didEnterBackground]
        }
    }
}
