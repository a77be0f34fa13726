// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What an app can choose about its behaviour's capture.
package struct BehaviorSettings: Sendable, Hashable, Codable {
    /// From this time away on, coming back begins a new session. Not more than nothing means: at every return.
    package var sessionTimeout: Duration
    /// The inactivity in the foreground from which on the next activity begins a new session; nil for none.
    package var idleTimeout: Duration?
    /// The age of a session from which on the next activity begins a new one; nil for any age.
    package var maximumSessionLength: Duration?
    /// What is recorded without being asked.
    package var capture: CaptureOptions

    /// Settings of these parts; a session ends by default after the half hour that the field agrees on, and only while the user is away.
    package init(
        sessionTimeout: Duration = .seconds(1800),
        idleTimeout: Duration? = nil,
        maximumSessionLength: Duration? = nil,
        capture: CaptureOptions = .standard
    ) {
        self.sessionTimeout = sessionTimeout
        self.idleTimeout = idleTimeout
        self.maximumSessionLength = maximumSessionLength
        self.capture = capture
    }

    /// When a session is over.
    package var sessionLimits: SessionLimits {
        SessionLimits(timeout: sessionTimeout, idleTimeout: idleTimeout, maximumLength: maximumSessionLength)
    }
}

/// What is recorded without the app calling `record`.
public struct CaptureOptions: OptionSet, Sendable, Hashable, Codable {
    public let rawValue: Int

    /// Options of these bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Starts and exits: `_first_open`, `_app_start`, `_app_end`.
    public static let launches = CaptureOptions(rawValue: 1)
    /// Sessions: `_session_start`, and which session every event belongs to.
    public static let sessions = CaptureOptions(rawValue: 2)
    /// Screens: `_screen_view`, and which screen every event was recorded on.
    public static let screens = CaptureOptions(rawValue: 4)
    /// How long a screen was used: `_user_engagement`.
    public static let engagement = CaptureOptions(rawValue: 8)
    /// New versions of the app and of the system: `_app_update`, `_os_update`.
    public static let updates = CaptureOptions(rawValue: 16)
    /// Uncaught errors and fatal signals: `_app_exception`, at the next start. Not part of ``standard``: it installs
    /// handlers in the process.
    public static let crashes = CaptureOptions(rawValue: 32)

    /// What the system tells of the app's crashes and hangs, at the next start or up to a day later: `_app_exception`, of
    /// those that nobody told yet. MetricKit does on iOS, macOS and visionOS; elsewhere nothing comes of it. Not part of
    /// ``standard``.
    public static let systemReports = CaptureOptions(rawValue: 64)

    /// Everything that asks nothing of the process: all but ``crashes`` and ``systemReports``.
    public static let standard: CaptureOptions = [.launches, .sessions, .screens, .engagement, .updates]
}

extension CaptureOptions {
    /// Whether anything is captured that the behaviour machines know about.
    package var isCapturing: Bool { !isEmpty }
    /// Whether reports of crashes become events.
    package var tellsOfCrashes: Bool { !isDisjoint(with: [.crashes, .systemReports]) }
}
