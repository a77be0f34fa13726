// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a timer showed when it was ended.
package struct TimerReading: Sendable, Hashable {
    /// How long it ran.
    package var elapsed: Duration
    /// The unit it was started with.
    package var unit: TimerUnit

    /// The duration in the timer's unit, rounded to three decimals.
    package var value: Double { unit.count(of: elapsed) }
}
