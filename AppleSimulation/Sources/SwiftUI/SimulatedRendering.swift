// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
import Foundation
import UIKit

/// One evaluation of the bodies of all shown views.
@MainActor final class SimulatedRendering {
    /// The actions for a view's appearance and disappearance.
    struct Appearance {
        var appear: (@MainActor () -> Void)?
        var disappear: (@MainActor () -> Void)?
    }

    /// Properties that outer views apply to inner ones.
    struct InheritedProperties {
        var identifier: String?
        var isEnabled = true
        var taps: [@MainActor () -> Void] = []
    }

    let state: SimulatedScreenState
    var elements: [SimulatedScreen.Element] = []
    var appearances: [String: Appearance] = [:]
    var changes: [() -> Void] = []
    /// The destinations of links, by path.
    var destinations: [String: any View] = [:]

    init(state: SimulatedScreenState) {
        self.state = state
    }

    func render<Content: View>(
        _ view: Content,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: InheritedProperties
    ) {
        if let system = view as? any SimulatedView {
            system.simulate(self, path, environment, inherited)
            return
        }
        if let controller = view as? any UIViewControllerRepresentable {
            show(controller, path, environment)
            return
        }
        connect(view, path, environment)
        render(view.body, path + "b/", environment, inherited)
    }

    /// Connects properties that hold state and environment values.
    func connect(_ holder: Any, _ path: String, _ environment: EnvironmentValues) {
        for (index, child) in Mirror(reflecting: holder).children.enumerated() {
            (child.value as? any SimulatedStorage)?.connect(state, "\(path)\(index)", environment)
        }
    }

    func add(
        _ kind: String,
        _ text: String,
        _ path: String,
        _ inherited: InheritedProperties,
        tap: (@MainActor () -> Void)? = nil
    ) {
        elements.append(
            SimulatedScreen.Element(
                kind: kind,
                text: text,
                identifier: inherited.identifier,
                path: path,
                isEnabled: inherited.isEnabled,
                taps: (tap.map { [$0] } ?? []) + inherited.taps
            )
        )
    }

    /// Returns the text of a label.
    func text<Content: View>(of view: Content, _ path: String, _ environment: EnvironmentValues) -> String {
        let inner = SimulatedRendering(state: state)
        inner.render(view, path, environment, InheritedProperties())
        return inner.elements.map(\.text).filter { !$0.isEmpty }.joined(separator: " ")
    }

    private func show<Shown: UIViewControllerRepresentable>(
        _ view: Shown,
        _ path: String,
        _ environment: EnvironmentValues
    ) {
        let context = UIViewControllerRepresentableContext<Shown>(environment: environment)
        let existing = state.controllers[path] as? Shown.UIViewControllerType
        let controller = existing ?? view.makeUIViewController(context: context)
        state.controllers[path] = controller
        view.updateUIViewController(controller, context: context)
        let state = state
        appearances[path] = Appearance(
            appear: {
                state.host?.embed(controller)
                controller.simulateAppearing()
            },
            disappear: {
                controller.simulateDisappearing()
                state.host?.unembed(controller)
            }
        )
    }
}

extension UIViewController {
    /// Embeds a UIKit controller in the host's view, where touches reach it.
    fileprivate func embed(_ controller: UIViewController) {
        addChild(controller)
        controller.view.frame = view.bounds
        view.addSubview(controller.view)
        controller.didMove(toParent: self)
    }

    /// Removes a UIKit controller.
    fileprivate func unembed(_ controller: UIViewController) {
        controller.willMove(toParent: nil)
        controller.view.removeFromSuperview()
        controller.removeFromParent()
    }
}

/// A view that is rendered by the system.
@MainActor protocol SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    )
}

extension ModifiedContent: SimulatedView where Content: View, Modifier: ViewModifier {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        if let system = modifier as? _SystemModifier {
            system.simulate(rendering, content, path, environment, inherited)
        } else {
            rendering.connect(modifier, path + "m", environment)
            let placeholder = _ViewModifier_Content<Modifier>(storedView: content)
            rendering.render(modifier.body(content: placeholder), path + "m/", environment, inherited)
        }
    }
}

extension _SystemModifier {
    @MainActor fileprivate func simulate(
        _ rendering: SimulatedRendering,
        _ content: some View,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        var environment = environment
        var inherited = inherited
        let state = rendering.state
        switch kind {
        case .appearing(let appear, let disappear):
            rendering.appearances[path] = .init(appear: appear, disappear: disappear)
        case .task(let action):
            rendering.appearances[path] = .init(appear: { Task { await action() } })
        case .tap(_, _, let action):
            inherited.taps.append(action)
        case .change(let value, let isEqual, let action):
            // The closure belongs to the previous body and captures its properties (Apple, page of
            // `onChange(of:perform:)`).
            if let old = state.observedValues[path], !isEqual(old.value) {
                rendering.changes.append { old.action(old.value, value) }
            }
            state.observedValues[path] = (value, action)
        case .identifier(let identifier):
            inherited.identifier = identifier
        case .title(let title):
            state.title = title
        case .environment(let change):
            change(&environment)
        case .disabled(let isDisabled):
            inherited.isEnabled = inherited.isEnabled && !isDisabled
        case .sheet, .tabItem, .styling:
            break
        }
        rendering.render(content, path + "c/", environment, inherited)
        if case .sheet(let isPresented, let sheet) = kind, isPresented.wrappedValue {
            state.closeSheet = { isPresented.wrappedValue = false }
            rendering.render(sheet(), path + "s/", environment, .init())
        }
    }
}
#endif
