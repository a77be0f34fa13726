// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Tracks the position of our handler in a chain of handlers.
///
/// It is for handlers that a process has only one of, where each handler calls the one installed before it. A handler
/// is represented by a number, 0 for none. A handler that was installed after ours may call ours. Ours then stays in
/// place and only passes calls on: installed a second time, it would call itself in an endless loop.
struct HandlerChain: Sendable, Hashable {
    /// The handler that runs after ours.
    private(set) var previous: UInt = 0
    private var isIn = false
    private var users = 0

    /// Whether any observer exists.
    var isWanted: Bool { users > 0 }

    /// Adds an observer.
    ///
    /// - Parameter installed: the currently installed handler.
    /// - Returns: whether to install our handler.
    mutating func begin(under installed: UInt) -> Bool {
        users += 1
        guard !isIn else { return false }
        isIn = true
        previous = installed
        return true
    }

    /// Removes an observer.
    ///
    /// - Returns: the handler to install in place of ours; nil to leave everything unchanged.
    mutating func end(under installed: UInt, ours: UInt) -> UInt? {
        users -= 1
        guard users == 0, isIn, installed == ours else { return nil }
        isIn = false
        return previous
    }
}
