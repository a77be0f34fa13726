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
        var screens: ScreenRules
        /// Views of these kinds are not clicked.
        var ignoredKinds: [AnyClass] = []
        weak var analytics: Analytics?
    }

    private let clicks: ClickRules
    private let state: Locked<State>
    #if canImport(UIKit) && !os(watchOS)
    // Two, so that one of them comes and goes without the other.
    @MainActor private var screenCapture: UIKitCapture?
    @MainActor private var clickCapture: UIKitCapture?
    #endif

    /// Captures nothing yet. The analytics are not kept alive.
    package init(_ analytics: Analytics, screens: ScreenRules = .ofClasses, clicks: ClickRules = ClickRules()) {
        self.clicks = clicks
        state = Locked(State(screens: screens, analytics: analytics))
    }

    /// What is wanted at present.
    package var wish: Wish { state.withLock { $0.wish } }

    /// Captures this from now on, and nothing else. Methods of UIKit are exchanged for what is wanted alone.
    package func want(_ wish: Wish) {
        let isNews = state.withLock { state in
            defer { state.wish = wish }
            return state.wish != wish
        }
        if isNews { followSoon() }
    }

    /// Takes controllers of these classes for no screens, with their module or without it.
    package func ignore(controllers: [String]) {
        state.withLock { $0.screens.excludedClasses.formUnion(controllers) }
        followSoon()
    }

    /// Tells no clicks on views of this class, of those derived from it, and on what lies inside of them.
    package func ignore(viewsOf kind: AnyClass) {
        state.withLock { $0.ignoredKinds.append(kind) }
        followSoon()
    }

    /// The classes whose controllers are taken for no screens, beside those that never are.
    package var ignoredControllers: Set<String> { state.withLock { $0.screens.excludedClasses } }

    private func followSoon() {
        #if canImport(UIKit) && !os(watchOS)
        DispatchQueue.main.async { MainActor.assumeIsolated { self.follow() } }
        #endif
    }

    #if canImport(UIKit) && !os(watchOS)
    /// Of several wishes that came meanwhile, the last one counts.
    @MainActor
    private func follow() {
        let state = state.withLock { $0 }
        let analytics = state.analytics
        if let analytics, state.wish.screens {
            let capture = screenCapture ?? UIKitCapture(analytics, screens: state.screens, clicks: nil)
            capture.screens = state.screens
            screenCapture = capture
        } else {
            screenCapture?.stop()
            screenCapture = nil
        }
        if let analytics, state.wish.clicks {
            let capture = clickCapture ?? UIKitCapture(analytics, screens: nil, clicks: clicks)
            capture.ignoredKinds = state.ignoredKinds
            capture.titles = state.screens.includesTitles ? state.screens : nil
            clickCapture = capture
        } else {
            clickCapture?.stop()
            clickCapture = nil
        }
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
