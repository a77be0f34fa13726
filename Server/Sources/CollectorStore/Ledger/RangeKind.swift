// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a range of sequence numbers means, as the `ranges` table stores it.
enum RangeKind: Int64 {
    /// Events that are stored.
    case received = 0
    /// Events that admission refused.
    case rejected = 1
    /// Events the device gave up; the reason says why.
    case dropped = 2
    /// Events for other destinations only.
    case skipped = 3
}
