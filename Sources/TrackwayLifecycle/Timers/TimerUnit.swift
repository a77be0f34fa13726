// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The unit in which a timer's duration is reported.
public enum TimerUnit: String, Sendable, Hashable, Codable, CaseIterable {
    /// Thousandths of a second.
    case milliseconds
    /// Seconds, which back ends expect by default.
    case seconds
    /// Minutes.
    case minutes
    /// Hours.
    case hours

    /// Returns a duration in this unit, rounded to three decimals.
    public func count(of duration: Duration) -> Double {
        let milliseconds = Double(duration.wholeMilliseconds)
        let thousandths = (milliseconds * 1000 / millisecondsPerUnit).rounded()
        return thousandths / 1000
    }

    private var millisecondsPerUnit: Double {
        switch self {
        case .milliseconds: 1
        case .seconds: 1000
        case .minutes: 60_000
        case .hours: 3_600_000
        }
    }
}

/// The result of an ended timer.
package struct TimerReading: Sendable, Equatable {
    /// The measured duration.
    package var elapsed: Duration
    /// The unit that the timer was started with.
    package var unit: TimerUnit

    /// The duration in the timer's unit, rounded to three decimals.
    package var value: Double { unit.count(of: elapsed) }
}
