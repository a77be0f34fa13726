// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations

@Suite("Events as records of a usage report")
struct SAPUsageRecordTests {
    private typealias Sample = SAPUsageSample

    @Test(
        arguments: [
            ("screen", "screen", "Home", "Home"), ("view", "view", 3, "3"), ("element", "element", 0.5, "0.5"),
            ("action", "action", true, "true"), ("behavior", "behavior", "b", "b"), ("behaviour", "behavior", "b", "b"),
            ("cases", "cases", ["a", 1], #"["a",1]"#), ("case", "cases", "c", "c"),
            ("category", "category", ["k": 1], #"{"k":1}"#), ("result", "result", "", ""),
            ("unit", "unit", "EUR", "EUR"),
            ("measurement", "measurement", .integer(.max), "9223372036854775807"), ("type", "type", "t", "t"),
            ("value", "value", .date(Timestamp(milliseconds: 0)), "1970-01-01T00:00:00.000Z"),
            ("others", "others", "as it is", "as it is"), ("others", "others", ["a": [1, 2]], #"{"a":[1,2]}"#),
        ] as [(String, String, AttributeValue, String)]
    )
    func `attributes with the names of properties fill them, as text`(
        _ attribute: String,
        _ field: String,
        _ value: AttributeValue,
        _ text: String
    ) throws {
        let sent = try Sample.sent(Sample.event("e", Attributes([(key: attribute, value: value)])))
        #expect(sent[field]?.string == text)
        #expect(Set(sent.keys) == ["key", "time", field])
        #expect(sent["key"]?.string == "e")
    }

    @Test
    func `all other data is in others, including items and an attribute named others`() throws {
        let event = Sample.event(
            "e",
            ["plain": "x", "n": 1, "others": [1], "view": "V"],
            items: [Item(id: "1", name: "Shoe", ["price": 9.5])]
        )
        var context = Sample.context
        context.global = ["channel": "store", "view": "global", "n": 2]
        let sent = try Sample.sent(event, in: context)
        #expect(sent["view"]?.string == "V")
        #expect(
            sent["others"]?.string
                == #"{"plain":"x","n":1,"channel":"store","items":[{"id":"1","name":"Shoe","attributes":{"price":9.5}}],"others":[1]}"#
        )
    }

    @Test(
        arguments: [
            (["duration": 5.4676], "5.4676", nil), (["duration": 88.75], "88.75", nil), (["duration": 3], "3", nil),
            (["duration": "5.46760"], "5.46760", nil), (["duration": 0.000_000_4], "0", nil),
            (["event_duration": 1.5], "1.5", nil),
            (["event_duration": 1.5, "duration": 2], "2", #"{"event_duration":1.5}"#),
            (["duration": "long"], nil, #"{"duration":"long"}"#), (["duration": -1], nil, #"{"duration":-1}"#),
            (["duration": "1e5"], nil, #"{"duration":"1e5"}"#), (["duration": "."], nil, #"{"duration":"."}"#),
            (["duration": 1e300], nil, #"{"duration":1e+300}"#),
        ] as [(Attributes, String?, String?)]
    )
    func `durations are seconds as text, and other values are not durations`(
        _ attributes: Attributes,
        _ duration: String?,
        _ others: String?
    ) throws {
        let sent = try Sample.sent(Sample.event("e", attributes))
        #expect(sent["duration"]?.string == duration)
        #expect(sent["others"]?.string == others)
    }

    @Test
    func `captured events use the format's terms`() throws {
        var context = Sample.context
        context.device["screen_height"] = 2_400
        context.device["screen_width"] = 1_080
        context.screen = .init(name: "Home")
        let start = try Sample.sent(Sample.event(CapturedName.appStart, [CapturedKey.startKind: "cold"]), in: context)
        #expect(start["key"]?.string == "OSLifecycle")
        #expect(start["value"]?.string == "EnterApplication")
        #expect(start["screen"]?.string == "(2400h) x (1080w) pixels")
        let passive = try Sample.sent(Sample.event(CapturedName.appStart, [CapturedKey.startKind: "passive"]))
        #expect(passive["key"]?.string == CapturedName.appStart)
        let engagement = Sample.event(CapturedName.userEngagement, [CapturedKey.engagementTime: 4_200])
        let engaged = try Sample.sent(engagement, in: context)
        #expect(engaged["key"]?.string == CapturedName.userEngagement)
        #expect(engaged["duration"]?.string == "4.2")
        #expect(engaged["screen"]?.string == "Home")
        let view = try Sample.sent(
            Sample.event(CapturedName.screenView, [CapturedKey.screenName: "Cart", CapturedKey.entrances: 1]),
            in: context
        )
        #expect(view["view"]?.string == "Cart")
        #expect(view["screen"] == nil)
        #expect(view["others"]?.string == #"{"_entrances":1}"#)
        #expect(try Sample.sent(Sample.event("tap"), in: context)["screen"]?.string == "Home")
        // A clock that was set back must not cause a negative duration.
        #expect(try Sample.sent(Sample.event(CapturedName.appEnd, after: -5))["duration"]?.string == "0")
    }

    @Test(arguments: [
        (7_200, "2024-06-10T08:13:20.000+02:00"), (0, "2024-06-10T06:13:20.000Z"),
        (-12_600, "2024-06-10T02:43:20.000-03:30"), (20_700, "2024-06-10T11:58:20.000+05:45"),
        (50_400, "2024-06-10T20:13:20.000+14:00"), (59, "2024-06-10T06:13:20.000Z"),
        (Int64.max, "2024-06-10T06:13:20.000Z"), (Int64.min, "2024-06-10T06:13:20.000Z"),
    ])
    func `times have milliseconds and the device's time zone`(_ zone: Int64, _ text: String) throws {
        var context = Sample.context
        context.device["zone_offset_seconds"] = .integer(zone)
        #expect(try Sample.sent(Sample.event("e"), in: context)["time"]?.string == text)
    }

    @Test
    func `only an event whose year cannot be written is left out`() throws {
        let events = [Sample.event("a"), Sample.event("b", after: .max / 2), Sample.event("c")]
        let request = try Sample.request(Sample.batch(events))
        #expect(request.omitted.map(\.code) == ["time_out_of_range"])
        #expect(request.omitted.map(\.index) == [1])
        #expect(throws: WireEncodingError.self) { try Sample.request(Sample.batch([events[1]])) }
    }
}
