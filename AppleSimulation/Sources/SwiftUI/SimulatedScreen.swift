// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation
public import UIKit

/// Shows views to a test, as SwiftUI shows them to a person: reads their bodies, keeps their states, tells what appears.
///
/// ```swift
/// let screen = SimulatedScreen(ShopView())
/// screen.appear()
/// screen.tap("Buy")
/// #expect(screen.texts.contains("1 in the cart"))
/// ```
///
/// Rules modelled here: what comes is told before or after what goes, as ``SimulatedPhone/order`` says; a swipe back that is given up makes
/// what lies beneath appear and disappear; `onChange` calls the closure of the former body; a view appears once until it disappears; a link's destination takes the place of the stack's root, which
/// disappears; one tab is shown at a time; a sheet leaves what is beneath it on screen; controllers of UIKit's within the views are
/// children of the hosting controller, and fill its view. Layout, animation and drawing are not
/// modelled, nor is what SwiftUI does to avoid reading a body: every body is read anew after each change.
@MainActor public final class SimulatedScreen {
    /// Something a person can see or touch.
    public struct Element {
        /// What kind of view it is.
        public let kind: String
        /// What is written on it.
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

    /// Where the scene is in its life: what views read as `scenePhase`.
    public var scenePhase = ScenePhase.active {
        didSet { refresh() }
    }

    /// A screen that shows nothing yet.
    public init(_ root: some View) {
        self.root = root
    }

    /// A screen within a controller's view.
    init(_ root: some View, in host: UIViewController) {
        self.root = root
        state.host = host
    }

    /// The views come on screen.
    public func appear() {
        isShown = true
        refresh()
    }

    /// The views leave the screen.
    public func disappear() {
        isShown = false
        refresh()
    }

    /// What can be seen, from top to bottom.
    public var visible: [Element] {
        refresh()
        return elements
    }

    /// What can be read, from top to bottom.
    public var texts: [String] { visible.map(\.text).filter { !$0.isEmpty } }

    /// The controllers of UIKit's that are shown within the views.
    public var controllers: [UIViewController] {
        refresh()
        return state.controllers.sorted { $0.key < $1.key }.map(\.value).filter(\.simulatedIsOnScreen)
    }

    /// The title of what is shown innermost.
    public var title: String? { state.title }

    /// Taps on what has this accessibility identifier, or this text.
    ///
    /// - Returns: Whether there is such a thing, and it takes taps.
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

    /// Types into what has this accessibility identifier, or this label.
    public func type(_ letters: String, into name: String) {
        state.fields[name]?(letters)
        refresh()
    }

    /// Goes back from a link's destination, or takes a sheet away.
    public func goBack() {
        if state.pushed.popLast() == nil { state.closeSheet?() }
        refresh()
    }

    /// Begins to swipe back, and lets go too early: what lies beneath appears and disappears, what is in front stays.
    public func abandonGoingBack() {
        refresh()
        let pushed = state.pushed
        guard state.pushed.popLast() != nil else { return }
        let beneath = read().appearances
        state.pushed = pushed
        let coming = beneath.filter { appeared[$0.key] == nil }.sorted { $0.key > $1.key }
        for (_, appearance) in coming { appearance.appear?() }
        for (_, appearance) in coming { appearance.disappear?() }
        refresh()
    }

    /// Chooses a tab.
    public func choose(tab index: Int) {
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
            let goes = before.filter { appeared[$0.key] == nil }.sorted { $0.key > $1.key }.map(\.value)
            let comes = appeared.filter { before[$0.key] == nil }.sorted { $0.key > $1.key }.map(\.value)
            if SimulatedPhone.current.order.comingFirst {
                for appearance in comes { appearance.appear?() }
                for appearance in goes { appearance.disappear?() }
            } else {
                for appearance in goes { appearance.disappear?() }
                for appearance in comes { appearance.appear?() }
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

/// What outlives one reading of the bodies.
@MainActor final class SimulatedScreenState {
    nonisolated(unsafe) var values: [String: Any] = [:]
    nonisolated(unsafe) var isDirty = false
    var watched: [String: (value: Any, action: (Any, Any) -> Void)] = [:]
    var pushed: [String] = []
    var tab = 0
    var title: String?
    var fields: [String: (String) -> Void] = [:]
    var closeSheet: (() -> Void)?
    var controllers: [String: UIViewController] = [:]
    /// In whose view controllers of UIKit's are shown; nil: in none.
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
