// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
package import Trackway
internal import TrackwayEvents

/// Screens and clicks for a compatibility module whose document has them recorded by themselves. Any thread; UIKit is
/// spoken to on the main one, in its next turn. Where there is no UIKit, what is wanted is only kept.
package final class AutomaticCapture: Sendable {
    /// What is wanted.
    package struct Wish: Sendable, Hashable {
        /// Whether screens are to be found.
        package var screens: Bool
        /// Whether clicks are to be told.
        package var clicks: Bool

        /// A wish for these.
        package init(screens: Bool = false, clicks: Bool = false) {
            self.screens = screens
            self.clicks = clicks
        }
    }

    private struct State: Sendable {
        var wish = Wish()
        weak var analytics: Analytics?
    }

    private let screens: ScreenRules
    private let clicks: ClickRules
    private let state: Locked<State>
    #if canImport(UIKit) && !os(watchOS)
    @MainActor private var capture: (wish: Wish, capture: UIKitCapture)?
    #endif

    /// Captures nothing yet. The analytics are not kept alive.
    package init(_ analytics: Analytics, screens: ScreenRules = .ofClasses, clicks: ClickRules = ClickRules()) {
        self.screens = screens
        self.clicks = clicks
        state = Locked(State(analytics: analytics))
    }

    /// What is wanted at present.
    package var wish: Wish { state.withLock { $0.wish } }

    /// Captures this from now on, and nothing else. Methods of UIKit are exchanged for what is wanted alone.
    package func want(_ wish: Wish) {
        let isNews = state.withLock { state in
            defer { state.wish = wish }
            return state.wish != wish
        }
        guard isNews else { return }
        #if canImport(UIKit) && !os(watchOS)
        DispatchQueue.main.async { MainActor.assumeIsolated { self.follow() } }
        #endif
    }

    #if canImport(UIKit) && !os(watchOS)
    /// Of several wishes that came meanwhile, the last one counts.
    @MainActor
    private func follow() {
        let (wish, analytics) = state.withLock { ($0.wish, $0.analytics) }
        guard capture?.wish != wish else { return }
        capture?.capture.stop()
        capture = nil
        guard let analytics, wish.screens || wish.clicks else { return }
        let made = UIKitCapture(
            analytics,
            screens: wish.screens ? screens : nil,
            clicks: wish.clicks ? clicks : nil
        )
        capture = (wish, made)
    }
    #endif
}

extension ScreenRules {
    /// Screens are called what their classes are, as older SDKs have it.
    package static var ofClasses: ScreenRules {
        var rules = ScreenRules()
        rules.naming = .className
        return rules
    }
}
