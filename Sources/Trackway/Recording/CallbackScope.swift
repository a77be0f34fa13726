// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The app's callbacks that are running on the current task or thread.
///
/// This is the only implementation of the re-entrancy rule (`Documentation/Callbacks.md`): a callback may call the SDK,
/// and is not called again for anything that happens inside the callback. Tasks that a callback starts with `Task {}`
/// count as inside the callback; work on other threads does not.
enum CallbackScope {
    /// The identity of one callback of one object.
    struct ID: Equatable, Sendable {
        private let owner: ObjectIdentifier
        private let index: Int

        /// - Parameters:
        ///   - owner: The object that calls the callback; it must be alive while the callback runs.
        ///   - index: The index of the callback among the owner's callbacks.
        init(of owner: AnyObject, _ index: Int = 0) {
            self.owner = ObjectIdentifier(owner)
            self.index = index
        }
    }

    /// The running callbacks.
    ///
    /// The usual case, a single callback, needs no allocation.
    private enum Running: Sendable {
        case none
        case one(ID)
        case several([ID])

        func contains(_ id: ID) -> Bool {
            switch self {
            case .none: false
            case .one(let running): running == id
            case .several(let running): running.contains(id)
            }
        }

        func adding(_ id: ID) -> Running {
            switch self {
            case .none: .one(id)
            case .one(let running): .several([running, id])
            case .several(let running): .several(running + [id])
            }
        }
    }

    @TaskLocal private static var running = Running.none

    /// Calls `body` unless this callback is already running.
    ///
    /// The caller must hold no lock.
    ///
    /// - Returns: The result of `body`, or nil if the callback was already running and `body` was not called.
    static func call<Result>(_ id: ID, _ body: () -> Result) -> Result? {
        let running = running
        guard !running.contains(id) else { return nil }
        return Self.$running.withValue(running.adding(id), operation: body)
    }
}
