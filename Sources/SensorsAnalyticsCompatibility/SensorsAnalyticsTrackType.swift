// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Who asked for an event.
public enum SensorsAnalyticsTrackType: Sendable, Hashable {
    /// The app.
    case code
    /// What watches the app on its behalf.
    case auto
}
