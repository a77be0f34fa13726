// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior

/// Where a scene is in its life, in words that every system has.
enum SceneVisibility: Sendable, Hashable, CaseIterable {
    case active
    case inactive
    case background
}

/// What the phases of one scene mean to the app. Remembers the last one, so that the same phase told twice is told once.
@MainActor
final class FollowedPhase {
    private var last: SceneVisibility?

    nonisolated init() {}

    /// What happened since the last phase, in the system's order.
    func changes(to next: SceneVisibility) -> [LifeCycleChange] {
        defer { last = next }
        switch (last, next) {
        case (.active, .active), (.inactive, .inactive), (.background, .background): return []
        // At the beginning the app may be in front already, or never come there.
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
