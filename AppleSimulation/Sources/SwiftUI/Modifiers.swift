// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// A system modifier.
public struct _SystemModifier: ViewModifier {
    enum Kind {
        case appearing(appear: (() -> Void)?, disappear: (() -> Void)?)
        case tap(count: Int, simultaneous: Bool, action: () -> Void)
        case change(value: Any, isEqual: (Any) -> Bool, action: (Any, Any) -> Void)
        case identifier(String)
        case title(String)
        case environment((inout EnvironmentValues) -> Void)
        case sheet(isPresented: Binding<Bool>, content: () -> any View)
        case tabItem(any View)
        case disabled(Bool)
        case task(@Sendable () async -> Void)
        case styling
    }

    let kind: Kind
    public func body(content: Content) -> Never { unreachableBody() }
}

extension View {
    func system(_ kind: _SystemModifier.Kind) -> some View {
        modifier(_SystemModifier(kind: kind))
    }

    public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        system(.appearing(appear: action, disappear: nil))
    }

    public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        system(.appearing(appear: nil, disappear: action))
    }

    public func task(_ action: @escaping @Sendable () async -> Void) -> some View {
        system(.task(action))
    }

    public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View {
        system(.tap(count: count, simultaneous: false, action: action))
    }

    public func simultaneousGesture(_ gesture: TapGesture) -> some View {
        system(.tap(count: gesture.count, simultaneous: true, action: gesture.ended ?? {}))
    }

    public func gesture(_ gesture: TapGesture) -> some View {
        system(.tap(count: gesture.count, simultaneous: false, action: gesture.ended ?? {}))
    }

    /// The variant of iOS 14, which iOS 16 also has.
    public func onChange<Value: Equatable>(of value: Value, perform action: @escaping (Value) -> Void) -> some View {
        system(
            .change(value: value, isEqual: { ($0 as? Value) == value }) { _, new in
                if let new = new as? Value { action(new) }
            }
        )
    }

    public func accessibilityIdentifier(_ identifier: String) -> some View { system(.identifier(identifier)) }
    public func navigationTitle(_ title: LocalizedStringKey) -> some View { system(.title(title.text)) }
    @_disfavoredOverload
    public func navigationTitle<Words: StringProtocol>(_ title: Words) -> some View { system(.title(String(title))) }
    public func disabled(_ disabled: Bool) -> some View { system(.disabled(disabled)) }

    public func environment<Value>(_ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value) -> some View {
        system(.environment { $0[keyPath: keyPath] = value })
    }

    public func sheet<Content: View>(
        isPresented: Binding<Bool>,
        @ViewBuilder content: @escaping () -> Content
    ) -> some View {
        system(.sheet(isPresented: isPresented, content: content))
    }

    public func tabItem<Label: View>(@ViewBuilder _ label: () -> Label) -> some View { system(.tabItem(label())) }

    public func padding(_ length: CGFloat? = nil) -> some View { system(.styling) }
    public func font(_ font: Font?) -> some View { system(.styling) }
    public func frame(
        minWidth: CGFloat? = nil,
        maxWidth: CGFloat? = nil,
        minHeight: CGFloat? = nil,
        maxHeight: CGFloat? = nil
    ) -> some View {
        system(.styling)
    }
}

public struct TapGesture {
    let count: Int
    var ended: (() -> Void)?

    public init(count: Int = 1) { self.count = count }

    public func onEnded(_ action: @escaping (()) -> Void) -> TapGesture {
        var gesture = self
        gesture.ended = { action(()) }
        return gesture
    }
}

public struct Font: Hashable, Sendable {
    let name: String
    public static let title = Font(name: "title")
    public static let headline = Font(name: "headline")
    public static let body = Font(name: "body")
    public static let caption = Font(name: "caption")
}
