// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Knows what the device and its system are. Each system has one; an app may feed its own.
public protocol DevicePropertiesSource: Sendable {
    /// What is known now. Called on a thread of the SDK's own, never while a lock is held; it may read files.
    func deviceProperties() -> DeviceProperties
}
