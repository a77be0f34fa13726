// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@_exported public import Foundation

#if canImport(UIKit) && !os(watchOS)
@_exported public import UIKit
#endif

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { unreachableBody() }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > {
        TupleView((repeat each content))
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
        _ConditionalContent(first: first, second: nil)
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> {
        _ConditionalContent(first: nil, second: second)
    }
    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }
}

public struct EmptyView: View {
    public init() {}
    public var body: Never { unreachableBody() }
}

public struct TupleView<Views>: View {
    public var value: Views
    public init(_ value: Views) { self.value = value }
    public var body: Never { unreachableBody() }
}

public struct _ConditionalContent<First: View, Second: View>: View {
    let first: First?
    let second: Second?
    public var body: Never { unreachableBody() }
}

extension Optional: View where Wrapped: View {
    public var body: Never { unreachableBody() }
}

public struct AnyView: View {
    let storedView: any View
    public init<Content: View>(_ view: Content) { storedView = view }
    public var body: Never { unreachableBody() }
}

@MainActor @preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifier_Content<Self>
    @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
}

/// The content that a modifier is applied to.
public struct _ViewModifier_Content<Modifier>: View {
    let storedView: any View
    public var body: Never { unreachableBody() }
}

public struct ModifiedContent<Content, Modifier> {
    public var content: Content
    public var modifier: Modifier
    public init(content: Content, modifier: Modifier) {
        self.content = content
        self.modifier = modifier
    }
}

extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
    public var body: Never { unreachableBody() }
}

extension View {
    public func modifier<Modifier>(_ modifier: Modifier) -> ModifiedContent<Self, Modifier> {
        ModifiedContent(content: self, modifier: modifier)
    }
}

/// The body of a view that is rendered by the system.
func unreachableBody() -> Never {
    fatalError("system views have no body")
}
