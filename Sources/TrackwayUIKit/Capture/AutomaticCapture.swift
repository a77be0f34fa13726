// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
package import Trackway
internal import TrackwayCore

/// The capture of screens and clicks on behalf of a compatibility module.
///
/// Callable from any thread; UIKit is called later, on the main thread. Without UIKit, only the settings are stored.
package final class AutomaticCapture: Sendable {
    /// The features to capture.
    package struct Features: Sendable, Hashable {
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
        var features = Features()
        var screens: ScreenRules
        /// The view classes on which clicks are not recorded.
        var ignoredViewClasses: [AnyClass] = []
        weak var analytics: Analytics?
    }

    private let clicks: ClickRules
    private let state: Locked<State>
    #if canImport(UIKit) && !os(watchOS)
    // Separate captures, so that each can start and stop without the other.
    @MainActor private var screenCapture: UIKitCapture?
    @MainActor private var clickCapture: UIKitCapture?
    #endif

    /// Creates an inactive capture.
    ///
    /// The capture does not retain the `Analytics`.
    package init(_ analytics: Analytics, screens: ScreenRules = .namedByClass, clicks: ClickRules = ClickRules()) {
        self.clicks = clicks
        state = Locked(State(screens: screens, analytics: analytics))
    }

    /// The currently captured features.
    package var features: Features { state.withLock { $0.features } }

    /// Captures these features and no others.
    ///
    /// UIKit methods are exchanged only for the requested features.
    package func capture(_ features: Features) {
        let hasChanged = state.withLock { state in
            defer { state.features = features }
            return state.features != features
        }
        if hasChanged { scheduleUpdate() }
    }

    /// Excludes controllers of these classes from the recorded screens.
    ///
    /// A class name may include its module.
    package func ignore(controllers: [String]) {
        state.withLock { $0.screens.excludedClasses.formUnion(controllers) }
        scheduleUpdate()
    }

    /// Excludes clicks on views of a class.
    ///
    /// Clicks on views of its subclasses, and on subviews of all these views, are excluded too.
    package func ignore(viewsOf kind: AnyClass) {
        state.withLock { $0.ignoredViewClasses.append(kind) }
        scheduleUpdate()
    }

    /// The controller classes that the rules exclude as screens.
    ///
    /// Classes that are never screens are not listed.
    package var ignoredControllers: Set<String> { state.withLock { $0.screens.excludedClasses } }

    private func scheduleUpdate() {
        #if canImport(UIKit) && !os(watchOS)
        DispatchQueue.main.async { MainActor.assumeIsolated { self.applySettings() } }
        #endif
    }

    #if canImport(UIKit) && !os(watchOS)
    /// Applies the latest settings.
    ///
    /// Earlier settings that have not been applied yet are skipped.
    @MainActor
    private func applySettings() {
        let state = state.withLock { $0 }
        let analytics = state.analytics
        if let analytics, state.features.screens {
            let capture = screenCapture ?? UIKitCapture(analytics, screens: state.screens, clicks: nil)
            capture.screens = state.screens
            screenCapture = capture
        } else {
            screenCapture?.stop()
            screenCapture = nil
        }
        if let analytics, state.features.clicks {
            let capture = clickCapture ?? UIKitCapture(analytics, screens: nil, clicks: clicks)
            capture.ignoredViewClasses = state.ignoredViewClasses
            capture.titleRules = state.screens.includesTitles ? state.screens : nil
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
    package static var namedByClass: ScreenRules {
        var rules = ScreenRules()
        rules.naming = .className
        return rules
    }
}
