// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// How far local time is ahead of UTC where events were recorded: the format writes dates as local time without a zone.
package struct SensorsAnalyticsZone: Sendable, Hashable {
    /// Seconds ahead of UTC; negative in the west.
    package var secondsAhead: Int64

    /// A zone; what no place on earth has counts as UTC.
    package init(secondsAhead: Int64 = 0) {
        self.secondsAhead = (-86_400...86_400).contains(secondsAhead) ? secondsAhead : 0
    }

    /// A date as the format writes it: `2025-06-15 16:26:40.123`, local time.
    package func text(_ date: Timestamp) -> String {
        let local = date.advanced(by: .seconds(secondsAhead)).iso8601
        return "\(local.prefix(10)) \(local.dropFirst(11).dropLast())"
    }

    /// The local day of a date: `2025-06-15`.
    package func day(_ date: Timestamp) -> String {
        String(date.advanced(by: .seconds(secondsAhead)).iso8601.prefix(10))
    }

    /// The offset as the format has it: in minutes, and with the sign the other way round (UTC+8 is -480).
    package var minutesBehind: Int64 { -(secondsAhead / 60) }
}
