// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Detects whether the code runs in a forked child process.
///
/// The detector compares the process in which it was created with the current one.
///
/// A child that continues without `exec` shares files and mapped memory with its parent, but has none of the parent's
/// threads. Objects that the parent created must not be used in the child.
package struct ForkDetector: Sendable {
    private let count = ctrackway_fork_count()

    /// Creates a detector for the calling process.
    package init() {}

    /// Whether the caller runs in a child of the detector's process.
    ///
    /// A call costs one load from memory.
    package var isInChild: Bool { ctrackway_fork_count() != count }
}
