// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Where delivery reads and writes the journal: on a thread that may wait for a disk, never on those that all tasks of the
/// app share.
///
/// Everything asynchronous stays where it was called, so what is performed here comes back here after every wait; requests
/// wait elsewhere. Without a thread of its own, as in tests, everything runs where it was called.
struct DeliveryPlace: Sendable {
    private let room: Room?

    /// - Parameter executor: the thread, one piece of work after the other; nil for none.
    init(on executor: (any SerialExecutor)?) {
        room = executor.map { Room($0) }
    }

    /// Does something on the thread, and returns when it is done.
    func perform<Value: Sendable>(_ work: @Sendable () async -> Value) async -> Value {
        guard let room else { return await work() }
        return await room.perform(work)
    }

    private actor Room {
        private nonisolated let executor: any SerialExecutor

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ executor: any SerialExecutor) {
            self.executor = executor
        }

        func perform<Value: Sendable>(_ work: @Sendable () async -> Value) async -> Value {
            await work()
        }
    }
}
