// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Batches that cover every feature of the format.
enum BatchFixture {
    static let installation = InstallationID(high: 0x018b_cfe5_6800_7000, low: 0x8000_0000_0000_0001)
    static let writer = WriterID(high: 0x018b_cfe5_6800_7000, low: 0x8000_0000_0000_0002)

    /// Returns a batch of these payloads, with the contexts in order.
    static func batch(
        _ events: [(sequence: UInt64, context: UInt32, json: String)],
        first: UInt64,
        last: UInt64,
        contexts: [UInt32: String] = [1: #"{"app":{"id":"shop"}}"#],
        dropped: [DroppedRange] = [],
        skipped: [ClosedRange<UInt64>] = []
    ) -> EventBatch {
        var bytes: [UInt8] = []
        func place(_ text: String) -> Range<Int> {
            let start = bytes.count
            bytes += text.utf8
            return start..<bytes.count
        }
        let places = contexts.sorted { $0.key < $1.key }.map {
            EventBatch.Context(generation: $0.key, content: place($0.value))
        }
        let records = events.map {
            EventBatch.Record(sequence: $0.sequence, context: $0.context, payload: place($0.json))
        }
        return EventBatch(
            installation: installation,
            writer: writer,
            first: first,
            last: last,
            recorded: last + 20,
            records: records,
            contexts: places,
            dropped: dropped,
            skipped: skipped,
            bytes: bytes
        )
    }

    static let event = #"{"id":"018bcfe5-6800-7000-8000-0000000000aa","name":"a","time":1700000000000,"mono":5}"#
    static let other =
        #"{"id":"018bcfe5-6800-7000-8000-0000000000ab","name":"b","time":1700000000001,"mono":6,"attributes":{"value":19.99}}"#

    /// Events 3, 4, 8 and 10 of 3...11.
    ///
    /// 5...7 are damaged, 9 is for other destinations, 11 is unaccounted for, and 1 expired earlier.
    static let full = batch(
        [(3, 1, event), (4, 1, other), (8, 2, event), (10, 3, other)],
        first: 3,
        last: 11,
        contexts: [1: #"{"app":{"id":"shop"}}"#, 2: #"{"app":{"id":"shop"},"user":{"id":"u"}}"#],
        dropped: [
            DroppedRange(sequences: 1...1, reason: .expired), DroppedRange(sequences: 5...7, reason: .damaged),
        ],
        skipped: [9...9]
    )

    /// The wire format of `full`.
    ///
    /// Changing this text changes the format; see `Documentation/WireFormat.md`.
    static let golden = """
        {"batch":{"id":"018bcfe5-6800-7000-8000-000000000002-3-11",\
        "installation":"018bcfe5-6800-7000-8000-000000000001","writer":"018bcfe5-6800-7000-8000-000000000002",\
        "first":3,"last":11,"recorded":31,"sent":1700000005000,"sdk":"trackway/0.1.0",\
        "dropped":[[1,1,"expired"],[5,7,"damaged"],[11,11,"unaccounted"]],"skipped":[[9,9]]}}
        {"context":{"app":{"id":"shop"}}}
        {"id":"018bcfe5-6800-7000-8000-0000000000aa","name":"a","time":1700000000000,"mono":5}
        {"id":"018bcfe5-6800-7000-8000-0000000000ab","name":"b","time":1700000000001,"mono":6,"attributes":{"value":19.99}}
        {"context":{"app":{"id":"shop"},"user":{"id":"u"}}}
        {"id":"018bcfe5-6800-7000-8000-0000000000aa","name":"a","time":1700000000000,"mono":5}
        {"context":{}}
        {"id":"018bcfe5-6800-7000-8000-0000000000ab","name":"b","time":1700000000001,"mono":6,"attributes":{"value":19.99}}

        """
}
