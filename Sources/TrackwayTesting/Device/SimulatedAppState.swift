// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway

/// What the app on a ``SimulatedDevice`` is doing.
public enum SimulatedAppState: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// It is not on the device.
    case notInstalled = "not installed"
    /// It has no process: it was never started, it ended, or the device was restarted.
    case notRunning = "not running"
    /// It is on the screen and does not get the person's touches: the switcher or a call lies over it.
    case inactive
    /// It is in use.
    case active
    /// It runs unseen.
    case background
    /// It is kept in memory and does not run.
    case suspended

    /// The state in words.
    public var description: String { rawValue }

    /// Whether the person sees it, or what lies over it.
    public var isInSight: Bool { self == .active || self == .inactive }

    /// Whether it has a process.
    public var isRunning: Bool {
        switch self {
        case .notInstalled, .notRunning: false
        case .inactive, .active, .background, .suspended: true
        }
    }
}

/// A step of a script that cannot happen: nobody can leave an app that does not run.
public struct SimulatedDeviceError: Error, Sendable, CustomStringConvertible {
    /// What stood in the way.
    public enum Code: Sendable, Hashable {
        /// The app was in another state than the step needs.
        case impossible(SimulatedAppState)
        /// The step was told of something that no app can do.
        case invalid
        /// The analytics could not be made.
        case notStarted(TrackwayError.Code)
    }

    /// What stood in the way.
    public let code: Code
    /// A sentence that names the step.
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
