// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayEvents

extension UniqueID {
    /// The sixteen bytes as the index stores them.
    var blob: Data {
        withUnsafeBytes(of: high.bigEndian) { Data($0) } + withUnsafeBytes(of: low.bigEndian) { Data($0) }
    }

    /// An id from its sixteen bytes; nil for anything else.
    init?(blob: Data?) {
        guard let blob, blob.count == 16 else { return nil }
        func word(_ bytes: Data) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: word(blob.prefix(8)), low: word(blob.suffix(8)))
    }
}
