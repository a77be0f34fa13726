// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// One event of a kept batch, as places in the inflated body. Valid only while the visit that hands it over runs.
package struct IntakeEvent {
    /// Its index among the batch's events, refused ones included.
    package let ordinal: Int
    /// Its number among the writer's events; nil when the sender gives none.
    package let sequence: UInt64?
    /// The event as received, one JSON object.
    package let json: UnsafeRawBufferPointer
    /// The context it holds in, one JSON object; empty when the sender gave none.
    package let context: UnsafeRawBufferPointer
    /// The places of its parts; nil for a refused event.
    package let scan: EventScan?
    /// Why it was refused; nil for an accepted event.
    package let fault: RejectedEvent?

    /// The event's id: its own, or, for a simple sender that gives none, one made from its place, so that an index that
    /// is built again gives the same.
    package func id(at position: EventPosition, received: Timestamp) -> EventID {
        if let id = scan?.id { return id }
        let time = UInt64(clamping: received.milliseconds) & 0xFFFF_FFFF_FFFF
        let place = UInt64(position.rawValue)
        // UUIDv7: 48 bits of time, version, 12 bits; variant, 62 bits. A place has 63 bits.
        return EventID(high: time << 16 | 0x7000 | place >> 62, low: 0x8000_0000_0000_0000 | place & (1 << 62 - 1))
    }
}
