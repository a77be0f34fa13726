// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway

/// The state of the app on a ``SimulatedDevice``.
public enum SimulatedAppState: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The app is not installed.
    case notInstalled = "not installed"
    /// The app has no process.
    ///
    /// The app was never started, its process ended, or the device was restarted.
    case notRunning = "not running"
    /// The app is on the screen but receives no touches.
    ///
    /// For example, the app switcher or a call covers it.
    case inactive
    /// The app is in use.
    case active
    /// The app runs without being visible.
    case background
    /// The app is in memory but does not run.
    case suspended

    /// The state as text.
    public var description: String { rawValue }

    /// Whether the app is on the screen, even if something covers it.
    public var isInSight: Bool { self == .active || self == .inactive }

    /// Whether the app has a process.
    public var isRunning: Bool {
        switch self {
        case .notInstalled, .notRunning: false
        case .inactive, .active, .background, .suspended: true
        }
    }
}

/// The error thrown when a step of a script fails.
///
/// For example, the step tries to leave an app that is not running.
public struct SimulatedDeviceError: Error, Sendable, CustomStringConvertible {
    /// The cause of the error.
    public enum Code: Sendable, Hashable {
        /// The step requires a different state of the app.
        case impossible(SimulatedAppState)
        /// The step has an invalid argument.
        case invalid
        /// The analytics could not be created.
        case notStarted(TrackwayError.Code)
    }

    /// The cause of the error.
    public let code: Code
    /// An error message that names the step.
    public let description: String

    init(step: String, in state: SimulatedAppState, needs allowed: Set<SimulatedAppState>) {
        code = .impossible(state)
        let names = SimulatedAppState.allCases.filter(allowed.contains).map(\.rawValue).joined(separator: " or ")
        description = "\(step): the app is \(state); it must be \(names)"
    }

    init(step: String, invalid sentence: String) {
        code = .invalid
        description = "\(step): \(sentence)"
    }

    init(step: String, _ error: TrackwayError) {
        code = .notStarted(error.code)
        description = "\(step): \(error)"
    }
}
