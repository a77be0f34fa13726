// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayEvents
internal import TrackwayWire

/// A destination that wants events as the SDK recorded them: one JSON object a line, and nothing around them.
struct NativeFormat: Destination {
    /// Where it would be.
    static let address = "http://native.invalid/"

    let id: DestinationID = "native"

    func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        let lines = batch.records.map { batch.bytes[$0.payload] }
        return WireRequest(url: Self.address, body: Array(lines.joined(separator: [UInt8(ascii: "\n")])))
    }

    func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict { .accepted }
}
