// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

#if canImport(UIKit) && !os(watchOS)
public import UIKit
#endif

public struct LocalizedStringKey: ExpressibleByStringInterpolation, Sendable {
    let text: String
    public init(_ value: String) { text = value }
    public init(stringLiteral value: String) { text = value }
}

public struct Text: View {
    let text: String
    public init(_ key: LocalizedStringKey) { text = key.text }
    public init(verbatim content: String) { text = content }
    @_disfavoredOverload public init<Words: StringProtocol>(_ content: Words) { text = String(content) }
    public var body: Never { unreachableBody() }
}

public struct Image: View {
    let name: String
    public init(_ name: String) { self.name = name }
    public init(systemName: String) { name = systemName }
    public var body: Never { unreachableBody() }
}

public struct Spacer: View {
    public init() {}
    public var body: Never { unreachableBody() }
}

public struct Divider: View {
    public init() {}
    public var body: Never { unreachableBody() }
}

public struct Button<Label: View>: View {
    let action: @MainActor () -> Void
    let label: Label
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }
    public var body: Never { unreachableBody() }
}

extension Button where Label == Text {
    public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(titleKey) }
    }
    @_disfavoredOverload
    public init<Words: StringProtocol>(_ title: Words, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(title) }
    }
}

public struct Toggle<Label: View>: View {
    let isOn: Binding<Bool>
    let label: Label
    public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) {
        self.isOn = isOn
        self.label = label()
    }
    public var body: Never { unreachableBody() }
}

extension Toggle where Label == Text {
    public init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) {
        self.init(isOn: isOn) { Text(titleKey) }
    }
}

public struct TextField<Label: View>: View {
    let label: Label
    let text: Binding<String>
    public var body: Never { unreachableBody() }
}

extension TextField where Label == Text {
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
        label = Text(titleKey)
        self.text = text
    }
}

/// A view that only arranges its content.
public protocol SimulatedLayout: View {
    associatedtype Content: View
    var content: Content { get }
}

public struct VStack<Content: View>: SimulatedLayout {
    public let content: Content
    public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content)
    {
        self.content = content()
    }
    public var body: Never { unreachableBody() }
}

public struct HStack<Content: View>: SimulatedLayout {
    public let content: Content
    public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {
        self.content = content()
    }
    public var body: Never { unreachableBody() }
}

public struct ZStack<Content: View>: SimulatedLayout {
    public let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public var body: Never { unreachableBody() }
}

public struct Group<Content: View>: SimulatedLayout {
    public let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public var body: Never { unreachableBody() }
}

public struct ScrollView<Content: View>: SimulatedLayout {
    public let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public var body: Never { unreachableBody() }
}

public struct List<Content: View>: SimulatedLayout {
    public let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public var body: Never { unreachableBody() }
}

public struct Form<Content: View>: SimulatedLayout {
    public let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public var body: Never { unreachableBody() }
}

public struct Section<Content: View>: SimulatedLayout {
    public let content: Content
    let title: String?
    public init(@ViewBuilder content: () -> Content) {
        title = nil
        self.content = content()
    }
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        title = titleKey.text
        self.content = content()
    }
    public var body: Never { unreachableBody() }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
    let data: Data
    let id: (Data.Element) -> ID
    let content: (Data.Element) -> Content
    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content)
    {
        self.data = data
        self.id = { $0[keyPath: id] }
        self.content = content
    }
    public var body: Never { unreachableBody() }
}

extension ForEach where Data.Element: Identifiable, ID == Data.Element.ID {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        self.init(data, id: \.id, content: content)
    }
}

public struct NavigationStack<Root: View>: View {
    let root: Root
    public init(@ViewBuilder root: () -> Root) { self.root = root() }
    public var body: Never { unreachableBody() }
}

public struct NavigationLink<Label: View, Destination: View>: View {
    let destination: Destination
    let label: Label
    public init(@ViewBuilder destination: () -> Destination, @ViewBuilder label: () -> Label) {
        self.destination = destination()
        self.label = label()
    }
    public var body: Never { unreachableBody() }
}

extension NavigationLink where Label == Text {
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder destination: () -> Destination) {
        self.init(destination: destination) { Text(titleKey) }
    }
    @_disfavoredOverload
    public init<Words: StringProtocol>(_ title: Words, @ViewBuilder destination: () -> Destination) {
        self.init(destination: destination) { Text(title) }
    }
}

public struct TabView<Content: View>: View {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public var body: Never { unreachableBody() }
}

public enum HorizontalAlignment: Sendable {
    case leading
    case center
    case trailing
}

public enum VerticalAlignment: Sendable {
    case top
    case center
    case bottom
}

#if canImport(UIKit) && !os(watchOS)
/// Shows a UIKit controller inside SwiftUI views.
@MainActor @preconcurrency
public protocol UIViewControllerRepresentable: View where Body == Never {
    associatedtype UIViewControllerType: UIViewController
    typealias Context = UIViewControllerRepresentableContext<Self>
    func makeUIViewController(context: Context) -> UIViewControllerType
    func updateUIViewController(_ uiViewController: UIViewControllerType, context: Context)
}

extension UIViewControllerRepresentable {
    public var body: Never { unreachableBody() }
}

public struct UIViewControllerRepresentableContext<Representable> {
    public var environment: EnvironmentValues
}
#endif
