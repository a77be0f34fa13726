// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations

@Suite("Clickstream events: limits, precedence, and bad input")
struct ClickstreamEventTests {
    private func request(_ events: [Event], in context: RecordedContext = ClickstreamSample.context) throws
        -> WireRequest
    {
        let batch = ClickstreamSample.batch(events, in: context)
        return try ClickstreamSample.destination.request(for: batch, sentAt: ClickstreamSample.sentAt)
    }

    private func code(_ event: JSONValue) -> Int? {
        event["attributes"]?["_error_code"]?.integer.map { Int($0) }
    }

    // MARK: Consequences

    @Test(arguments: [("", 1001), ("9lives", 1001), ("名前", 1001), (String(repeating: "n", count: 51), 1002)])
    func `an event with an invalid name is replaced by an error event with its ID and time`(
        _ name: String,
        _ expected: Int
    ) throws {
        let event = ClickstreamSample.event(name, ["own": 1])
        let request = try request([event, ClickstreamSample.event("fine")])
        let sent = try #require(try JSONValue.parse(request.body).array)
        #expect(sent.map { $0["event_type"]?.string } == ["_clickstream_error", "fine"])
        #expect(code(sent[0]) == expected)
        #expect(sent[0]["attributes"]?["own"] == nil)
        #expect(sent[0]["attributes"]?["_session_id"] != nil)
        #expect(sent[0]["event_id"]?.string == event.id.description.uppercased())
        #expect(sent[0]["timestamp"]?.integer == event.time.milliseconds)
        #expect(request.omitted.map(\.index) == [0])
        #expect(request.omitted.map(\.code) == ["\(expected)"])
    }

    @Test
    func `an invalid attribute is omitted, the event contains its error code, and the others remain`() throws {
        let cases: [(String, AttributeValue, Int)] = [
            (String(repeating: "k", count: 51), 1, 2001), ("a-b", 1, 2002),
            ("long", .string(String(repeating: "汉", count: 1025)), 2003),
        ]
        for (key, value, expected) in cases {
            let sent = try ClickstreamSample.sent(
                ClickstreamSample.event(
                    "e",
                    ClickstreamSample.attribute("before").merging(ClickstreamSample.attribute(key, value)).merging([
                        "after": 2
                    ])
                )
            )
            #expect(code(sent) == expected)
            #expect(sent["attributes"]?[key] == nil)
            #expect(sent["attributes"]?["before"]?.integer == 1)
            #expect(sent["attributes"]?["after"]?.integer == 2)
        }
    }

    @Test
    func `of several faults, the first is reported`() throws {
        let sent = try ClickstreamSample.sent(
            ClickstreamSample.event("e", ["9a": 1, "long": .string(String(repeating: "v", count: 1025))])
        )
        #expect(code(sent) == 2002)
        #expect(sent["attributes"]?["_error_message"]?.string == "9a")
    }

    @Test(arguments: [-1, 0, 1])
    func `2004: an event has at most 500 attributes, including common, preset and global ones`(_ offset: Int) throws {
        var context = ClickstreamSample.context
        context.global = ["channel": "store", "campaign": "summer"]
        // 25 common attributes, 4 session attributes, 2 screen attributes, 2 global ones.
        let own = 500 - 25 - 4 - 2 - 2 + offset
        let event = ClickstreamSample.event("e", ClickstreamSample.attributes(0..<own))
        let sent = try ClickstreamSample.sent(event, in: context)
        #expect(code(sent) == (offset > 0 ? 2004 : nil))
        #expect(sent["attributes"]?["_error_message"]?.string == (offset > 0 ? "attribute name: a\(own - 1)" : nil))
        #expect(sent["attributes"]?["a\(own - 1)"] == (offset > 0 ? nil : .integer(1)))
        #expect(sent["attributes"]?["channel"]?.string == "store")
        let members = try #require(sent["attributes"]?.object).members
        #expect(members.count - (offset > 0 ? 2 : 0) == min(475, 475 + offset))
    }

    @Test
    func `an attribute that is set again replaces the earlier one even at the limit`() throws {
        var context = ClickstreamSample.context
        context.global = ["a0": "global"]
        var attributes = ClickstreamSample.attributes(1..<470)
        attributes["a0"] = "own"
        let sent = try ClickstreamSample.sent(ClickstreamSample.event("e", attributes), in: context)
        #expect(sent["attributes"]?["a0"]?.string == "own")
    }

    @Test(arguments: [-1, 0, 1])
    func `3001: a user has up to 100 attributes, and the event that sets more reports an error`(_ offset: Int) throws {
        var context = ClickstreamSample.context
        context.user.id = "carl"
        context.user.attributes = (0..<100 + offset).map {
            .init(name: "u\($0)", value: 1, setAt: ClickstreamSample.time)
        }
        let set = try ClickstreamSample.sent(ClickstreamSample.event(CapturedName.profileSet), in: context)
        let other = try ClickstreamSample.sent(ClickstreamSample.event("e"), in: context)
        #expect(code(set) == (offset > 0 ? 3001 : nil))
        #expect(code(other) == nil)
        for sent in [set, other] {
            // The ID and the first touch are counted in addition.
            #expect(sent["user"]?.object?.members.count == 2 + min(100, 100 + offset))
            #expect(sent["user"]?["_user_id"]?["value"]?.string == "carl")
        }
    }

    @Test(arguments: [-1, 0, 1])
    func `4001: an event has at most 100 items`(_ offset: Int) throws {
        let items = (0..<100 + offset).map { Item(id: "\($0)") }
        let sent = try ClickstreamSample.sent(ClickstreamSample.event("e", items: items))
        #expect(sent["items"]?.array?.count == min(100, 100 + offset))
        #expect(code(sent) == (offset > 0 ? 4001 : nil))
    }

    @Test(arguments: [
        (Item(id: "bad", ["brand": .string(String(repeating: "b", count: 257))]), 4002),
        (Item(id: "bad", ClickstreamSample.attributes(0..<11)), 4003),
        (Item(id: "bad", ClickstreamSample.attribute(String(repeating: "k", count: 51))), 4004),
        (Item(id: "bad", ["9k": 1]), 4005),
    ])
    func `an invalid item is omitted completely, and the others remain`(_ item: Item, _ expected: Int) throws {
        let sent = try ClickstreamSample.sent(
            ClickstreamSample.event("e", items: [Item(id: "1"), item, Item(id: "2")])
        )
        #expect(sent["items"]?.array?.map { $0["id"]?.string } == ["1", "2"])
        #expect(code(sent) == expected)
    }

    @Test
    func `an item without an ID is omitted without a code, because the document has none`() throws {
        let line =
            #"{"id":"91da4bbe-933f-7dfa-a489-8aefbc7a06d8","name":"e","time":1,"mono":1,"items":[{"id":""},{"id":"1"}]}"#
        let batch = ClickstreamSample.batch(lines: [Array(line.utf8)])
        let request = try ClickstreamSample.destination.request(for: batch, sentAt: ClickstreamSample.sentAt)
        let sent = try JSONValue.parse(request.body)
        #expect(sent.array?.first?["items"]?.array?.count == 1)
        #expect(sent.array?.first.flatMap { code($0) } == nil)
    }

    @Test(
        arguments: [(1, true), (2.5, true), ("3", true), ("three", false), ("", false), (true, false), ("inf", false)]
            as [(AttributeValue, Bool)]
    )
    func `a quantity is a number or text that contains one`(_ value: AttributeValue, _ isKept: Bool) throws {
        let sent = try ClickstreamSample.sent(ClickstreamSample.event("e", items: [Item(id: "1", ["quantity": value])]))
        let item = try #require(sent["items"]?.array?.first)
        #expect((item["quantity"] != nil) == isKept)
    }

    @Test
    func `5001: a screen view without a screen name is replaced by an error event`() throws {
        var context = ClickstreamSample.context
        context.screen = nil
        for attributes: Attributes in [[:], ["_screen_name": ""], ["_screen_name": 7], ["_screen_unique_id": "u"]] {
            let sent = try ClickstreamSample.sent(ClickstreamSample.event("_screen_view", attributes), in: context)
            #expect(sent["event_type"]?.string == "_clickstream_error")
            #expect(code(sent) == 5001)
        }
        let named = ClickstreamSample.event("_screen_view", ["_screen_name": "Home"])
        #expect(try ClickstreamSample.sent(named, in: context)["event_type"]?.string == "_screen_view")
    }

    @Test(
        arguments: [
            (ClickstreamSample.attribute(""), [], 2002),
            (ClickstreamSample.attribute(String(repeating: "k", count: 129)), [], 2001),
            (["long": .string(String(repeating: "v", count: 8_193))], [], 2003),
            (["number": .double(.infinity)], [], 2005),
            (ClickstreamSample.attributes(0..<257), [], 2004),
            ([:], (0..<101).map { Item(id: "\($0)") }, 4001),
        ] as [(Attributes, [Item], Int)]
    )
    func `parts that the public API omitted get the same code as parts omitted here`(
        _ attributes: Attributes,
        _ items: [Item],
        _ expected: Int
    ) throws {
        let line = ClickstreamSample.event("e", attributes, items: items).json()
        let batch = ClickstreamSample.batch(lines: [line])
        let request = try ClickstreamSample.destination.request(for: batch, sentAt: ClickstreamSample.sentAt)
        let sent = try #require(try JSONValue.parse(request.body).array?.first)
        #expect(code(sent) == expected)
        #expect(sent["attributes"]?["_error_message"]?.string != nil)
    }

    @Test(arguments: [
        ("", 1001), ("a\nb", 1001), (String(repeating: "n", count: 200), 1002),
        (String(repeating: "汉", count: 60), 1002),
    ])
    func `names that the public API had to correct are invalid here`(_ name: String, _ expected: Int) throws {
        let batch = ClickstreamSample.batch(lines: [ClickstreamSample.event(name).json()])
        let request = try ClickstreamSample.destination.request(for: batch, sentAt: ClickstreamSample.sentAt)
        #expect(try JSONValue.parse(request.body).array?.first.flatMap { code($0) } == expected)
    }

    @Test
    func `parts omitted from an event that is sent are reported with the request`() throws {
        let events = [
            ClickstreamSample.event("fine"),
            ClickstreamSample.event(
                "e",
                ["9k": 1, "_session_id": "mine"],
                items: [Item(id: "1", ["quantity": "many"])]
            ),
            ClickstreamSample.event("9lives", ["9k": 1]),
        ]
        let request = try request(events)
        #expect(request.trimmed.map(\.index) == [1, 1, 1])
        #expect(request.trimmed.map(\.code) == ["2002", "not_expressible", "not_expressible"])
        #expect(request.omitted.map(\.index) == [2])
    }

    // MARK: Precedence

    @Test
    func `the SDK's session and screen override the event's, and the event's attributes override global ones`() throws {
        var context = ClickstreamSample.context
        context.global = ["_session_id": "global", "channel": "global", "only": "global"]
        let event = ClickstreamSample.event(
            "e",
            ["_session_id": "mine", "_session_duration": -5, "_screen_name": "mine", "channel": "event"]
        )
        let attributes = try #require(try ClickstreamSample.sent(event, in: context)["attributes"])
        #expect(attributes["_session_id"]?.string == "E6C3BFAC-20230526-062238846")
        #expect(attributes["_session_duration"]?.integer == 15_349)
        #expect(attributes["_screen_name"]?.string == "ProductDetailViewController")
        #expect(attributes["channel"]?.string == "event")
        #expect(attributes["only"]?.string == "global")
    }

    @Test
    func `without a session or a screen, the event's own values are sent`() throws {
        let event = ClickstreamSample.event("e", ["_session_id": "mine", "_screen_name": "mine"])
        let attributes = try #require(try ClickstreamSample.sent(event, in: RecordedContext())["attributes"])
        #expect(attributes["_session_id"]?.string == "mine")
        #expect(attributes["_screen_name"]?.string == "mine")
    }

    @Test(
        arguments: [
            // (monotonic start, boot of the session, wall clock when the session began, expected); the event's
            // monotonic time is 1,000. If both clocks agree within a second, the expected value is the wall clock's
            // difference, which a receiver can compute.
            (400, "boot", 1_685_082_173_595, 600),
            (400, "boot", 1_685_082_173_594, 601),
            // The wall clock was set forward by ten years, back by a year, and forward by ten seconds.
            (400, "boot", 1_369_463_000_000, 600),
            (400, "boot", 1_716_618_174_195, 600),
            (400, "boot", 1_685_082_163_595, 600),
            // The session began in another boot: the wall clock decides.
            (400, "another", 1_685_082_158_846, 15_349),
            (nil, nil, 1_685_082_158_846, 15_349),
            // A monotonic start after the event counts as a duration of zero.
            (5_000, "boot", 1_685_082_158_846, 0),
            (Int64.min, "boot", 1_685_082_158_846, 0),
            (400, "boot", Int64.min, 600),
        ] as [(Int64?, String?, Int64, Int64)]
    )
    func `the monotonic clock measures the session's duration if the wall clock was set during it`(
        monotonicStart: Int64?,
        boot: String?,
        start: Int64,
        expected: Int64
    ) throws {
        var context = ClickstreamSample.context
        context.boot = "boot"
        context.session?.start = Timestamp(milliseconds: start)
        context.session?.monotonicStart = monotonicStart.map { MonotonicTime(milliseconds: $0) }
        context.session?.boot = boot
        let sent = try ClickstreamSample.sent(ClickstreamSample.event("e"), in: context)
        #expect(sent["attributes"]?["_session_duration"]?.integer == expected)
    }

    @Test
    func `a clock that was set back does not make the session duration negative`() throws {
        var context = ClickstreamSample.context
        context.session?.start = ClickstreamSample.time.advanced(by: .seconds(60))
        let sent = try ClickstreamSample.sent(ClickstreamSample.event("e"), in: context)
        #expect(sent["attributes"]?["_session_duration"]?.integer == 0)
    }

    // MARK: The user

    @Test
    func `every event has all user attributes, unless only _profile_set is to contain them`() throws {
        var context = ClickstreamSample.context
        context.user.id = "carl"
        context.user.signedInAt = Timestamp(milliseconds: 1_685_082_170_000)
        let profileOnly = ClickstreamDestination(
            appID: "Shopping",
            endpoint: "https://example.com/collect",
            isCompressed: false,
            userAttributes: .profileSetOnly
        )
        func names(_ name: String, _ destination: ClickstreamDestination) throws -> [String] {
            let sent = try ClickstreamSample.sent(ClickstreamSample.event(name), in: context, by: destination)
            return sent["user"]?.object?.members.map(\.key) ?? []
        }
        let all = ["_user_city", "_user_first_touch_timestamp", "_user_id", "_user_name"]
        #expect(try names("e", ClickstreamSample.destination) == all)
        #expect(try names("_profile_set", profileOnly) == all)
        #expect(try names("e", profileOnly) == ["_user_first_touch_timestamp", "_user_id"])
    }

    // MARK: Device

    @Test(arguments: [
        ("de_DE", "wifi", "de", "DE", "WIFI"), ("zh-Hans_CN", "cellular", "zh", "CN", "Mobile"),
        ("en_US.UTF-8@euro", "ethernet", "en", "US", "UNKNOWN"), ("es_419", "virtual", "es", "419", "UNKNOWN"),
        ("C", "", "UNKNOWN", "UNKNOWN", "UNKNOWN"), ("", "", "UNKNOWN", "UNKNOWN", "UNKNOWN"),
    ])
    func `locale, language, region and network are sent separately`(
        _ locale: String,
        _ network: String,
        _ language: String,
        _ region: String,
        _ kind: String
    ) throws {
        var context = ClickstreamSample.context
        context.device["locale"] = .string(locale)
        context.device["network"] = .string(network)
        let sent = try ClickstreamSample.sent(ClickstreamSample.event("e"), in: context)
        #expect(sent["system_language"]?.string == language)
        #expect(sent["country_code"]?.string == region)
        #expect(sent["network_type"]?.string == kind)
        #expect(sent["locale"]?.string == locale)
    }

    @Test(arguments: [
        ("00000000-0000-0000-0000-000000000000", ""),
        ("6D92078A-8246-4BA4-AE5B-76104861E7DC", "6D92078A-8246-4BA4-AE5B-76104861E7DC"),
    ])
    func `an advertising ID of zeros is ignored`(_ id: String, _ expected: String) throws {
        var context = ClickstreamSample.context
        context.device["advertising_id"] = .string(id)
        let sent = try ClickstreamSample.sent(ClickstreamSample.event("e"), in: context)
        #expect(sent["device_unique_id"]?.string == expected)
    }

    // MARK: Bad input

    @Test
    func `of 10,000 attributes, those beyond the limit are lost, without a trap`() throws {
        // Written directly, because the public API would not accept that many.
        let members = (0..<10_000).map { "\"a\($0)\":1" }.joined(separator: ",")
        let line =
            #"{"id":"91da4bbe-933f-7dfa-a489-8aefbc7a06d8","name":"e","time":1,"mono":1,"attributes":{\#(members)}}"#
        let batch = ClickstreamSample.batch(lines: [Array(line.utf8)])
        let request = try ClickstreamSample.destination.request(for: batch, sentAt: ClickstreamSample.sentAt)
        let sent = try #require(try JSONValue.parse(request.body).array?.first)
        #expect(sent["attributes"]?.object?.members.count == 475 + 2)
        #expect(code(sent) == 2004)
    }

    @Test
    func `values that the format does not support are sent as text`() throws {
        let sent = try ClickstreamSample.sent(
            ClickstreamSample.event(
                "e",
                ["date": .date(ClickstreamSample.time), "list": .array([1, "two"]), "object": ["deep": true]]
            )
        )
        #expect(sent["attributes"]?["date"]?.string == "2023-05-26T06:22:54.195Z")
        #expect(sent["attributes"]?["list"]?.string == #"[1,"two"]"#)
        #expect(sent["attributes"]?["object"]?.string == #"{"deep":true}"#)
    }

    @Test
    func `a record that is not an event is left out, and the others are sent`() throws {
        let batch = ClickstreamSample.batch(lines: [Array("nonsense".utf8), ClickstreamSample.event("fine").json()])
        let request = try ClickstreamSample.destination.request(for: batch, sentAt: ClickstreamSample.sentAt)
        #expect(try JSONValue.parse(request.body).array?.count == 1)
        #expect(request.omitted.map(\.index) == [0])
        let nothing = ClickstreamSample.batch(lines: [Array("nonsense".utf8)])
        let error = #expect(throws: WireEncodingError.self) {
            try ClickstreamSample.destination.request(for: nothing, sentAt: ClickstreamSample.sentAt)
        }
        #expect(error?.code == .nothingToSend)
        #expect(error?.omitted.map(\.index) == [0])
    }
}
