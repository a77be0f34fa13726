// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// A value protected by a lock.
///
/// While holding the lock, access only the value: never wait, call out or resume a task.
///
/// Wrap a closure in a struct first. A bare closure would be wrapped again on every access, and each call to it would
/// go through all the wrappers.
///
/// `@unchecked Sendable`: the value is accessible only through ``withLock(_:)``, which holds the lock while the value
/// is borrowed. Values that enter or leave are transferred (`sending`), so no outside reference to the state remains.
public final class Locked<State>: @unchecked Sendable {
    // The lock and the state are separate allocations, whose addresses never change. Accessing the state through a
    // pointer also avoids the run-time exclusivity check of a stored property; the lock already ensures exclusive
    // access.
    private let lock: UnsafeMutablePointer<ctrackway_lock>
    @usableFromInline
    let state: UnsafeMutablePointer<State>

    /// Creates a lock around a value.
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

    /// Runs `body` with the value while holding the lock.
    ///
    /// The lock is not recursive: `body` must not call this function of the same lock.
    ///
    /// - Throws: Any error that `body` throws.
    /// - Returns: The result of `body`.
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
