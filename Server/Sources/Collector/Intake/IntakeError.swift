// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Why a batch could not be committed. Nothing of it counts as stored; the sender keeps it and comes back.
package struct IntakeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What stands in the way.
    package enum Code: String, Sendable, Hashable {
        /// Too much is waiting for the disk already.
        case busy
        /// The disk is full; it recovers by itself when there is space again.
        case diskFull = "disk_full"
        /// The free space is below the reserve; it recovers by itself.
        case diskLow = "disk_low"
        /// The storage refused for another reason; the next batch may succeed.
        case storage
        /// A flush to stable storage failed: nothing is accepted until the collector is started again.
        case stopped
        /// The collector is shutting down.
        case closing
    }

    /// What stands in the way.
    package var code: Code
    /// One sentence for a person, with the remedy.
    package var message: String

    /// When a sender should come back.
    package var retryAfter: Duration {
        switch code {
        case .busy, .closing: .seconds(1)
        case .storage: .seconds(5)
        case .diskFull, .diskLow: .seconds(30)
        case .stopped: .seconds(60)
        }
    }

    package var description: String { "\(code.rawValue): \(message)" }
}
