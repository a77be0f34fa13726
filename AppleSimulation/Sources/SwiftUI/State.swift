// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// A property that the system updates before it evaluates a view's body.
public protocol DynamicProperty {}

#if !canImport(ObjectiveC)
/// Storage of a property's value between two evaluations of a body.
@MainActor protocol SimulatedStorage {
    func connect(_ host: SimulatedScreenState, _ path: String, _ environment: EnvironmentValues)
}
#endif

@propertyWrapper
public struct State<Value>: DynamicProperty {
    final class Link {
        var initial: Value
        #if !canImport(ObjectiveC)
        weak var host: SimulatedScreenState?
        #endif
        var path = ""
        init(_ initial: Value) { self.initial = initial }
    }

    let link: Link

    public init(wrappedValue value: Value) { link = Link(value) }
    public init(initialValue value: Value) { link = Link(value) }

    public var wrappedValue: Value {
        get {
            #if !canImport(ObjectiveC)
            return (link.host?.values[link.path] as? Value) ?? link.initial
            #endif
        }
        nonmutating set {
            #if !canImport(ObjectiveC)
            if let host = link.host { host.set(newValue, at: link.path) } else { link.initial = newValue }
            #endif
        }
    }

    public var projectedValue: Binding<Value> {
        Binding(get: { wrappedValue }, set: { wrappedValue = $0 })
    }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(wrappedValue: nil) }
}

#if !canImport(ObjectiveC)
extension State: SimulatedStorage {
    func connect(_ host: SimulatedScreenState, _ path: String, _ environment: EnvironmentValues) {
        if host.values[path] == nil { host.values[path] = link.initial }
        link.host = host
        link.path = path
    }
}
#endif

@propertyWrapper
public struct Binding<Value> {
    let read: () -> Value
    let write: (Value) -> Void

    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        read = get
        write = set
    }

    public static func constant(_ value: Value) -> Binding<Value> {
        Binding(get: { value }, set: { _ in })
    }

    public var wrappedValue: Value {
        get { read() }
        nonmutating set { write(newValue) }
    }

    public var projectedValue: Binding<Value> { self }
}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]

    public init() {}

    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { (values[ObjectIdentifier(key)] as? Key.Value) ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    /// The current phase of the scene.
    public var scenePhase: ScenePhase {
        get { self[ScenePhaseKey.self] }
        set { self[ScenePhaseKey.self] = newValue }
    }

    /// Dismisses the shown view.
    public var dismiss: DismissAction {
        get { self[DismissKey.self] }
        set { self[DismissKey.self] = newValue }
    }
}

private enum ScenePhaseKey: EnvironmentKey {
    static var defaultValue: ScenePhase { .background }
}

private enum DismissKey: EnvironmentKey {
    static var defaultValue: DismissAction { DismissAction {} }
}

@MainActor @preconcurrency
public struct DismissAction {
    let action: @MainActor () -> Void

    nonisolated init(_ action: @escaping @MainActor () -> Void) { self.action = action }

    public func callAsFunction() { action() }
}

public enum ScenePhase: Comparable, Sendable {
    case background
    case inactive
    case active
}

@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    final class Link {
        var value: Value?
    }

    let keyPath: KeyPath<EnvironmentValues, Value>
    let link = Link()

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }

    public var wrappedValue: Value { link.value ?? EnvironmentValues()[keyPath: keyPath] }
}

#if !canImport(ObjectiveC)
extension Environment: SimulatedStorage {
    func connect(_ host: SimulatedScreenState, _ path: String, _ environment: EnvironmentValues) {
        link.value = environment[keyPath: keyPath]
    }
}
#endif
