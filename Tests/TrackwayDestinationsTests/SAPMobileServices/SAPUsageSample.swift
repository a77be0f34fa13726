// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations

/// Events for Mobile Services, and the contents of its reports.
enum SAPUsageSample {
    static let backEnd = "https://mobile.test"
    static let application = "org.example.shop"
    static let device = "0C2A7C36-5D0B-4C6E-8C0F-6C1E2B7F90A4"
    static let destination = SAPMobileServicesDestination(backendURL: backEnd, applicationID: application)
    static let installation = InstallationID(high: 0x9F1C_7B52_6E0A_4D0B, low: 0x9F3E_2A7E_3B0C_1D2E)
    static let sentAt = Timestamp(milliseconds: 1_718_000_200_000)
    /// 2024-06-10T06:13:20.000Z.
    static let start = Timestamp(milliseconds: 1_718_000_000_000)

    /// The context of the format's example, outside any session.
    static let contextWithoutSession = RecordedContext(
        app: ["id": "org.example.shop", "version": "3.2.0"],
        device: [
            "id": .string(device.lowercased()), "platform": "iOS", "os_version": "17.5.1", "model": "iPhone",
            "zone_offset_seconds": 7_200,
        ]
    )

    /// The same context within the example's session.
    static var context: RecordedContext {
        var context = contextWithoutSession
        context.session = .init(id: "e9b51d0c-50b0-4f27-9d62-0c0b4e0c3a10", number: 3, start: start)
        return context
    }

    static func event(
        _ name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        after milliseconds: Int64 = 0
    ) -> Event {
        Event(
            id: EventID(high: 1, low: UInt64(bitPattern: milliseconds)),
            name: name,
            time: Timestamp(milliseconds: start.milliseconds + milliseconds),
            monotonic: MonotonicTime(milliseconds: 5),
            attributes: attributes,
            items: items
        )
    }

    /// Returns a batch as the journal provides it.
    ///
    /// Each event is as recorded, in its own context.
    static func batch(_ events: [(Event, RecordedContext)], first: UInt64 = 1) -> EventBatch {
        var bytes: [UInt8] = []
        func append(_ json: [UInt8]) -> Range<Int> {
            bytes += json
            return bytes.count - json.count..<bytes.count
        }
        var contexts: [EventBatch.Context] = []
        var records: [EventBatch.Record] = []
        for (index, (event, context)) in events.enumerated() {
            contexts.append(.init(generation: UInt32(index + 1), content: append(context.json())))
            records.append(
                .init(sequence: first + UInt64(index), context: UInt32(index + 1), payload: append(event.json()))
            )
        }
        return EventBatch(
            installation: installation,
            writer: WriterID(high: 1, low: 2),
            first: first,
            last: first + UInt64(events.count) - 1,
            recorded: first + UInt64(events.count) - 1,
            records: records,
            contexts: contexts,
            bytes: bytes
        )
    }

    static func batch(_ events: [Event], in context: RecordedContext = context, first: UInt64 = 1) -> EventBatch {
        batch(events.map { ($0, context) }, first: first)
    }

    static func request(
        _ batch: EventBatch,
        by destination: SAPMobileServicesDestination = destination
    ) throws -> WireRequest {
        try destination.request(for: batch, sentAt: sentAt)
    }

    static func report(_ batch: EventBatch) throws -> JSONValue {
        try JSONValue.parse(request(batch).body)
    }

    /// Returns an event as sent.
    static func sent(_ event: Event, in context: RecordedContext = context) throws -> JSONValue {
        let sessions = try #require(report(batch([event], in: context))["sessions"]?.array)
        #expect(sessions.count == 1)
        let events = try #require(sessions.first?["events"]?.array)
        #expect(events.count == 1)
        return try #require(events.first)
    }

    static func fixture(_ name: String) throws -> JSONValue {
        let path = "Fixtures/SAPMobileServices/\(name)"
        let url = try #require(Bundle.module.url(forResource: path, withExtension: "json"))
        return try JSONValue.parse([UInt8](Data(contentsOf: url)))
    }

    /// Returns every leaf of a value by its path of keys.
    static func leaves(_ json: JSONValue, at path: String = "") -> [String: JSONValue] {
        switch json {
        case .object(let object) where !object.members.isEmpty:
            object.members.reduce(into: [:]) { leaves, member in
                leaves.merge(Self.leaves(member.value, at: "\(path).\(member.key)")) { first, _ in first }
            }
        case .array(let values) where !values.isEmpty:
            values.enumerated().reduce(into: [:]) { leaves, element in
                leaves.merge(Self.leaves(element.element, at: "\(path)[\(element.offset)]")) { first, _ in first }
            }
        default: [path: json]
        }
    }
}
