// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a snapshot tells: each kind is an event of its own.
package enum SnapshotKind: String, Sendable, Hashable, CaseIterable {
    /// What the device and its system are.
    case deviceProperties
    /// What the app and its device are about.
    case appState
}
