// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The identity of one event: time-ordered (UUID version 7), the same on the device, on the wire and in the collector.
public struct EventID: UniqueID {
    /// The first eight bytes: 48 bits of wall time in milliseconds, the version, 12 bits of chance.
    public let high: UInt64
    /// The last eight bytes: the variant, 30 bits of chance, a 32-bit counter.
    public let low: UInt64

    /// An identity of these sixteen bytes.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The wall time in the first 48 bits, as the device's clock showed it.
    public var time: Timestamp { Timestamp(milliseconds: Int64(high >> 16)) }
}
