// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The app's callbacks that are running on the current task or thread.
///
/// The one place of the re-entrancy rule (`Documentation/Callbacks.md`): a callback may call the SDK, and is not called again
/// for what happens inside it. Tasks that a callback starts with `Task {}` count as inside of it; work on other threads does not.
enum CallbackScope {
    /// One callback of one object.
    struct ID: Equatable, Sendable {
        private let owner: ObjectIdentifier
        private let index: Int

        /// - Parameters:
        ///   - owner: the object that calls it; must be alive while the callback runs.
        ///   - index: which of the owner's callbacks.
        init(of owner: AnyObject, _ index: Int = 0) {
            self.owner = ObjectIdentifier(owner)
            self.index = index
        }
    }

    /// The callbacks that are running. One of them, which is nearly always all, needs no memory of its own.
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

    /// Calls `body`, unless this callback is running already.
    ///
    /// The caller must hold no lock.
    ///
    /// - Returns: what `body` returned; nil when the callback is running, and was not called.
    static func call<Result>(_ id: ID, _ body: () -> Result) -> Result? {
        let running = running
        guard !running.contains(id) else { return nil }
        return Self.$running.withValue(running.adding(id), operation: body)
    }
}
