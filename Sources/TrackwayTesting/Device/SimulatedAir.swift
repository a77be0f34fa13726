// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What lies between a ``SimulatedDevice`` and the back-ends.
struct SimulatedAir: Sendable {
    /// Whether the device has a network.
    let hasReception = Locked(true)
    /// The back-ends.
    let backEnd: ScriptedTransport
}
