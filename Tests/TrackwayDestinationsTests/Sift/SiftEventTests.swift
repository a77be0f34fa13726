// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations

@Suite("Sift events")
struct SiftEventTests {
    private static let installation = JSONValue.string("9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E")

    private static func codes(_ trimmed: [Rejection]) -> [String] { trimmed.map(\.code) }

    @Test
    func `an event without attributes is sent with time, type and installation only`() throws {
        let sent = try SiftSample.sent(SiftSample.event("checkout"))
        #expect(sent.json.keys == ["time", "mobile_event_type", "installation_id"])
        #expect(sent.json["time"] == .integer(1_750_000_000_123))
        #expect(sent.json["mobile_event_type"] == .string("checkout"))
        #expect(sent.json["installation_id"] == Self.installation)
        #expect(sent.trimmed.isEmpty)
    }

    @Test
    func `keys are in the format's order`() throws {
        let event = SiftSample.event(
            "checkout",
            [
                "_metrics": ["m": "1"], "_device_properties": ["d": "1"], "_fields": ["f": "1"], "_user": "u",
                "_path": "/p",
            ]
        )
        let sent = try SiftSample.sent(event)
        #expect(
            sent.json.keys == [
                "time", "mobile_event_type", "path", "user_id", "installation_id", "fields", "device_properties",
                "metrics",
            ]
        )
        #expect(sent.trimmed.isEmpty)
    }

    @Test(arguments: [true, false])
    func `an event marked as untyped has no type`(_ isUntyped: Bool) throws {
        let event = SiftSample.event(SiftKey.untypedName, ["_untyped": .boolean(isUntyped)])
        let sent = try SiftSample.sent(event)
        #expect(sent.json["mobile_event_type"] == (isUntyped ? nil : .string("_event")))
        #expect(sent.json["fields"] == nil)
        #expect(sent.trimmed.isEmpty)
    }

    @Test
    func `attributes become text fields, with global attributes below them`() throws {
        let event = SiftSample.event(
            "buy",
            [
                "text": "a\"b", "empty": "", "whole": 3, "large": .integer(.max), "price": 279.9, "round": 3.0,
                "truth": true, "date": .date(Timestamp(milliseconds: 0)), "like a date": "2026-11-21T06:38:00.000Z",
                "list": .array([1, "two", 3.5, [false]]), "object": ["inner": ["deep": 1]], "channel": "event's",
            ]
        )
        let context = RecordedContext(global: ["channel": "global", "build": 7])
        let sent = try SiftSample.sent(event, in: context)
        let fields = try #require(sent.json["fields"]?.object).members
        let expected = [
            "channel": "event's", "build": "7", "text": "a\"b", "empty": "", "whole": "3",
            "large": "9223372036854775807", "price": "279.9", "round": "3.0", "truth": "true",
            "date": "1970-01-01T00:00:00.000Z", "like a date": "2026-11-21T06:38:00.000Z",
            "list": #"[1,"two",3.5,[false]]"#, "object": #"{"inner":{"deep":1}}"#,
        ]
        #expect(Dictionary(uniqueKeysWithValues: fields.map { ($0.key, $0.value.string) }) == expected)
        #expect(sent.trimmed.isEmpty)
    }

    @Test
    func `fields in the format's own attribute are sent unchanged, even empty ones, and no other fields`() throws {
        let context = RecordedContext(screen: .init(name: "Cart"), global: ["channel": "store"])
        let sent = try SiftSample.sent(
            SiftSample.event(
                "a",
                ["_fields": .object(["b": "2", "a": "", "when": "2026-11-21T06:38:00.000Z"]), "other": 1]
            ),
            in: context
        )
        #expect(sent.json["fields"]?.keys == ["b", "a", "when"])
        #expect(sent.json["fields"]?["when"] == .string("2026-11-21T06:38:00.000Z"))
        #expect(sent.json["path"] == nil)
        #expect(sent.trimmed.map(\.code) == ["key_unknown"])
        #expect(
            try SiftSample.sent(SiftSample.event("a", ["_fields": .object([:])])).json["fields"] == .object(.init())
        )
    }

    @Test(arguments: [("_fields", "fields"), ("_device_properties", "device_properties"), ("_metrics", "metrics")])
    func `fields, properties and metrics that are not text are omitted individually and reported`(
        _ attribute: String,
        _ key: String
    ) throws {
        let mixed: AttributeValue = ["a": "1", "b": 2, "c": true, "d": ["x"], "e": ["f": "g"], "h": 1.5, "i": "3"]
        let sent = try SiftSample.sent(SiftSample.event("a", SiftSample.only(attribute, mixed)))
        #expect(sent.json[key]?.keys == ["a", "i"])
        #expect(Self.codes(sent.trimmed) == Array(repeating: "value_type", count: 5))
        #expect(sent.trimmed.first?.message == "\(attribute).b was left out: the format requires a string there.")
        for wrong: AttributeValue in ["text", 1, true, ["a"]] {
            let sent = try SiftSample.sent(SiftSample.event("a", SiftSample.only(attribute, wrong)))
            #expect(sent.json[key] == nil)
            #expect(Self.codes(sent.trimmed) == ["value_type"])
        }
    }

    @Test(
        arguments: [
            ([:], nil, nil), ([:], "Cart", "Cart"), (["_path": "/p"], "Cart", "/p"), (["_path": ""], "Cart", nil),
            (["_screen_name": "Home"], "Cart", "Home"), (["_path": ""], nil, nil), ([:], "", nil),
            (["_fields": .object([:])], "Cart", nil), (["_fields": .object([:]), "_path": "/p"], "Cart", "/p"),
        ] as [(Attributes, String?, String?)]
    )
    func `the path is the event's own or the screen, and an empty one is omitted`(
        _ attributes: Attributes,
        _ screen: String?,
        _ path: String?
    ) throws {
        let context = RecordedContext(screen: screen.map { .init(name: $0) })
        let sent = try SiftSample.sent(SiftSample.event("a", attributes), in: context)
        #expect(sent.json["path"]?.string == path)
        #expect(sent.trimmed.isEmpty)
    }

    @Test(
        arguments: [
            ([:], nil, nil), ([:], "u", "u"), ([:], "", nil), (["_user": "own"], "u", "own"), (["_user": ""], "u", nil),
            (["_user": "own"], nil, "own"),
        ] as [(Attributes, String?, String?)]
    )
    func `the user is the event's own or the context's, and an empty one is omitted`(
        _ attributes: Attributes,
        _ user: String?,
        _ expected: String?
    ) throws {
        let context = RecordedContext(user: .init(id: user))
        let sent = try SiftSample.sent(SiftSample.event("a", attributes), in: context)
        #expect(sent.json["user_id"]?.string == expected)
        #expect(sent.json["fields"] == nil)
    }

    @Test(arguments: ["_path", "_user", "_untyped"])
    func `a path, user or mark of the wrong type is ignored and reported`(_ attribute: String) throws {
        let context = RecordedContext(user: .init(id: "u"), screen: .init(name: "Cart"))
        let event = SiftSample.event("a", SiftSample.only(attribute, 7))
        let sent = try SiftSample.sent(event, in: context)
        #expect(sent.json.keys == ["time", "mobile_event_type", "path", "user_id", "installation_id"])
        #expect(sent.json["path"] == .string("Cart"))
        #expect(sent.json["user_id"] == .string("u"))
        #expect(Self.codes(sent.trimmed) == ["value_type"])
    }

    @Test
    func `an installation and a type in the event are sent, and mistyped ones are ignored and reported`() throws {
        let own = try SiftSample.sent(SiftSample.event("_event", ["_installation": "another", "_type": "_app_state"]))
        #expect(own.json.keys == ["time", "mobile_event_type", "installation_id"])
        #expect(own.json["mobile_event_type"] == .string("_app_state"))
        #expect(own.json["installation_id"] == .string("another"))
        #expect(own.trimmed.isEmpty)
        let wrong = try SiftSample.sent(SiftSample.event("a", ["_installation": 7, "_type": true]))
        #expect(wrong.json["mobile_event_type"] == .string("a"))
        #expect(wrong.json["installation_id"] == Self.installation)
        #expect(wrong.json.keys == own.json.keys)
        #expect(Self.codes(wrong.trimmed) == ["value_type", "value_type"])
    }

    @Test
    func `a snapshot with its own installation and type keeps both, without keys of these names`() throws {
        let event = SiftSample.event("_app_state", ["_installation": "another", "_type": "t", "proximity_state": true])
        let sent = try SiftSample.sent(event)
        #expect(sent.json.keys == ["time", "mobile_event_type", "installation_id", "ios_app_state"])
        #expect(sent.json["ios_app_state"]?.keys == ["sdk_version", "proximity_state"])
        #expect(sent.trimmed.isEmpty)
    }

    @Test
    func `items are not supported by the format and are reported`() throws {
        let sent = try SiftSample.sent(SiftSample.event("buy", ["n": 1], items: [Item(id: "1"), Item(id: "2")]))
        #expect(sent.json.keys == ["time", "mobile_event_type", "installation_id", "fields"])
        #expect(Self.codes(sent.trimmed) == ["items_unsupported"])
    }

    @Test
    func `omitted parts are reported with their event, and valid events have no warning`() throws {
        let events = [
            SiftSample.event("clean", ["a": 1]), SiftSample.event("b", items: [Item(id: "1")]),
            SiftSample.event("_app_state", ["battery_level": "full", "mood": "good"]),
        ]
        let request = try SiftSample.destination().request(for: SiftSample.batch(events), sentAt: SiftSample.sentAt)
        #expect(request.trimmed.map(\.index) == [1, 2, 2])
        #expect(Self.codes(request.trimmed) == ["items_unsupported", "value_type", "key_unknown"])
        #expect(request.omitted.isEmpty)
    }

    @Test(arguments: [Int64.min, -1, 0, 1_750_000_000_123, Int64.max])
    func `times before 1970 and in the far future are sent unchanged`(_ time: Int64) throws {
        var event = SiftSample.event("a")
        event.time = Timestamp(milliseconds: time)
        #expect(try SiftSample.sent(event).json["time"] == .integer(time))
    }
}
