// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(SwiftUI)
public import SwiftUI
public import Trackway
internal import TrackwayLifecycle
internal import TrackwayCore
public import TrackwayTriggers

extension EnvironmentValues {
    /// The `Analytics` with which views record events; nil to record nothing.
    ///
    /// ```swift
    /// @Environment(\.analytics) private var analytics
    /// ```
    public var analytics: Analytics? {
        get { self[AnalyticsKey.self] }
        set { self[AnalyticsKey.self] = newValue }
    }

    /// The detector that fires the triggers of views; nil for none.
    public var triggerDetector: Detector? {
        get { self[DetectorKey.self] }
        set { self[DetectorKey.self] = newValue }
    }
}

private struct AnalyticsKey: EnvironmentKey {
    static let defaultValue: Analytics? = nil
}

private struct DetectorKey: EnvironmentKey {
    static let defaultValue: Detector? = nil
}

extension View {
    /// Makes this view and its subviews record with this `Analytics`.
    ///
    /// In a process that shows an Xcode preview, all calls are accepted, but no file is written and nothing is sent.
    ///
    /// - Parameter detector: the detector that fires the triggers of these views; nil for none.
    public func analytics(_ analytics: Analytics?, detector: Detector? = nil) -> some View {
        environment(\.analytics, analytics).environment(\.triggerDetector, detector)
    }

    /// Records a screen (`_screen_view`) while this view is shown.
    ///
    /// ```swift
    /// ProductList().trackScreen("Products", id: "shop/products", ["coupon": coupon])
    /// ```
    /// Every later event contains the screen. When a screen above this one disappears, this screen is recorded again.
    /// If the name or id changes while the view is shown, a new screen is recorded, as in the detail column of a
    /// `NavigationSplitView`. The attributes are those of the latest body when the screen is recorded. If only the
    /// attributes change, nothing is recorded.
    ///
    /// - Parameters:
    ///   - name: The name of the screen. While it is empty, the view is not a screen.
    ///   - id: The location of the screen in the app.
    ///   - attributes: The attributes of the `_screen_view` event.
    public func trackScreen(_ name: String, id: String? = nil, _ attributes: Attributes = [:]) -> some View {
        modifier(TrackedScreen(name: name, id: id, attributes: attributes))
    }

    /// Records a click (`_click`) when the view is tapped.
    ///
    /// The tap's own effect does not change. Do not use this modifier for rows of a `List`, whose taps the gesture
    /// would intercept. On a `Button`, the modifier is of little use: call `analytics.trackTap(_:)` in the button's
    /// action instead.
    ///
    /// - Parameters:
    ///   - element: the name of the element.
    ///   - attributes: additional attributes.
    public func trackTap(_ element: String, _ attributes: Attributes = [:]) -> some View {
        modifier(TrackedTap(element: element, attributes: attributes))
    }

    /// Fires events when the view appears, disappears, or is tapped.
    ///
    /// Each event fires according to its trigger. A tap gesture is added only for an event with `Trigger.didEndTouch`.
    public func trigger(_ events: TriggerEvent...) -> some View {
        modifier(TriggeredView(events: events))
    }

    /// Fires a list of events, such as a predefined pair.
    ///
    /// ```swift
    /// Offer().trigger(TriggerEvent.timeOnScreen(recording: "offer_time", with: analytics))
    /// ```
    public func trigger(_ events: [TriggerEvent]) -> some View {
        modifier(TriggeredView(events: events))
    }

    /// Reports the scene's phase changes to the `Analytics`.
    ///
    /// Use this modifier in an app whose configuration disables lifecycle observation
    /// (`Configuration.lifecycle.isObserved`), on the outermost view of a scene.
    public func followScenePhase() -> some View {
        modifier(ScenePhaseObserver())
    }
}

/// The identity of a view in the hierarchy.
///
/// The identity survives re-creations of the view's value.
@MainActor
private final class Identity {
    /// Whether the view is visible.
    var isVisible = false
    var number: Int { ObjectIdentifier(self).hashValue }

    nonisolated init() {}
}

/// The screen that a view declares.
private struct NamedView: Equatable {
    let name: String
    let id: String?
    let attributes: Attributes

    var view: ScreenView {
        ScreenView(screen: .init(name: name, id: id, uniqueID: nil), attributes: attributes, isManual: true)
    }
}

private struct TrackedScreen: ViewModifier {
    let name: String
    let id: String?
    let attributes: Attributes
    @Environment(\.analytics) private var analytics
    @State private var identity = Identity()

    func body(content: Content) -> some View {
        let named = NamedView(name: name, id: id, attributes: attributes)
        content
            .onAppear {
                identity.isVisible = true
                if !named.name.isEmpty {
                    analytics?.lifecycle.screenTracker.screenAppeared(identity.number, named.view)
                }
            }
            // The new value is passed in, because the closure may have captured the previous one.
            .onChange(of: named) { update(to: $0) }
            .onDisappear {
                identity.isVisible = false
                analytics?.lifecycle.screenTracker.screenDisappeared(identity.number)
            }
    }

    private func update(to named: NamedView) {
        guard identity.isVisible, let tracker = analytics?.lifecycle.screenTracker else { return }
        if named.name.isEmpty { return tracker.screenDisappeared(identity.number) }
        if tracker.isShowing(identity.number) {
            tracker.screenChanged(identity.number, to: named.view)
        } else {
            tracker.screenAppeared(identity.number, named.view)
        }
    }
}

private struct TrackedTap: ViewModifier {
    let element: String
    let attributes: Attributes
    @Environment(\.analytics) private var analytics

    func body(content: Content) -> some View {
        content.simultaneousGesture(TapGesture().onEnded { analytics?.trackTap(element, attributes) })
    }
}

/// A view as a trigger element.
@MainActor
private struct ViewElement: TriggerElement {
    let triggerEvents: [TriggerEvent]?
}

private struct TriggeredView: ViewModifier {
    let events: [TriggerEvent]
    @Environment(\.triggerDetector) private var detector

    func body(content: Content) -> some View {
        let tracked =
            content
            .onAppear { detector?.trackDisplay(for: [element]) }
            .onDisappear { detector?.trackEndDisplaying(for: [element]) }
        if events.contains(where: { $0.trigger == .didEndTouch }) {
            tracked.simultaneousGesture(
                TapGesture().onEnded { _ = detector?.track(.didEndTouch, for: element) }
            )
        } else {
            tracked
        }
    }

    private var element: ViewElement { ViewElement(triggerEvents: events) }
}

private struct ScenePhaseObserver: ViewModifier {
    @Environment(\.analytics) private var analytics
    @Environment(\.scenePhase) private var phase
    @State private var scene = ScenePhaseTracker()

    func body(content: Content) -> some View {
        content
            .onAppear { report(phase) }
            .onChange(of: phase) { report($0) }
    }

    private func report(_ phase: ScenePhase) {
        let newVisibility: SceneVisibility? =
            switch phase {
            case .active: .active
            case .inactive: .inactive
            case .background: .background
            @unknown default: nil
            }
        guard let analytics, let visibility = newVisibility else { return }
        for change in scene.changes(to: visibility) { analytics.lifecycleChanged(to: change) }
    }
}
#endif
