// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
import Foundation

extension EmptyView: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {}
}

extension Spacer: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {}
}

extension Divider: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {}
}

extension Never: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {}
}

extension Text: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        rendering.add("Text", text, path, inherited)
    }
}

extension Image: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        rendering.add("Image", "", path, inherited)
    }
}

extension TupleView: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        for (index, child) in Mirror(reflecting: value).children.enumerated() {
            guard let view = child.value as? any View else { continue }
            rendering.render(view, "\(path)\(index)/", environment, inherited)
        }
    }
}

extension _ConditionalContent: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        if let first { rendering.render(first, path + "t/", environment, inherited) }
        if let second { rendering.render(second, path + "f/", environment, inherited) }
    }
}

extension Optional: SimulatedView where Wrapped: View {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        if let self { rendering.render(self, path + "t/", environment, inherited) }
    }
}

extension AnyView: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        rendering.render(storedView, path, environment, inherited)
    }
}

extension _ViewModifier_Content: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        rendering.render(storedView, path + "h/", environment, inherited)
    }
}

extension SimulatedLayout {
    @MainActor func layOut(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        rendering.render(content, path, environment, inherited)
    }
}

extension VStack: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        layOut(rendering, path, environment, inherited)
    }
}

extension HStack: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        layOut(rendering, path, environment, inherited)
    }
}

extension ZStack: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        layOut(rendering, path, environment, inherited)
    }
}

extension Group: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        layOut(rendering, path, environment, inherited)
    }
}

extension ScrollView: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        layOut(rendering, path, environment, inherited)
    }
}

extension List: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        layOut(rendering, path, environment, inherited)
    }
}

extension Form: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        layOut(rendering, path, environment, inherited)
    }
}

extension Section: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        if let title { rendering.add("Header", title, path, inherited) }
        layOut(rendering, path, environment, inherited)
    }
}

extension ForEach: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        for element in data { rendering.render(content(element), "\(path)[\(id(element))]/", environment, inherited) }
    }
}

extension Button: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        rendering.add("Button", rendering.text(of: label, path, environment), path, inherited, tap: action)
    }
}

extension Toggle: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        let isOn = isOn
        rendering.add("Toggle", rendering.text(of: label, path, environment), path, inherited) {
            isOn.wrappedValue.toggle()
        }
    }
}

extension TextField: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        let text = text
        let name = inherited.identifier ?? rendering.text(of: label, path, environment)
        rendering.state.fields[name] = { text.wrappedValue += $0 }
        rendering.add("TextField", text.wrappedValue, path, inherited)
    }
}

extension NavigationStack: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        // Only the innermost destination is shown. The outer ones are evaluated to find it, and their elements are
        // discarded.
        let elements = rendering.elements
        let appearances = rendering.appearances
        rendering.render(root, path + "r/", environment, inherited)
        for pushed in rendering.state.pushedPaths {
            guard let destination = rendering.destinations[pushed] else { break }
            rendering.elements = elements
            rendering.appearances = appearances
            rendering.render(destination, pushed + "d/", environment, inherited)
        }
    }
}

extension NavigationLink: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        let state = rendering.state
        rendering.destinations[path] = destination
        rendering.add("NavigationLink", rendering.text(of: label, path, environment), path, inherited) {
            state.pushedPaths.append(path)
        }
    }
}

extension TabView: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ inherited: SimulatedRendering.InheritedProperties
    ) {
        let parts: [any View] = (content as? any SimulatedViewList)?.parts ?? [content]
        guard parts.indices.contains(rendering.state.tab) else { return }
        let shown: any View = parts[rendering.state.tab]
        rendering.render(shown, "\(path)tab\(rendering.state.tab)/", environment, inherited)
    }
}

/// A sequence of views.
@MainActor protocol SimulatedViewList {
    var parts: [any View] { get }
}

extension TupleView: SimulatedViewList {
    var parts: [any View] { Mirror(reflecting: value).children.compactMap { $0.value as? any View } }
}
#endif
