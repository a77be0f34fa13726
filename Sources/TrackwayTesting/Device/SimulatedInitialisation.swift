// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// When, and on which thread, the app on a ``SimulatedDevice`` makes its analytics.
public enum SimulatedInitialisation: Sendable, Hashable {
    /// While it is being launched, before the system says that it has been: what most apps do.
    case duringLaunch
    /// While it is being launched, on a thread of its own.
    case onAnotherThread
    /// So long after the system said that the app has been launched, so that nobody heard it: as apps do that first ask
    /// their servers for an address.
    case late(Duration)
}
