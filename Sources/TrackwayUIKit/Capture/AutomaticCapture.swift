// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
package import Trackway
internal import TrackwayEvents

/// Captures screens and clicks on behalf of a compatibility module.
///
/// Any thread may call; UIKit is called later, on the main thread. Without UIKit, only the settings are stored.
package final class AutomaticCapture: Sendable {
    /// The features to capture.
    package struct Wish: Sendable, Hashable {
        /// Whether to capture screens.
        package var screens: Bool
        /// Whether to capture clicks.
        package var clicks: Bool

        /// Creates a selection of features.
        package init(screens: Bool = false, clicks: Bool = false) {
            self.screens = screens
            self.clicks = clicks
        }
    }

    private struct State: Sendable {
        var wish = Wish()
        var screens: ScreenRules
        /// Clicks on views of these classes are not recorded.
        var ignoredKinds: [AnyClass] = []
        weak var analytics: Analytics?
    }

    private let clicks: ClickRules
    private let state: Locked<State>
    #if canImport(UIKit) && !os(watchOS)
    // Separate captures, so that each can start and stop without the other.
    @MainActor private var screenCapture: UIKitCapture?
    @MainActor private var clickCapture: UIKitCapture?
    #endif

    /// Creates a capture that is off.
    ///
    /// It does not retain the `Analytics`.
    package init(_ analytics: Analytics, screens: ScreenRules = .ofClasses, clicks: ClickRules = ClickRules()) {
        self.clicks = clicks
        state = Locked(State(screens: screens, analytics: analytics))
    }

    /// The currently captured features.
    package var wish: Wish { state.withLock { $0.wish } }

    /// Captures these features and no others.
    ///
    /// UIKit methods are exchanged only for the requested features.
    package func want(_ wish: Wish) {
        let isNews = state.withLock { state in
            defer { state.wish = wish }
            return state.wish != wish
        }
        if isNews { scheduleUpdate() }
    }

    /// Excludes controllers of these classes from screens.
    ///
    /// The names may include their module.
    package func ignore(controllers: [String]) {
        state.withLock { $0.screens.excludedClasses.formUnion(controllers) }
        scheduleUpdate()
    }

    /// Excludes clicks on views of a class.
    ///
    /// This includes its subclasses, and the subviews of all these views.
    package func ignore(viewsOf kind: AnyClass) {
        state.withLock { $0.ignoredKinds.append(kind) }
        scheduleUpdate()
    }

    /// The controller classes that were excluded from screens.
    ///
    /// Classes that are never screens are not included.
    package var ignoredControllers: Set<String> { state.withLock { $0.screens.excludedClasses } }

    private func scheduleUpdate() {
        #if canImport(UIKit) && !os(watchOS)
        DispatchQueue.main.async { MainActor.assumeIsolated { self.follow() } }
        #endif
    }

    #if canImport(UIKit) && !os(watchOS)
    /// Applies the latest settings.
    ///
    /// Earlier settings that were not applied yet are skipped.
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
    /// The rules that name screens after their classes, as older SDKs do.
    package static var ofClasses: ScreenRules {
        var rules = ScreenRules()
        rules.naming = .className
        return rules
    }
}
