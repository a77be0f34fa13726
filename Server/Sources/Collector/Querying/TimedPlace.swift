// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The place of a session, or of a device, among all of its kind in the order of time, for going on with the next page.
package struct TimedPlace: Sendable, Hashable, LosslessStringConvertible {
    /// When the session began, or the device was heard of last.
    package var time: Timestamp
    /// Its number in the index, which tells apart what happened at once.
    package var number: Int64

    /// A place.
    package init(time: Timestamp, number: Int64) {
        self.time = time
        self.number = number
    }

    /// Reads `1718000000000.17`.
    package init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let number = Int64(parts[1]) else { return nil }
        self.init(time: Timestamp(milliseconds: time), number: number)
    }

    package var description: String { "\(time.milliseconds).\(number)" }
}
