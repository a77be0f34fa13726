// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation

/// Whether the current thread runs main-actor code.
///
/// Nonisolated code checks this before it assumes main-actor isolation. On Apple systems this is the main thread.
/// Without a run loop, as in a tool on Linux, the main queue may run on any thread.
package enum MainThread {
    private static let mark: DispatchSpecificKey<Bool> = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    /// Whether the current thread runs main-actor code.
    ///
    /// This is so on the main thread, and on a thread that runs the main queue.
    package static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true }
}
