// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// A method whose implementation can be exchanged, as the Objective-C runtime does it: for the class that has it, and for those
/// of its subclasses that do not override it, or call `super`.
///
/// It is used like `method_getImplementation` and `method_setImplementation`: keep what ``setImplementation(_:)`` answers, call it
/// from your own, and put it back only while ``implementation`` is still your own.
@MainActor public final class SimulatedMethod<Body> {
    /// An implementation; it is compared by identity, like the pointer that it stands for.
    public final class Implementation {
        /// What it does; the first argument is the receiver.
        public let body: Body

        /// Makes one.
        public init(_ body: Body) {
            self.body = body
        }
    }

    /// What is called now.
    public private(set) var implementation: Implementation
    private let original: Implementation

    init(_ body: Body) {
        original = Implementation(body)
        implementation = original
    }

    /// Exchanges what is called, and answers what was called before.
    @discardableResult
    public func setImplementation(_ new: Implementation) -> Implementation {
        defer { implementation = new }
        return implementation
    }

    /// Whether nobody has exchanged it, or everybody put back what was there.
    public var isOriginal: Bool { implementation === original }

    /// Puts back what the class came with, whoever exchanged it: for tests that leave nothing behind.
    public func restore() {
        implementation = original
    }
}

/// A selector, which Linux does not know: a name that compares.
public struct Selector: ExpressibleByStringLiteral, Hashable, CustomStringConvertible, Sendable {
    public let description: String

    /// Makes one of its name.
    public init(_ name: String) {
        description = name
    }

    public init(stringLiteral value: String) {
        description = value
    }
}

/// The selector of a name.
public func NSSelectorFromString(_ name: String) -> Selector {
    Selector(name)
}

/// The name of a selector.
public func NSStringFromSelector(_ selector: Selector) -> String {
    selector.description
}

/// What targets of actions are on Linux, where no method can be called by its name.
@MainActor public protocol SimulatedActionTarget: AnyObject {
    /// Does what the method of this name does.
    ///
    /// - Parameters:
    ///   - action: The method's selector.
    ///   - sender: The control, gesture recognizer or bar item.
    ///   - event: The event that led to it, if there was one.
    /// - Returns: Whether there is such a method.
    func simulatedPerform(_ action: Selector, from sender: Any?, for event: UIEvent?) -> Bool
}
#endif
