// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Tracks the position of our handler in a chain of handlers.
///
/// The type supports mechanisms with a single handler per process, where each handler calls the one installed before
/// it. A handler is represented by a number; 0 means none. A handler that was installed after ours may call ours. In
/// this case, ours stays in place and only passes calls on: if it were installed a second time, it would call itself in
/// an endless loop.
struct HandlerChain: Sendable, Equatable {
    /// The handler that runs after ours.
    private(set) var previous: UInt = 0
    private var isInstalled = false
    private var users = 0

    /// Whether any observer exists.
    var isWanted: Bool { users > 0 }

    /// Adds an observer.
    ///
    /// - Parameter installed: The currently installed handler.
    /// - Returns: Whether to install our handler.
    mutating func begin(under installed: UInt) -> Bool {
        users += 1
        guard !isInstalled else { return false }
        isInstalled = true
        previous = installed
        return true
    }

    /// Removes an observer.
    ///
    /// - Returns: The handler to install in place of ours; nil to leave everything unchanged.
    mutating func end(under installed: UInt, ours: UInt) -> UInt? {
        users -= 1
        guard users == 0, isInstalled, installed == ours else { return nil }
        isInstalled = false
        return previous
    }
}
