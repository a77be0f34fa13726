// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations

/// Events for the format's server, and the contents of its requests.
enum ClickstreamSample {
    static let destination = ClickstreamDestination(
        appID: "Shopping",
        endpoint: "https://example.com/collect",
        isCompressed: false
    )

    static let sentAt = Timestamp(milliseconds: 1_685_082_180_000)
    static let time = Timestamp(milliseconds: 1_685_082_174_195)

    /// The context of the document's example.
    static let context = RecordedContext(
        app: ["id": "com.company.app", "name": "Shopping", "version": "1.0"],
        device: [
            "id": "a536a563-65bd-49be-a6ec-6f3ce7ac8fbe", "platform": "iOS", "os_version": "16.4",
            "model": "iPhone 14 Pro", "make": "Apple", "locale": "en_US", "network": "wifi", "screen_width": 1179,
            "screen_height": 2556, "zone_offset_seconds": 28_800,
        ],
        user: RecordedContext.User(
            uniqueID: "0E6614B7-2D2C-4774-AB2F-B0A9E6C3BFAC",
            firstTouch: Timestamp(milliseconds: 1_685_006_678_432),
            attributes: [
                .init(name: "_user_city", value: "Shanghai", setAt: Timestamp(milliseconds: 1_685_006_678_437)),
                .init(name: "_user_name", value: "carl", setAt: Timestamp(milliseconds: 1_685_006_678_437)),
            ]
        ),
        session: RecordedContext.Session(
            id: "E6C3BFAC-20230526-062238846",
            number: 3,
            start: Timestamp(milliseconds: 1_685_082_158_846)
        ),
        screen: RecordedContext.Screen(name: "ProductDetailViewController", uniqueID: "5260751568")
    )

    static func event(_ name: String, _ attributes: Attributes = [:], items: [Item] = []) -> Event {
        Event(
            id: EventID(high: 0x91DA_4BBE_933F_7DFA, low: 0xA489_8AEF_BC7A_06D8),
            name: name,
            time: time,
            monotonic: MonotonicTime(milliseconds: 1_000),
            attributes: attributes,
            items: items
        )
    }

    /// Returns attributes named a0, a1 and so on.
    static func attributes(_ numbers: Range<Int>) -> Attributes {
        Attributes(uniquing: numbers.map { ("a\($0)", AttributeValue.integer(1)) })
    }

    /// Returns one attribute whose name is computed.
    static func attribute(_ key: String, _ value: AttributeValue = 1) -> Attributes {
        Attributes([(key: key, value: value)])
    }

    /// Returns a batch of events recorded in one context, with limits that allow everything.
    static func batch(_ events: [Event], in context: RecordedContext = context) -> EventBatch {
        var limits = EventLimits()
        limits.nameBytes = 100_000
        limits.keyBytes = 100_000
        limits.stringBytes = 1_000_000
        limits.attributes = 20_000
        limits.items = 1_000
        limits.eventBytes = 4_000_000
        return batch(lines: events.map { $0.json(limits: limits) }, in: context)
    }

    static func batch(lines: [[UInt8]], in context: RecordedContext = context) -> EventBatch {
        var bytes = context.json()
        let content = 0..<bytes.count
        var records: [EventBatch.Record] = []
        for (index, line) in lines.enumerated() {
            let start = bytes.count
            bytes += line
            records.append(.init(sequence: UInt64(index) + 7, context: 1, payload: start..<bytes.count))
        }
        return EventBatch(
            installation: InstallationID(high: 1, low: 2),
            writer: WriterID(high: 3, low: 4),
            first: 7,
            last: UInt64(max(lines.count, 1)) + 6,
            recorded: UInt64(lines.count) + 6,
            records: records,
            contexts: [.init(generation: 1, content: content)],
            bytes: bytes
        )
    }

    /// Returns the first event in a request for this event.
    static func sent(
        _ event: Event,
        in context: RecordedContext = context,
        by destination: ClickstreamDestination = destination
    ) throws -> JSONValue {
        let request = try destination.request(for: batch([event], in: context), sentAt: sentAt)
        return try #require(try JSONValue.parse(request.body, limits: JSONLimits(bytes: 4_000_000)).array?.first)
    }

    /// Returns a golden file without the final newline that editors add.
    static func fixture(_ name: String) throws -> String {
        let url = Bundle.module.bundleURL.appendingPathComponent("Fixtures/Clickstream/\(name)")
        return try String(contentsOf: url, encoding: .utf8).trimmingCharacters(in: .newlines)
    }
}
