// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
package import TrackwayBehavior

/// Where a source is asked: a thread that nobody else waits for, so that a source which never answers holds nothing up.
package protocol SourceThread: Sendable {
    /// Runs `work` after everything handed over before, without waiting for it. Any thread; must not call the app itself.
    func run(_ work: @escaping @Sendable () -> Void)
}

/// A thread of the system's, which exists while it has work.
package struct SourceQueue: SourceThread {
    private let queue: DispatchQueue

    /// Makes the thread of a part's source; debuggers show which.
    package init(for part: SnapshotPart) {
        queue = DispatchQueue(label: "trackway.snapshots.\(part.rawValue)", qos: .utility)
    }

    /// Runs `work` after everything handed over before.
    package func run(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
