// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CTrackway

/// Threads of the system's for work that sleeps in calls of C's. They take no signals.
enum SystemThread {
    /// A closure for a thread of C's.
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Starts a thread that ends with its work. -1 when there can be none.
    ///
    /// - Parameter name: what debuggers show of it, 15 bytes at most.
    static func start(named name: String, _ body: @escaping @Sendable () -> Void) -> Int32 {
        let work = Unmanaged.passRetained(Work(body))
        let code = ctrackway_thread_start(
            name,
            { context in
                guard let context else { return }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
            },
            work.toOpaque()
        )
        if code != 0 { work.release() }
        return code
    }
}
#endif
