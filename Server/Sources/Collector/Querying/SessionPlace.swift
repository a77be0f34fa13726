// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A session's place among all, for going on with the next page.
package struct SessionPlace: Sendable, Hashable, LosslessStringConvertible {
    /// When the session began.
    package var start: Timestamp
    /// Its number in the index, which tells apart what began at once.
    package var number: Int64

    /// A place.
    package init(start: Timestamp, number: Int64) {
        self.start = start
        self.number = number
    }

    /// Reads `1718000000000.17`.
    package init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = Int64(parts[0]), let number = Int64(parts[1]) else { return nil }
        self.init(start: Timestamp(milliseconds: start), number: number)
    }

    package var description: String { "\(start.milliseconds).\(number)" }
}
