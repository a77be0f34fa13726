// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations
import TrackwayTesting

/// Verifies that the body is always JSON of the format's shape.
///
/// The parser is independent of ours.
@Suite("Random events for Sift")
struct SiftRandomEventTests {
    /// Keys with a meaning somewhere in the format, and others.
    private static let keys = [
        "battery_level", "battery_state", "location", "heading", "motion", "raw_gyro", "latitude", "time", "accuracy",
        "horizontal_accuracy", "network_addresses", "app_name", "cpu_count", "is_simulator", "evidence_files_present",
        "magnetic_field_x", "magnetic_field_calibration_accuracy", "_path", "_fields", "_metrics", "_user", "_untyped",
        "_device_properties", "_screen_name", "sdk_version", "plain", "", "a.b", "\u{0}\"\\", "ключ", "😀",
    ]
    private static let texts = [
        "", "full", "high", "ui_device_battery_state_full", "2026-11-21T06:38:00.000Z", "\u{0}\u{1F}\u{7F}", "\"\\/",
        "\u{2028}\u{2029}\u{FFFF}", "👩‍👩‍👧‍👦", "</script>",
    ]
    private static let numbers: [Double] = [
        0, -0.0, -1, 0.1, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .nan, .infinity, -.infinity,
        9.007199254740993e15, 1e19,
    ]
    private static let names = ["_app_state", "_device_properties", "checkout", "_event", "_screen_view"]

    private static func value(_ random: inout SeededGenerator, depth: Int) -> AttributeValue {
        switch random.next(below: depth > 0 ? 8 : 6) {
        case 0: .string(texts[random.next(below: texts.count)])
        case 1: .integer([0, 1, -1, .max, .min][random.next(below: 5)])
        case 2: .double(numbers[random.next(below: numbers.count)])
        case 3: .boolean(random.nextBool())
        case 4: .date(Timestamp(milliseconds: [0, 1_750_000_000_123, .max, .min][random.next(below: 4)]))
        case 5: .array((0..<random.next(below: 4)).map { _ in .string(texts[random.next(below: texts.count)]) })
        case 6: .array((0..<random.next(below: 4)).map { _ in value(&random, depth: depth - 1) })
        default: .object(attributes(&random, depth: depth - 1))
        }
    }

    private static func attributes(_ random: inout SeededGenerator, depth: Int) -> Attributes {
        var attributes = Attributes()
        for _ in 0..<random.next(below: 8) {
            attributes[keys[random.next(below: keys.count)]] = value(&random, depth: depth)
        }
        return attributes
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `batches of twenty random events become valid JSON of the format`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<TestScale.count(20, full: 100) {
            let events = (0..<20).map { number in
                SiftSample.event(
                    Self.names[random.next(below: Self.names.count)],
                    Self.attributes(&random, depth: 3),
                    items: random.next(below: 10) == 0 ? [Item(id: "1")] : [],
                    at: Int64(number)
                )
            }
            let edition: SiftDestination.Edition = random.nextBool() ? .legacy : .current
            let context = RecordedContext(
                user: .init(id: random.nextBool() ? "u" : nil),
                global: Self.attributes(&random, depth: 1)
            )
            let request = try SiftSample.destination(edition)
                .request(for: SiftSample.batch(events, in: context), sentAt: SiftSample.sentAt)
            #expect(request.omitted.isEmpty)
            let text = try Gzip.inflate(request.body)
            let body = try #require(JSONSerialization.jsonObject(with: Data(text)) as? NSDictionary)
            #expect(body.allKeys as? [String] == ["data"])
            let list = try #require(body["data"] as? [NSDictionary])
            #expect(list.map { $0["time"] as? Int } == Array(0..<20))
            for event in list { try expectShape(event) }
            // Our parser also finds duplicate keys, which the other parser ignores.
            for event in try #require(JSONValue.parse(text)["data"]?.array) { expectUniqueKeys(event) }
        }
    }

    private func expectShape(_ event: NSDictionary) throws {
        #expect(event["installation_id"] as? String == "9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E")
        for key in ["mobile_event_type", "path", "user_id"] where event[key] != nil {
            #expect((event[key] as? String)?.isEmpty == false)
        }
        for key in ["fields", "device_properties", "metrics"] where event[key] != nil {
            let texts = try #require(event[key] as? NSDictionary)
            #expect(texts.allValues.allSatisfy { $0 is String })
        }
        for key in ["ios_app_state", "ios_device_properties"] where event[key] != nil {
            let snapshot = try #require(event[key] as? NSDictionary)
            #expect(snapshot["sdk_version"] is String)
        }
        let known: Set = [
            "time", "mobile_event_type", "path", "user_id", "installation_id", "fields", "device_properties", "metrics",
            "ios_app_state", "ios_device_properties",
        ]
        #expect(Set(event.allKeys.compactMap { $0 as? String }).isSubset(of: known))
    }

    private func expectUniqueKeys(_ json: JSONValue) {
        #expect(Set(json.keys).count == json.keys.count)
        for member in json.object?.members ?? [] { expectUniqueKeys(member.value) }
        for value in json.array ?? [] { expectUniqueKeys(value) }
    }
}
