// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
import Foundation

extension EmptyView: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {}
}

extension Spacer: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {}
}

extension Divider: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {}
}

extension Never: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {}
}

extension Text: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        rendering.add("Text", text, path, around)
    }
}

extension Image: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        rendering.add("Image", "", path, around)
    }
}

extension TupleView: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        for (index, child) in Mirror(reflecting: value).children.enumerated() {
            guard let view = child.value as? any View else { continue }
            rendering.render(view, "\(path)\(index)/", environment, around)
        }
    }
}

extension _ConditionalContent: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        if let first { rendering.render(first, path + "t/", environment, around) }
        if let second { rendering.render(second, path + "f/", environment, around) }
    }
}

extension Optional: SimulatedView where Wrapped: View {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        if let self { rendering.render(self, path + "t/", environment, around) }
    }
}

extension AnyView: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        rendering.render(held, path, environment, around)
    }
}

extension _ViewModifier_Content: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        rendering.render(held, path + "h/", environment, around)
    }
}

extension SimulatedLayout {
    @MainActor func lay(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        rendering.render(content, path, environment, around)
    }
}

extension VStack: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        lay(rendering, path, environment, around)
    }
}

extension HStack: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        lay(rendering, path, environment, around)
    }
}

extension ZStack: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        lay(rendering, path, environment, around)
    }
}

extension Group: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        lay(rendering, path, environment, around)
    }
}

extension ScrollView: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        lay(rendering, path, environment, around)
    }
}

extension List: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        lay(rendering, path, environment, around)
    }
}

extension Form: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        lay(rendering, path, environment, around)
    }
}

extension Section: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        if let title { rendering.add("Header", title, path, around) }
        lay(rendering, path, environment, around)
    }
}

extension ForEach: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        for element in data { rendering.render(content(element), "\(path)[\(id(element))]/", environment, around) }
    }
}

extension Button: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        rendering.add("Button", rendering.text(of: label, path, environment), path, around, tap: action)
    }
}

extension Toggle: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        let isOn = isOn
        rendering.add("Toggle", rendering.text(of: label, path, environment), path, around) {
            isOn.wrappedValue.toggle()
        }
    }
}

extension TextField: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        let text = text
        let name = around.identifier ?? rendering.text(of: label, path, environment)
        rendering.state.fields[name] = { text.wrappedValue += $0 }
        rendering.add("TextField", text.wrappedValue, path, around)
    }
}

extension NavigationStack: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        // Only the innermost destination is shown. The outer ones are evaluated to find it, and their elements are
        // discarded.
        let elements = rendering.elements
        let appearances = rendering.appearances
        rendering.render(root, path + "r/", environment, around)
        for pushed in rendering.state.pushed {
            guard let destination = rendering.destinations[pushed] else { break }
            rendering.elements = elements
            rendering.appearances = appearances
            rendering.render(destination, pushed + "d/", environment, around)
        }
    }
}

extension NavigationLink: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        let state = rendering.state
        rendering.destinations[path] = destination
        rendering.add("NavigationLink", rendering.text(of: label, path, environment), path, around) {
            state.pushed.append(path)
        }
    }
}

extension TabView: SimulatedView {
    func simulate(
        _ rendering: SimulatedRendering,
        _ path: String,
        _ environment: EnvironmentValues,
        _ around: SimulatedRendering.Surroundings
    ) {
        let parts: [any View] = (content as? any SimulatedParts)?.parts ?? [content]
        guard parts.indices.contains(rendering.state.tab) else { return }
        let shown: any View = parts[rendering.state.tab]
        rendering.render(shown, "\(path)tab\(rendering.state.tab)/", environment, around)
    }
}

/// A sequence of views.
@MainActor protocol SimulatedParts {
    var parts: [any View] { get }
}

extension TupleView: SimulatedParts {
    var parts: [any View] { Mirror(reflecting: value).children.compactMap { $0.value as? any View } }
}
#endif
