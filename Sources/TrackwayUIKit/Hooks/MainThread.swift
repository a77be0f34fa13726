// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation

/// A check for the thread that runs main-actor code.
///
/// Nonisolated code makes this check before it assumes main-actor isolation. On Apple systems, main-actor code runs on
/// the main thread. Without a run loop, as in a tool on Linux, the main queue may run on any thread.
package enum MainThread {
    private static let mark: DispatchSpecificKey<Bool> = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    /// Whether the current thread runs main-actor code.
    ///
    /// True on the main thread and on a thread that is running the main queue.
    package static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true }
}
