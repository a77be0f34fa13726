// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing

@testable import TrackwayCore

@Suite("Strings that look like dates")
struct DateLikeStringTests {
    private static let text = "2026-11-27T10:00:00.000Z"
    private static let date = Timestamp(milliseconds: 1_795_773_600_000)

    private static let attributes: Attributes = [
        "text": .string(text), "date": .date(date), "list": .array([.date(date), .string(text)]),
        "a/b~c": .object(["x/y": .string(text), "z": .date(date)]), "almost": "2026-11-27T10:00:00.000z",
        "impossible": "2026-13-27T10:00:00.000Z", "escaped": "2026-11-27T10:00:00.00\"Z", "": "",
    ]

    @Test
    func `an event's strings stay strings and its dates stay dates, in attributes and items, at any depth`() throws {
        var attributes = Self.attributes
        attributes[""] = nil
        let event = Event(
            id: EventID(high: 1, low: 2),
            name: "x",
            time: Self.date,
            monotonic: MonotonicTime(milliseconds: 1),
            attributes: attributes,
            items: [Item(id: Self.text, name: Self.text, ["sold": .date(Self.date), "note": .string(Self.text)])]
        )
        let bytes = event.json(limits: EventLimits())
        let again = try Event(json: bytes)
        #expect(again.attributes == attributes)
        #expect(again.items == event.items)
        // For every other JSON parser, both are the same string.
        let plain = try JSONValue.parse(bytes)
        #expect(plain["attributes"]?["text"]?.string == Self.text)
        #expect(plain["attributes"]?["date"]?.string == Self.text)
        // Writing it again gives the same bytes.
        #expect(again.json(limits: EventLimits()) == bytes)
    }

    @Test
    func `events written by older versions are read as before`() throws {
        let json =
            #"{"id":"00000000-0000-0001-0000-000000000002","name":"x","time":1,"mono":1,"attributes":{"at":"2026-11-27T10:00:00.000Z"}}"#
        #expect(try Event(json: Array(json.utf8)).attributes["at"] == .date(Self.date))
    }

    @Test
    func `a context keeps strings and dates apart in global and user attributes, and ids are strings`() throws {
        var context = RecordedContext(boot: "b")
        context.global = Self.attributes
        context.user.attributes = Self.attributes.map { .init(name: $0.key, value: $0.value, setAt: Self.date) }
        context.user.identities = ["mobile": .string(Self.text)]
        let again = try RecordedContext(json: context.json())
        #expect(again == context)
        #expect(again.json() == context.json())
    }

    @Test
    func `a context without strings that look like dates has no member for them`() {
        var context = RecordedContext(boot: "b")
        context.global = ["at": .date(Self.date), "text": "plain"]
        #expect(!String(decoding: context.json(), as: UTF8.self).contains("texts"))
    }

    @Test(arguments: ["", "/", "none", "date/0", "list/7", "list/x", "a~1b~0c"])
    func `invalid pointers change nothing`(pointer: String) {
        var attributes = Self.attributes
        attributes.restoreStrings(at: [pointer])
        #expect(attributes == Self.attributes)
    }
}
