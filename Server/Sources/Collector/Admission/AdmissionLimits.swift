// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayWire

/// How much a sender may ask of the collector. Every limit has a status and a code of its own when it is passed.
package struct AdmissionLimits: Sendable, Hashable {
    /// The longest body as sent and as inflated, and the highest factor between them: 1 MiB, 8 MiB, 100.
    package var body = InflateLimits()
    /// The most events of one batch. The place of an event holds ten bits of ordinal, so never more than 1,024.
    package var events = 1_000
    /// The limits of each event: 64 KiB, 256 attributes, values nested up to 32 deep.
    package var event: EventLimits
    /// The limits of an event that was sent in another format: what those formats allow fits in.
    package var vendorEvent: EventLimits
    /// The longest body of Sensors Analytics. Its clients delete what is answered with 413, so this is wide: 8 MiB.
    package var sensorsBytes = 8 << 20
    /// The longest body of Sift. Its clients put no bound to a batch, and give it up after three refusals: 8 MiB.
    package var siftBytes = 8 << 20
    /// How much is kept of a batch that was refused as a whole, in bytes.
    package var quarantineBytes = 64 << 10
    /// How much is kept a day of all batches that were refused as a whole: 64 MiB, a quarter of it of one sender.
    package var quarantineBytesPerDay = 64 << 20
    /// How much is kept of one refused event in the index, in bytes; the log has it as it came.
    package var failedEventBytes = 8 << 10
    /// The memory for all bodies that are arriving: 64 MiB, half of it for one sender.
    package var arrivingBytes = 64 << 20
    /// The memory for what is made of bodies until they are on disk: 128 MiB, half of it for one sender.
    package var unpackedBytes = 128 << 20
    /// How long a body may wait for that memory.
    package var bodyTimeout: Duration = .seconds(5)

    /// The default limits.
    package init() {
        event = EventLimits()
        // Wider than what the SDK records: other senders may nest deeper, and what is stored need not be flat.
        event.depth = 32
        vendorEvent = event
        vendorEvent.nameBytes = 512
        vendorEvent.keyBytes = 512
        vendorEvent.stringBytes = 64 << 10
        vendorEvent.attributes = 1_024
        vendorEvent.itemIDBytes = 1_024
        vendorEvent.eventBytes = 256 << 10
    }
}
