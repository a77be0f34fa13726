// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Detects whether the code runs in a forked child process.
///
/// It compares the process that created the detector with the current one.
///
/// A child that continues without `exec` shares files and mapped memory with its parent, but has none of its threads.
/// Objects that the parent created must not be used there.
package struct ForkDetector: Sendable {
    private let count = ctrackway_fork_count()

    /// Creates a detector for the calling process.
    package init() {}

    /// Whether the caller runs in a child of the detector's process.
    ///
    /// Costs one load.
    package var isInChild: Bool { ctrackway_fork_count() != count }
}
