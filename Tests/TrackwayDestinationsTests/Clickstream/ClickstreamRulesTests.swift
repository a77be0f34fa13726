// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinations

@Suite("Clickstream limits: one below, at, and one above, in every script")
struct ClickstreamRulesTests {
    /// A character of a script, and whether names may consist of it.
    struct Script: Sendable, CustomTestStringConvertible {
        var character: String
        var isForNames: Bool
        var testDescription: String { character }

        func text(_ count: Int) -> String { String(repeating: character, count: count) }
    }

    static let scripts = [
        Script(character: "a", isForNames: true), Script(character: "汉", isForNames: false),
        Script(character: "👩‍👩‍👧‍👦", isForNames: false),
    ]
    static let around = [-1, 0, 1]

    private func expect(
        _ fault: ClickstreamFault?,
        _ offset: Int,
        tooLong: ClickstreamFault.Code,
        otherwise invalid: ClickstreamFault.Code?,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(fault?.code == (offset > 0 ? tooLong : invalid), sourceLocation: location)
    }

    @Test(arguments: scripts, around)
    func `1001 and 1002: event names`(_ script: Script, _ offset: Int) {
        let fault = ClickstreamRules.fault(inEventName: script.text(50 + offset))
        expect(fault, offset, tooLong: .eventNameTooLong, otherwise: script.isForNames ? nil : .eventNameInvalid)
    }

    @Test(arguments: scripts, around)
    func `2001 and 2002: attribute names`(_ script: Script, _ offset: Int) {
        let fault = ClickstreamRules.fault(inAttribute: script.text(50 + offset), 1)
        expect(
            fault,
            offset,
            tooLong: .attributeNameTooLong,
            otherwise: script.isForNames ? nil : .attributeNameInvalid
        )
    }

    @Test(arguments: scripts, around)
    func `2003: attribute values`(_ script: Script, _ offset: Int) {
        let fault = ClickstreamRules.fault(inAttribute: "key", .string(script.text(1024 + offset)))
        expect(fault, offset, tooLong: .attributeValueTooLong, otherwise: nil)
    }

    @Test(arguments: scripts, around)
    func `3002 and 3003: names of user attributes`(_ script: Script, _ offset: Int) {
        let fault = ClickstreamRules.fault(inUserAttribute: script.text(50 + offset), 1)
        expect(
            fault,
            offset,
            tooLong: .userAttributeNameTooLong,
            otherwise: script.isForNames ? nil : .userAttributeNameInvalid
        )
    }

    @Test(arguments: scripts, around)
    func `3004: values of user attributes`(_ script: Script, _ offset: Int) {
        let fault = ClickstreamRules.fault(inUserAttribute: "key", .string(script.text(256 + offset)))
        expect(fault, offset, tooLong: .userAttributeValueTooLong, otherwise: nil)
    }

    @Test(arguments: scripts, around)
    func `4002: values of items, predefined or not`(_ script: Script, _ offset: Int) {
        let text = script.text(256 + offset)
        for item in [
            Item(id: text), Item(id: "1", name: text), Item(id: "1", ["brand": .string(text)]),
            Item(id: "1", ["colour": .string(text)]),
        ] {
            expect(ClickstreamRules.fault(in: item), offset, tooLong: .itemValueTooLong, otherwise: nil)
        }
    }

    @Test(arguments: around)
    func `4003: custom attributes of an item, not counting predefined ones`(_ offset: Int) {
        var attributes: Attributes = [
            "brand": "b", "price": 1.5, "category": "c", "category5": "d", "location_id": "l",
        ]
        for number in 0..<(10 + offset) { attributes["custom\(number)"] = 1 }
        let fault = ClickstreamRules.fault(in: Item(id: "1", name: "n", attributes))
        #expect(fault?.code == (offset > 0 ? .tooManyCustomItemAttributes : nil))
    }

    @Test(arguments: scripts, around)
    func `4004 and 4005: names of an item's custom attributes`(_ script: Script, _ offset: Int) {
        let fault = ClickstreamRules.fault(in: Item(id: "1", ClickstreamSample.attribute(script.text(50 + offset))))
        expect(
            fault,
            offset,
            tooLong: .itemAttributeNameTooLong,
            otherwise: script.isForNames ? nil : .itemAttributeNameInvalid
        )
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func `2005: numbers that are not finite`(_ number: Double) {
        #expect(ClickstreamRules.fault(inAttribute: "key", .double(number))?.code == .attributeNotFinite)
        #expect(ClickstreamRules.fault(inAttribute: "key", .double(.greatestFiniteMagnitude)) == nil)
    }

    @Test(arguments: [
        ("a", true), ("_a", true), ("A9_z", true), ("_", true), ("", false), ("9a", false), ("a-b", false),
        ("a b", false), ("a.b", false), ("ä", false), ("a\n", false), ("a\u{0}", false),
    ])
    func `names do not start with a digit and contain letters, digits and underscores`(_ name: String, _ isValid: Bool)
    {
        #expect((ClickstreamRules.fault(inEventName: name) == nil) == isValid)
        #expect((ClickstreamRules.fault(inAttribute: name, 1) == nil) == isValid)
        #expect((ClickstreamRules.fault(inUserAttribute: name, 1) == nil) == isValid)
    }

    @Test(arguments: [
        (ClickstreamRules.fault(inAttribute: String(repeating: "k", count: 51), 1), "(51) name is: kkk"),
        (ClickstreamRules.fault(inAttribute: "9k", 1), "9k"),
        (ClickstreamRules.fault(inAttribute: "k", .string(String(repeating: "v", count: 1025))), "name: k, "),
        (ClickstreamRules.tooManyAttributes("k501"), "attribute name: k501"),
        (ClickstreamRules.fault(inAttribute: "k", .double(.nan)), "attribute name: k is infinite"),
        (ClickstreamRules.fault(inEventName: "9lives"), "event name: 9lives"),
        (ClickstreamRules.fault(inUserAttribute: "9k", 1), "9k"),
        (ClickstreamRules.tooManyUserAttributes("k101"), "attribute name: k101"),
        (ClickstreamRules.fault(in: Item(id: "1", ["9k": 1])), "9k"),
        (ClickstreamRules.screenNameMissing, "screen name"),
    ])
    func `messages contain the value that exceeded the limit`(_ fault: ClickstreamFault?, _ part: String) throws {
        let message = try #require(fault).message
        #expect(message.contains(part))
        #expect(message.count <= 256)
    }

    @Test(arguments: scripts)
    func `a message has at most 256 characters`(_ script: Script) {
        let fault = ClickstreamRules.fault(inAttribute: "key", .string(script.text(2_000)))
        #expect(fault?.message.count == 256)
    }

    @Test
    func `every code is the documented one`() {
        #expect(
            ClickstreamFault.Code.allCases.map(\.rawValue)
                == [
                    1001, 1002, 2001, 2002, 2003, 2004, 2005, 3001, 3002, 3003, 3004, 4001, 4002, 4003, 4004, 4005,
                    5001,
                ]
        )
    }
}
