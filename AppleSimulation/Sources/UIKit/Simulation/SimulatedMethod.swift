// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// A method with an exchangeable implementation, as in the Objective-C runtime.
///
/// An exchange applies to the class that implements the method, and to its subclasses that do not override it or that
/// call `super`.
///
/// Use it like `method_getImplementation` and `method_setImplementation`: keep the result of ``setImplementation(_:)``,
/// call it from your own implementation, and restore it only while ``implementation`` is still your own.
@MainActor public final class SimulatedMethod<Body> {
    /// An implementation.
    ///
    /// It is compared by identity, like the pointer that it represents.
    public final class Implementation {
        /// The implementation's code; the first argument is the receiver.
        public let body: Body

        /// Creates an implementation.
        public init(_ body: Body) {
            self.body = body
        }
    }

    /// The current implementation.
    public private(set) var implementation: Implementation
    private let original: Implementation

    init(_ body: Body) {
        original = Implementation(body)
        implementation = original
    }

    /// Replaces the implementation and returns the previous one.
    @discardableResult
    public func setImplementation(_ new: Implementation) -> Implementation {
        defer { implementation = new }
        return implementation
    }

    /// Whether the method has its original implementation.
    public var isOriginal: Bool { implementation === original }

    /// Restores the original implementation, regardless of later exchanges.
    ///
    /// For cleanup in tests.
    public func restore() {
        implementation = original
    }
}

/// A selector for Linux, which has none: a comparable name.
public struct Selector: ExpressibleByStringLiteral, Hashable, CustomStringConvertible, Sendable {
    public let description: String

    /// Creates a selector with this name.
    public init(_ name: String) {
        description = name
    }

    public init(stringLiteral value: String) {
        description = value
    }
}

/// Returns the selector with this name.
public func NSSelectorFromString(_ name: String) -> Selector {
    Selector(name)
}

/// The name of a selector.
public func NSStringFromSelector(_ selector: Selector) -> String {
    selector.description
}

/// A target of actions on Linux, where methods cannot be called by name.
@MainActor public protocol SimulatedActionTarget: AnyObject {
    /// Performs the method with this name.
    ///
    /// - Parameters:
    ///   - action: The method's selector.
    ///   - sender: The control, gesture recognizer or bar item.
    ///   - event: The event that caused the action, if any.
    /// - Returns: Whether the method exists.
    func simulatedPerform(_ action: Selector, from sender: Any?, for event: UIEvent?) -> Bool
}
#endif
