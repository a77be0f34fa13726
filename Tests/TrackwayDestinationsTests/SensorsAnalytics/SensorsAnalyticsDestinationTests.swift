// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations

@Suite("Sensors Analytics destination")
struct SensorsAnalyticsDestinationTests {
    private typealias Batch = SensorsAnalyticsBatch
    private static let destination = SensorsAnalyticsDestination(serverURL: "https://sa.test/sa?project=p")

    private static func record(_ event: Event, _ context: RecordedContext = Batch.context) throws -> JSONValue {
        try #require(
            Batch.records(destination.request(for: Batch.make([(event, context)]), sentAt: Batch.sentAt)).first
        )
    }

    @Test
    func `an empty batch throws an error instead of making a request`() {
        let empty = Batch.make([])
        #expect(throws: WireEncodingError.self) { try Self.destination.request(for: empty, sentAt: Batch.sentAt) }
        do throws(WireEncodingError) {
            _ = try Self.destination.request(for: empty, sentAt: Batch.sentAt)
        } catch {
            #expect(error.code == .nothingToSend)
            #expect(error.omitted.isEmpty)
        }
    }

    @Test
    func `an unreadable event is left out by index, and the others are sent`() throws {
        var batch = Batch.make([(Batch.event("a"), Batch.context), (Batch.event("b"), Batch.context)])
        batch.bytes[batch.records[0].payload.lowerBound] = UInt8(ascii: "!")
        let request = try Self.destination.request(for: batch, sentAt: Batch.sentAt)
        #expect(request.omitted.map(\.index) == [0])
        #expect(try Batch.records(request).map { $0["event"]?.string } == ["b"])
        batch.bytes[batch.records[1].payload.lowerBound] = UInt8(ascii: "!")
        do throws(WireEncodingError) {
            _ = try Self.destination.request(for: batch, sentAt: Batch.sentAt)
            Issue.record("nothing was left to send")
        } catch {
            #expect(error.code == .nothingToSend)
            #expect(error.omitted.map(\.index) == [0, 1])
        }
    }

    @Test
    func `an unreadable context loses only the context`() throws {
        var batch = Batch.make([(Batch.event("a"), Batch.context)])
        batch.bytes[batch.contexts[0].content.lowerBound] = UInt8(ascii: "!")
        let record = try #require(try Batch.records(Self.destination.request(for: batch, sentAt: Batch.sentAt)).first)
        #expect(record["distinct_id"]?.string == Batch.installation.description.uppercased())
    }

    @Test
    func `each record is written in its own context`() throws {
        let batch = Batch.make([(Batch.event("a"), Batch.context), (Batch.event("b"), Batch.signedIn)])
        let records = try Batch.records(Self.destination.request(for: batch, sentAt: Batch.sentAt))
        #expect(records.map { $0["distinct_id"]?.string } == [Batch.visitor, "user-42"])
    }

    @Test(arguments: [("sa", nil), ("", nil), ("https://sa.test", "a\nb"), ("https://sa.test", "ö")])
    func `invalid settings are reported as misconfigured`(_ url: String, _ cookie: String?) {
        var options = SensorsAnalyticsOptions()
        options.cookie = cookie
        let destination = SensorsAnalyticsDestination(serverURL: url, options: options)
        do throws(WireEncodingError) {
            _ = try destination.request(for: Batch.make([(Batch.event("a"), Batch.context)]), sentAt: Batch.sentAt)
            Issue.record("a request was made despite the settings")
        } catch {
            #expect(error.code == .misconfigured)
        }
    }

    @Test
    func `the most specific value of a property wins, and the device ID cannot be overridden`() throws {
        var context = Batch.context
        context.global = [
            "a": "global", "b": "global", "$os": "global", "$device_id": "global", "$is_first_day": "global",
        ]
        let event = Batch.event(
            "x",
            ["a": "event", "$model": "event", "$device_id": "event", "$is_first_day": "event"]
        )
        let properties = try #require(Self.record(event, context)["properties"])
        let expected: [String: JSONValue] = [
            "a": .string("event"), "b": .string("global"), "$os": .string("global"), "$model": .string("event"),
            "$manufacturer": .string("Apple"), "$device_id": .string(Batch.visitor), "$is_first_day": .boolean(true),
        ]
        for (key, value) in expected { #expect(properties[key] == value, "\(key)") }
        let keys = properties.object?.members.map(\.key) ?? []
        #expect(Set(keys).count == keys.count, "no key appears twice")
    }

    @Test(  // 1,750,000,000,000 is 2025-06-15T15:06:40Z; midnight comes at 16:00 UTC in UTC+8.
        arguments: [
            (0, true), (1_750_003_199_999 - 1_750_000_000_000, true), (1_750_003_200_000 - 1_750_000_000_000, false),
        ])
    func `the first day ends at local midnight`(_ later: Int64, _ isFirst: Bool) throws {
        let record = try Self.record(Batch.event("a", at: 1_750_000_000_000 + later))
        #expect(record["properties"]?["$is_first_day"] == .boolean(isFirst))
    }

    @Test(arguments: [(1_431_656_639_999, false), (1_431_656_640_000, true), (1_750_000_000_000, true)])
    func `an app's own time is used from May 2015 on`(_ time: Int64, _ counts: Bool) throws {
        let event = Batch.event("a", ["$time": .date(Timestamp(milliseconds: time))])
        let record = try Self.record(event)
        #expect(record["time"] == .integer(counts ? time : event.time.milliseconds))
        #expect(record["properties"]?["$time"] == nil)
    }

    @Test
    func `an app's own time that is not a date is ignored`() throws {
        #expect(try Self.record(Batch.event("a", ["$time": 1_750_000_000_000]))["time"] == .integer(1_750_000_000_123))
    }

    @Test(arguments: ["1", "a b", "时间", "time", "😀"])
    func `an event with an invalid name is still sent`(_ name: String) throws {
        #expect(try Self.record(Batch.event(name))["event"]?.string == name)
    }

    @Test
    func `invalid properties are omitted, and the others are sent`() throws {
        let event = Batch.event(
            "a",
            ["1a": 1, "time": 1, "user_tag_x": 1, "ö": 1, "object": ["a": 1], "good": 1],
            items: [Item(id: "1")]
        )
        let properties = try #require(Self.record(event)["properties"]?.object)
        let own = properties.members.map(\.key).filter { !$0.hasPrefix("$") }
        #expect(own == ["good"])
        #expect(properties["items"] == nil)
    }

    @Test
    func `omitted parts of a record are reported with their event, and valid events have no warning`() throws {
        let long = AttributeValue.string(String(repeating: "a", count: 9_000))
        let events = [
            Batch.event("clean", ["a": 1]),
            Batch.event(
                "a b",
                [
                    "1a": 1, "time": 1, "text": long, "object": ["a": 1], "list": .array([["a": 1], "b"]), "$time": 1,
                    "\(String(repeating: "n", count: 101))": 1,
                ],
                items: [Item(id: "1")]
            ),
            Batch.event("_profile_increment", ["a": "x"]), Batch.event("_profile_append", ["a": 1]),
            Batch.event("_item_set", ["_item_type": "book"]), Batch.event("_identity_bound"),
        ]
        let batch = Batch.make(events.map { ($0, Batch.context) })
        let request = try Self.destination.request(for: batch, sentAt: Batch.sentAt)
        #expect(request.omitted.isEmpty)
        let codes = Dictionary(grouping: request.trimmed, by: \.index).mapValues { Set($0.map(\.code)) }
        #expect(
            codes == [
                1: [
                    "event_name_invalid", "items_unsupported", "time_invalid", "property_name_invalid", "value_cut",
                    "value_unsupported", "elements_left_out", "property_name_long",
                ],
                2: ["not_a_number"], 3: ["not_a_list"], 4: ["item_invalid"], 5: ["identity_invalid"],
            ]
        )
        #expect(request.trimmed.contains { $0.message.contains("(1a)") })
    }

    @Test
    func `only numbers are incremented and only lists are appended`() throws {
        let increment = Batch.event("_profile_increment", ["a": 1, "b": "2", "c": true, "d": [1], "e": 2.5])
        #expect(try Self.record(increment)["properties"]?.object?.members.map(\.key) == ["a", "e"])
        let append = Batch.event("_profile_append", ["a": ["x", "x", "y"], "b": "z", "c": 1])
        #expect(
            try Self.record(append)["properties"]
                == .object(.init([.init(key: "a", value: .array([.string("x"), .string("y")]))]))
        )
    }

    @Test
    func `an item without a valid type or ID is sent without it`() throws {
        let record = try Self.record(Batch.event("_item_set", ["_item_type": "no type", "_item_id": 7]))
        #expect(record["item_type"] == nil)
        #expect(record["item_id"] == nil)
        #expect(record["type"] == .string("item_set"))
    }

    @Test
    func `two thousand properties and unusual texts do no harm`() throws {
        var many = Attributes()
        for number in 0..<2_000 { many["p\(number)"] = .integer(Int64(number)) }
        many["nothing"] = "\u{0}\u{1F}\u{7F}\u{2028}\u{FFFF}"
        many["long"] = .string(String(repeating: "😀", count: 20_000))
        var limits = Batch.wide
        limits.attributes = 10_000
        let event = Batch.event("many", many)
        let batch = Batch.make([(event, Batch.context)], limits: limits)
        let record = try #require(try Batch.records(Self.destination.request(for: batch, sentAt: Batch.sentAt)).first)
        #expect(record["properties"]?["p1999"] == .integer(1_999))
        #expect(record["properties"]?["nothing"]?.string == "\u{0}\u{1F}\u{7F}\u{2028}\u{FFFF}")
        #expect(record["properties"]?["long"]?.string?.utf16.count == 8_191)
    }

    @Test
    func `a batch that is sent again differs only in its sending time`() throws {
        let batch = Batch.make([(Batch.event("a", ["n": 1]), Batch.context)])
        let first = try Self.destination.request(for: batch, sentAt: Batch.sentAt)
        let again = try Self.destination.request(for: batch, sentAt: Batch.sentAt)
        #expect(first == again)
        let later = try Self.destination.request(for: batch, sentAt: Batch.sentAt.advanced(by: .seconds(5)))
        func withoutFlush(_ request: WireRequest) throws -> [JSONValue.Object.Member]? {
            try Batch.records(request).first?.object?.members.filter { $0.key != "_flush_time" }
        }
        #expect(try withoutFlush(later) == withoutFlush(first))
        #expect(try Batch.records(later).first?["_flush_time"] == .integer(Batch.sentAt.milliseconds + 5_000))
    }

    @Test
    func `events of one batch with different modes are sent separately, and debugged events one by one`() throws {
        func event(_ mode: AttributeValue?) -> (Event, RecordedContext) {
            var context = SensorsAnalyticsBatch.context
            context.modes["sensors-analytics"] = mode
            context.modes["other"] = "only"
            return (SensorsAnalyticsBatch.event("x"), context)
        }
        let destination = SensorsAnalyticsDestination(serverURL: "https://sa.test/sa?project=p")
        let cases: [([AttributeValue?], Int)] = [
            (["off", nil, "off"], 3), (["off", "only", "off"], 1), (["only", "only"], 1), (["andTrack", "off"], 1),
            (["nonsense", 7, "off", "andTrack"], 3), ([nil], 1),
        ]
        for (modes, count) in cases {
            let batch = SensorsAnalyticsBatch.make(modes.map(event))
            #expect(destination.maximumEventsPerRequest(for: batch) == count, "\(modes)")
            if count < modes.count {
                // A caller that ignores the maximum gets an error, so that no events go to the wrong address.
                #expect(throws: WireEncodingError.self) {
                    try destination.request(for: batch, sentAt: SensorsAnalyticsBatch.sentAt)
                }
            }
        }
        for (mode, url, dry) in [
            ("off", "https://sa.test/sa?project=p", nil),
            ("only", "https://sa.test/debug?project=p", "true" as String?),
            ("andTrack", "https://sa.test/debug?project=p", nil),
        ] {
            for today in SensorsAnalyticsDebugMode.allCases {
                var options = SensorsAnalyticsOptions()
                options.debugMode = today
                let destination = SensorsAnalyticsDestination(
                    serverURL: "https://sa.test/sa?project=p",
                    options: options
                )
                let batch = SensorsAnalyticsBatch.make([event(.string(mode))])
                let request = try destination.request(for: batch, sentAt: SensorsAnalyticsBatch.sentAt)
                #expect(request.url == url)
                #expect(request.headers["dry-run"] == dry)
            }
        }
    }
}
