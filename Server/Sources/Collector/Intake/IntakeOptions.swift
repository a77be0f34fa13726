// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How the intake log is laid out and how much may wait for it.
package struct IntakeOptions: Sendable, Hashable {
    /// Bytes reserved for each segment, at most 128 MiB (what an event's position can express).
    package var segmentBytes = 16 << 20
    /// The most batches that may wait for a flush; the next one is refused with `busy`.
    package var waitingBatches = 1_024
    /// The most bytes that may wait for a flush.
    package var waitingBytes = 64 << 20
    /// Free bytes on the disk below which nothing is accepted, so that the index and the system can still work.
    package var reserveBytes = 64 << 20
    /// How long a look at the free space counts.
    package var spaceCheckInterval: Duration = .seconds(1)

    /// The default options.
    package init() {}
}
