// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The unit a timer's duration is told in.
public enum TimerUnit: String, Sendable, Hashable, Codable, CaseIterable {
    /// Thousandths of a second.
    case milliseconds
    /// Seconds: what back-ends expect unless told otherwise.
    case seconds
    /// Minutes.
    case minutes
    /// Hours.
    case hours

    /// How many of this unit a duration is, rounded to three decimals.
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

/// What a timer showed when it was ended.
package struct TimerReading: Sendable, Hashable {
    /// How long it ran.
    package var elapsed: Duration
    /// The unit it was started with.
    package var unit: TimerUnit

    /// The duration in the timer's unit, rounded to three decimals.
    package var value: Double { unit.count(of: elapsed) }
}
