// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Remembers the process that made it, and recognizes a forked child of it.
///
/// A child that goes on without `exec` shares files and mapped memory with its parent, and has none of its threads: what was made
/// in the parent must not be used there.
package struct ForkMark: Sendable {
    private let count = ctrackway_fork_count()

    /// A mark of the calling process.
    package init() {}

    /// Whether the caller is a child of the process that made the mark. Costs a load.
    package var isInChild: Bool { ctrackway_fork_count() != count }
}
