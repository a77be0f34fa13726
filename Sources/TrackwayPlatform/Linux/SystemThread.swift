// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CTrackway

/// System threads for work that blocks in C functions.
///
/// The threads block all signals.
enum SystemThread {
    /// A box that passes a closure through a C thread's context pointer.
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Starts a thread that ends when its work returns.
    ///
    /// - Parameter name: The name that debuggers show, at most 15 bytes.
    /// - Returns: 0, or -1 if no thread can be created.
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
