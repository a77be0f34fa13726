// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation
public import UIKit

/// Shows views to a test as SwiftUI shows them to a user.
///
/// Evaluates bodies, stores state, and reports appearances.
///
/// ```swift
/// let screen = SimulatedScreen(ShopView())
/// screen.appear()
/// screen.tap("Buy")
/// #expect(screen.texts.contains("1 in the cart"))
/// ```
///
/// Rules modeled here:
/// - Appearances are reported before or after disappearances, as specified by ``SimulatedPhone/order``.
/// - A canceled swipe back makes the view below appear and disappear.
/// - `onChange` calls the closure of the previous body.
/// - A view appears once until it disappears.
/// - A link's destination replaces the root of the stack, which disappears.
/// - One tab is shown at a time.
/// - A sheet leaves the views below it on screen.
/// - UIKit controllers inside the views are children of the hosting controller and fill its view.
///
/// Not modeled: layout, animation, drawing, and SwiftUI's optimizations that avoid evaluating a body. Every body is
/// evaluated again after each change.
@MainActor public final class SimulatedScreen {
    /// An element that a user can see or touch.
    public struct Element {
        /// The kind of view.
        public let kind: String
        /// The text on the view.
        public let text: String
        /// Its accessibility identifier.
        public let identifier: String?
        let path: String
        let isEnabled: Bool
        let taps: [@MainActor () -> Void]
    }

    private let root: any View
    private let state = SimulatedScreenState()
    private var isShown = false
    private var elements: [Element] = []
    private var appeared: [String: SimulatedRendering.Appearance] = [:]

    /// The scene phase that views read as `scenePhase`.
    public var scenePhase = ScenePhase.active {
        didSet { refresh() }
    }

    /// Creates a screen that shows nothing yet.
    public init(_ root: some View) {
        self.root = root
    }

    /// Creates a screen inside a controller's view.
    init(_ root: some View, in host: UIViewController) {
        self.root = root
        state.host = host
    }

    /// Makes the views appear on screen.
    public func appear() {
        isShown = true
        refresh()
    }

    /// Makes the views disappear.
    public func disappear() {
        isShown = false
        refresh()
    }

    /// The visible elements, from top to bottom.
    public var visible: [Element] {
        refresh()
        return elements
    }

    /// The visible texts, from top to bottom.
    public var texts: [String] { visible.map(\.text).filter { !$0.isEmpty } }

    /// The UIKit controllers that are shown inside the views.
    public var controllers: [UIViewController] {
        refresh()
        return state.controllers.sorted { $0.key < $1.key }.map(\.value).filter(\.simulatedIsOnScreen)
    }

    /// The title of the innermost shown view.
    public var title: String? { state.title }

    /// Taps the element with this accessibility identifier or text.
    ///
    /// - Returns: Whether the element exists and accepts taps.
    @discardableResult
    public func tap(_ name: String) -> Bool {
        let found =
            visible.first { $0.identifier == name && !$0.taps.isEmpty }
            ?? visible.first { $0.text == name && !$0.taps.isEmpty }
        guard let found, found.isEnabled else { return false }
        for tap in found.taps { tap() }
        refresh()
        return true
    }

    /// Types into the element with this accessibility identifier or label.
    public func type(_ letters: String, into name: String) {
        state.fields[name]?(letters)
        refresh()
    }

    /// Goes back from a link's destination, or dismisses a sheet.
    public func goBack() {
        if state.pushedPaths.popLast() == nil { state.closeSheet?() }
        refresh()
    }

    /// Starts a swipe back and cancels it: the view below appears and disappears; the front view remains.
    public func cancelSwipeBack() {
        refresh()
        let pushed = state.pushedPaths
        guard state.pushedPaths.popLast() != nil else { return }
        let belowAppearances = read().appearances
        state.pushedPaths = pushed
        let appearing = belowAppearances.filter { appeared[$0.key] == nil }.sorted { $0.key > $1.key }
        for (_, appearance) in appearing { appearance.appear?() }
        for (_, appearance) in appearing { appearance.disappear?() }
        refresh()
    }

    /// Selects a tab.
    public func select(tab index: Int) {
        state.tab = index
        refresh()
    }

    private func refresh() {
        for _ in 0..<20 {
            state.isDirty = false
            let rendering = read()
            elements = rendering.elements
            let before = appeared
            appeared = rendering.appearances
            let disappearing = before.filter { appeared[$0.key] == nil }.sorted { $0.key > $1.key }.map(\.value)
            let appearing = appeared.filter { before[$0.key] == nil }.sorted { $0.key > $1.key }.map(\.value)
            if SimulatedPhone.current.order.appearingFirst {
                for appearance in appearing { appearance.appear?() }
                for appearance in disappearing { appearance.disappear?() }
            } else {
                for appearance in disappearing { appearance.disappear?() }
                for appearance in appearing { appearance.appear?() }
            }
            for change in rendering.changes { change() }
            if !state.isDirty { return }
        }
    }

    private func read() -> SimulatedRendering {
        let rendering = SimulatedRendering(state: state)
        var environment = EnvironmentValues()
        environment.scenePhase = scenePhase
        environment.dismiss = DismissAction { [weak self] in self?.goBack() }
        state.beginReading()
        if isShown { rendering.render(root, "/", environment, .init()) }
        return rendering
    }
}

/// State that persists between evaluations of the bodies.
@MainActor final class SimulatedScreenState {
    nonisolated(unsafe) var values: [String: Any] = [:]
    nonisolated(unsafe) var isDirty = false
    var observedValues: [String: (value: Any, action: (Any, Any) -> Void)] = [:]
    var pushedPaths: [String] = []
    var tab = 0
    var title: String?
    var fields: [String: (String) -> Void] = [:]
    var closeSheet: (() -> Void)?
    var controllers: [String: UIViewController] = [:]
    /// The controller that contains embedded UIKit controllers; nil for none.
    weak var host: UIViewController?

    nonisolated init() {}

    nonisolated func set(_ value: Any, at path: String) {
        values[path] = value
        isDirty = true
    }

    func beginReading() {
        title = nil
        fields = [:]
        closeSheet = nil
    }
}
#endif
