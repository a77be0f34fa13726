// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What an app can choose about its behaviour's capture.
package struct BehaviorSettings: Sendable, Hashable, Codable {
    /// From this time away on, coming back begins a new session. Not more than nothing means: at every return.
    package var sessionTimeout: Duration
    /// What is recorded without being asked.
    package var capture: CaptureOptions

    /// Settings of these parts; a session ends by default after the half hour that the field agrees on.
    package init(sessionTimeout: Duration = .seconds(1800), capture: CaptureOptions = .standard) {
        self.sessionTimeout = sessionTimeout
        self.capture = capture
    }
}
