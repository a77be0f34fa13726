// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What is known when a process begins.
package struct ProcessStart: Sendable, Hashable, Codable {
    /// The state the app is in; background when the system launched it there.
    package var state: AppState
    /// The app's version, when it has one.
    package var appVersion: String?
    /// The system's version, when it is known.
    package var systemVersion: String?
    /// The user's unique id, whose last eight characters begin the ids of sessions.
    package var sessionPrefix: String
    /// What is captured.
    package var settings: BehaviorSettings

    /// A start of these parts.
    package init(
        state: AppState,
        appVersion: String? = nil,
        systemVersion: String? = nil,
        sessionPrefix: String,
        settings: BehaviorSettings = BehaviorSettings()
    ) {
        self.state = state
        self.appVersion = appVersion
        self.systemVersion = systemVersion
        self.sessionPrefix = sessionPrefix
        self.settings = settings
    }
}
