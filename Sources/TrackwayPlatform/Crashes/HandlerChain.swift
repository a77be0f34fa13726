// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Who handles something before and after us, where a process has one place for a handler and each keeps the one it found.
///
/// Handlers are numbers here, 0 for none. A handler that somebody put on top of ours may call ours, which then stays where it is and
/// passes on; put in a second time it would call itself in a circle.
struct HandlerChain: Sendable, Hashable {
    /// Who comes after us.
    private(set) var previous: UInt = 0
    private var isIn = false
    private var users = 0

    /// Whether anybody wants to hear.
    var isWanted: Bool { users > 0 }

    /// Somebody begins to listen.
    ///
    /// - Parameter installed: the handler that is installed now.
    /// - Returns: whether ours is to be installed.
    mutating func begin(under installed: UInt) -> Bool {
        users += 1
        guard !isIn else { return false }
        isIn = true
        previous = installed
        return true
    }

    /// Somebody listens no more.
    ///
    /// - Returns: the handler to be installed in the place of ours; nil when everything stays as it is.
    mutating func end(under installed: UInt, ours: UInt) -> UInt? {
        users -= 1
        guard users == 0, isIn, installed == ours else { return nil }
        isIn = false
        return previous
    }
}
