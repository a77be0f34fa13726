// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A part of a snapshot; each is known by a source of its own.
package enum SnapshotPart: String, Sendable, Hashable, CaseIterable {
    /// What the device and its system are.
    case deviceProperties
    /// What the app and its device are about.
    case appState
    /// Where the device is.
    case location
    /// Where the device points.
    case heading
    /// How the device moves.
    case motion
}
