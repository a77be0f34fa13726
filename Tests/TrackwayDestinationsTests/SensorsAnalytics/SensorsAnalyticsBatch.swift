// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDestinationKit

/// Batches for a destination under test, and the receiver's view of its requests.
enum SensorsAnalyticsBatch {
    static let installation = InstallationID(high: 0x0197_7420_DC00_7001, low: 0x8000_0000_0000_0001)
    static let sentAt = Timestamp(milliseconds: 1_750_000_000_480)

    /// A phone in UTC+8 without a signed-in user.
    static let visitor = "A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE"
    static let context = RecordedContext(
        app: ["id": "com.example.shop", "name": "Shop", "version": "3.8.1"],
        device: [
            "platform": "iOS", "os_version": "18.1", "make": "Apple", "model": "iPhone15,2", "screen_width": 393,
            "screen_height": 852, "zone_offset_seconds": 28_800, "network": "wifi", "id": .string(visitor),
        ],
        boot: "boot",
        user: RecordedContext.User(anonymousID: visitor, identities: ["$identity_idfv": .string(visitor)]),
        session: RecordedContext.Session(
            id: "5B0C3B3A-6A55-4B7E-8F7C-0C1D2E3F4A5B",
            number: 1,
            start: Timestamp(milliseconds: 1_750_000_000_000)
        )
    )

    /// The same phone with a signed-in user.
    static var signedIn: RecordedContext {
        var context = context
        context.user.id = "user-42"
        return context
    }

    /// Creates an event; `number` is the last part of its id.
    static func event(
        _ name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        at time: Int64 = 1_750_000_000_123,
        number: UInt32 = 3_367_591_744
    ) -> Event {
        Event(
            id: EventIDGenerator(randomBits: 7, firstCounter: number).next(at: Timestamp(milliseconds: time)),
            name: name,
            time: Timestamp(milliseconds: time),
            monotonic: MonotonicTime(milliseconds: 5),
            attributes: attributes,
            items: items
        )
    }

    /// Creates a batch of events, each in its own context.
    static func make(_ events: [(Event, RecordedContext)], limits: EventLimits = wide) -> EventBatch {
        var bytes: [UInt8] = []
        func place(_ content: [UInt8]) -> Range<Int> {
            defer { bytes += content }
            return bytes.count..<bytes.count + content.count
        }
        let contexts = events.enumerated().map { place, pair in (UInt32(place + 1), pair.1.json()) }
        let places = contexts.map { EventBatch.Context(generation: $0.0, content: place($0.1)) }
        let records = events.enumerated().map { index, pair in
            EventBatch.Record(
                sequence: UInt64(index + 1),
                context: UInt32(index + 1),
                payload: place(pair.0.json(limits: limits))
            )
        }
        return EventBatch(
            installation: installation,
            writer: WriterID(high: 1, low: 2),
            first: 1,
            last: UInt64(events.count),
            recorded: UInt64(events.count),
            records: records,
            contexts: places,
            bytes: bytes
        )
    }

    /// Limits wide enough not to apply before the destination's own.
    static var wide: EventLimits {
        var limits = EventLimits()
        limits.stringBytes = 200_000
        limits.keyBytes = 1_000
        limits.eventBytes = 900_000
        return limits
    }

    /// Returns the fields of a form body.
    static func fields(_ request: WireRequest) throws -> [String: String] {
        var fields: [String: String] = [:]
        for pair in String(decoding: request.body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            fields[parts[0]] = parts.count > 1 ? parts[1].removingPercentEncoding : ""
        }
        return fields
    }

    /// Verifies the checksum and returns a request's records as a receiver reads them.
    static func records(_ request: WireRequest) throws -> [JSONValue] {
        let fields = try fields(request)
        let list = try #require(fields["data_list"])
        #expect(fields["gzip"] == "1")
        let sum = list.utf16.reduce(Int32(0)) { 31 &* $0 &+ Int32($1) }
        #expect(fields["crc"] == String(sum))
        let packed = try #require(Data(base64Encoded: list))
        return try #require(JSONValue.parse(Gzip.inflate([UInt8](packed))).array)
    }
}
