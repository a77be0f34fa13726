// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
