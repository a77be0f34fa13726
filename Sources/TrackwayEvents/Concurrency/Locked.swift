// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// A value behind a lock.
///
/// Inside the lock only the value is touched: never wait, call out or resume a task there.
///
/// A closure is put in a struct of its own first: bare, it would be wrapped once more with every access, and each call of it
/// would go through all the wrappings.
///
/// `@unchecked Sendable`: the value is reached only through ``withLock(_:)``, which holds the lock for as long as the
/// value is borrowed; what enters and leaves is handed over (`sending`), so no reference to it stays outside.
public final class Locked<State>: @unchecked Sendable {
    // One allocation of their own, whose address never changes. Reaching the state through a pointer also spares the
    // run-time exclusivity check a stored property would have; the lock itself excludes.
    private let lock: UnsafeMutablePointer<ctrackway_lock>
    @usableFromInline
    let state: UnsafeMutablePointer<State>

    /// Puts a value behind a lock.
    public init(_ state: sending State) {
        lock = .allocate(capacity: 1)
        ctrackway_lock_init(lock)
        self.state = .allocate(capacity: 1)
        self.state.initialize(to: state)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        ctrackway_lock_destroy(lock)
        lock.deallocate()
    }

    /// Runs `body` with the value while holding the lock. Not recursive: `body` must not come back here.
    ///
    /// - Throws: What `body` throws.
    /// - Returns: What `body` returns.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        acquire()
        defer { release() }
        return try body(&state.pointee)
    }

    @usableFromInline
    func acquire() {
        ctrackway_lock_lock(lock)
    }

    @usableFromInline
    func release() {
        ctrackway_lock_unlock(lock)
    }
}
