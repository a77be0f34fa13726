// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The app's settings for automatic capture.
package struct LifecycleSettings: Sendable, Hashable, Codable {
    /// The time away after which returning begins a new session.
    ///
    /// With zero or less, every return begins a new session.
    package var sessionTimeout: Duration
    /// The foreground inactivity that ends a session; nil for no limit.
    ///
    /// The next activity begins a new session.
    package var idleTimeout: Duration?
    /// The age that ends a session; nil for no limit.
    ///
    /// The next activity begins a new session.
    package var maximumSessionLength: Duration?
    /// The events that are captured automatically.
    package var capture: CaptureOptions

    /// Creates settings.
    ///
    /// By default, a session ends after the industry-standard 30 minutes, and only while the user is away.
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

    /// The limits that end a session.
    package var sessionLimits: SessionLimits {
        SessionLimits(timeout: sessionTimeout, idleTimeout: idleTimeout, maximumLength: maximumSessionLength)
    }
}

/// The events that the SDK records automatically.
public struct CaptureOptions: OptionSet, Sendable, Hashable, Codable {
    public let rawValue: Int

    /// Creates options from raw bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Starts and exits: `_first_open`, `_app_start`, `_app_end`.
    public static let launches = CaptureOptions(rawValue: 1)
    /// Sessions: `_session_start`, and the session of every event.
    public static let sessions = CaptureOptions(rawValue: 2)
    /// Screens: `_screen_view`, and the screen of every event.
    public static let screens = CaptureOptions(rawValue: 4)
    /// Screen engagement time: `_user_engagement`.
    public static let engagement = CaptureOptions(rawValue: 8)
    /// New versions of the app and the system: `_app_update`, `_os_update`.
    public static let updates = CaptureOptions(rawValue: 16)
    /// Uncaught errors and fatal signals: `_app_exception`, at the next start.
    ///
    /// Not part of ``standard``, because it installs handlers in the process.
    public static let crashes = CaptureOptions(rawValue: 32)

    /// System reports of the app's crashes and hangs: `_app_exception`.
    ///
    /// System reports arrive at the next start or up to a day later. Crashes and hangs that were already reported are
    /// skipped. MetricKit delivers the reports on iOS, macOS, and visionOS; on other systems, nothing is recorded. Not
    /// part of ``standard``.
    public static let systemReports = CaptureOptions(rawValue: 64)

    /// All options except ``crashes`` and ``systemReports``.
    ///
    /// These options install nothing in the process.
    public static let standard: CaptureOptions = [.launches, .sessions, .screens, .engagement, .updates]
}

extension CaptureOptions {
    /// Whether anything is captured.
    package var isCapturing: Bool { !isEmpty }
    /// Whether crash reports become events.
    package var includesCrashes: Bool { !isDisjoint(with: [.crashes, .systemReports]) }
}
