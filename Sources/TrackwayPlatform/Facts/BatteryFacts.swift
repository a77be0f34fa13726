// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How full the device's batteries are and what happens to them.
package struct BatteryFacts: Sendable, Hashable {
    /// What happens to a battery; the raw value is the attribute's text.
    package enum State: String, Sendable, Hashable {
        /// Power flows in.
        case charging
        /// Power flows out.
        case discharging
        /// Nothing more fits in.
        case full
        /// Plugged in, but held where it is.
        case notCharging = "not_charging"
    }

    /// 0 (empty) to 1 (full), all batteries together; absent when the system does not tell.
    package var level: Double?
    /// Absent when the system does not tell.
    package var state: State?

    /// Makes facts.
    package init(level: Double?, state: State?) {
        self.level = level
        self.state = state
    }
}
