// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Whether events go where people look at them one by one while an app is being made.
public enum SensorsAnalyticsDebugMode: String, Sendable, Hashable, CaseIterable {
    /// Events go to the back-end as usual.
    case off
    /// Events are checked one by one, and not kept by the back-end.
    case only
    /// Events are checked one by one, and kept.
    case andTrack
}
