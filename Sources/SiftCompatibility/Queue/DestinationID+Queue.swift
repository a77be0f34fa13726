// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension DestinationID {
    /// The destination that a queue of this name is.
    ///
    /// A name that is none of a destination's (capital letters, a slash, an emoji, too long or empty) is hashed, under a
    /// beginning that no other name gets: different queues are different destinations, and the same queue is the same one
    /// in the next process.
    init(queue identifier: String) {
        if let id = DestinationID("sift.\(identifier)"), !identifier.isEmpty {
            self = id
            return
        }
        let hash = SHA256.hash(identifier.utf8).prefix(28).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }
        // 7 and 56 characters out of a-z, 0-9 and -: always a valid name.
        self = DestinationID("sift-q.\(hash.joined())") ?? "sift-q"
    }
}
