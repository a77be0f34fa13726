// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The kinds of snapshots, as the index numbers them.
enum SnapshotKind: Int64 {
    /// Device properties.
    case properties = 0
    /// An app state.
    case state = 1
}
