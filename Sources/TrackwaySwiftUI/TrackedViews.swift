// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(SwiftUI)
public import SwiftUI
public import Trackway
internal import TrackwayBehavior
internal import TrackwayEvents
public import TrackwayTriggers

extension EnvironmentValues {
    /// What views record with; nil records nothing.
    ///
    /// ```swift
    /// @Environment(\.analytics) private var analytics
    /// ```
    public var analytics: Analytics? {
        get { self[AnalyticsKey.self] }
        set { self[AnalyticsKey.self] = newValue }
    }

    /// What has the triggers of views fire; nil has none.
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
    /// Has this view and those inside it record with these analytics. In a process that shows a preview nothing comes of it: analytics
    /// take every call there, write no file and send nothing.
    ///
    /// - Parameter detector: has their triggers fire.
    public func analytics(_ analytics: Analytics?, detector: Detector? = nil) -> some View {
        environment(\.analytics, analytics).environment(\.triggerDetector, detector)
    }

    /// Records a screen (`_screen_view`) while this view is shown.
    ///
    /// ```swift
    /// ProductList().trackScreen("Products", id: "shop/products", ["coupon": coupon])
    /// ```
    /// Every event carries the screen from then on. When a screen above it disappears, this one is recorded again.
    /// A name or id that changes while the view is shown is another screen, as in the detail column of a `NavigationSplitView`.
    /// Attributes are those of the latest body when the screen is recorded; a change of attributes alone records nothing.
    ///
    /// - Parameters:
    ///   - name: The name of the screen. While it is empty, the view is no screen.
    ///   - id: The place of the screen in the app.
    ///   - attributes: Attributes of `_screen_view`.
    public func trackScreen(_ name: String, id: String? = nil, _ attributes: Attributes = [:]) -> some View {
        modifier(TrackedScreen(name: name, id: id, attributes: attributes))
    }

    /// Records a click (`_click`) when the view is tapped, beside what the tap does.
    ///
    /// Not for rows of a `List`, whose own taps a gesture takes away, and of little use on a `Button`: record in the
    /// button's action there, with `analytics.trackTap(_:)`.
    ///
    /// - Parameters:
    ///   - element: what the element is called.
    ///   - attributes: what else is worth knowing.
    public func trackTap(_ element: String, _ attributes: Attributes = [:]) -> some View {
        modifier(TrackedTap(element: element, attributes: attributes))
    }

    /// Has events fire when the view appears, disappears or is tapped, as their triggers say. Without one for
    /// `Trigger.didEndTouch` no gesture is added.
    public func trigger(_ events: TriggerEvent...) -> some View {
        modifier(TriggeredView(events: events))
    }

    /// The same for events that come as a list, as ready-made pairs do.
    ///
    /// ```swift
    /// Offer().trigger(TriggerEvent.timeOnScreen(recording: "offer_time", with: analytics))
    /// ```
    public func trigger(_ events: [TriggerEvent]) -> some View {
        modifier(TriggeredView(events: events))
    }

    /// Tells the analytics what the scene does, in an app whose configuration does not follow the life cycle
    /// (`Configuration.lifecycle.isObserved`). Belongs to the outermost view of a scene.
    public func followScenePhase() -> some View {
        modifier(FollowedScene())
    }
}

/// One view in the hierarchy, however often its value is made anew.
@MainActor
private final class Identity {
    /// Whether the view is in sight.
    var isVisible = false
    var number: Int { ObjectIdentifier(self).hashValue }

    nonisolated init() {}
}

/// The screen that a view names.
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
                if !named.name.isEmpty { analytics?.lifecycle.screenTracker.appeared(identity.number, named.view) }
            }
            // Called with the new value by a closure that may be of the former one.
            .onChange(of: named) { changed(to: $0) }
            .onDisappear {
                identity.isVisible = false
                analytics?.lifecycle.screenTracker.disappeared(identity.number)
            }
    }

    private func changed(to named: NamedView) {
        guard identity.isVisible, let tracker = analytics?.lifecycle.screenTracker else { return }
        if named.name.isEmpty { return tracker.disappeared(identity.number) }
        if tracker.isShowing(identity.number) {
            tracker.changed(identity.number, to: named.view)
        } else {
            tracker.appeared(identity.number, named.view)
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

/// A view as the triggers see it.
@MainActor
private struct ViewElement: TriggerElement {
    let triggerEvents: [TriggerEvent]?
}

private struct TriggeredView: ViewModifier {
    let events: [TriggerEvent]
    @Environment(\.triggerDetector) private var detector

    func body(content: Content) -> some View {
        let watched =
            content
            .onAppear { detector?.trackDisplay(for: [element]) }
            .onDisappear { detector?.trackEndDisplaying(for: [element]) }
        if events.contains(where: { $0.trigger == .didEndTouch }) {
            watched.simultaneousGesture(
                TapGesture().onEnded { _ = detector?.track(.didEndTouch, for: element) }
            )
        } else {
            watched
        }
    }

    private var element: ViewElement { ViewElement(triggerEvents: events) }
}

private struct FollowedScene: ViewModifier {
    @Environment(\.analytics) private var analytics
    @Environment(\.scenePhase) private var phase
    @State private var scene = FollowedPhase()

    func body(content: Content) -> some View {
        content
            .onAppear { tell(phase) }
            .onChange(of: phase) { tell($0) }
    }

    private func tell(_ phase: ScenePhase) {
        let seen: SceneVisibility? =
            switch phase {
            case .active: .active
            case .inactive: .inactive
            case .background: .background
            @unknown default: nil
            }
        guard let analytics, let seen else { return }
        for change in scene.changes(to: seen) { analytics.lifeCycleChanged(to: change) }
    }
}
#endif
