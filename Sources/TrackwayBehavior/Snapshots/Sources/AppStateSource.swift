// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Knows what the app and its device are about. Each system has one; an app may feed its own.
public protocol AppStateSource: Sendable {
    /// What is known now, sensors that need time left out. Called on a thread of the SDK's own, never while a lock is
    /// held; it may read files.
    func appState() -> AppStateSnapshot
}
