// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

/// Only the invalid part of an input is dropped, and the fault is reported.
@Suite("Bad input")
struct BadInputTests {
    /// An invalid input, and the parts of it that must be kept.
    struct Mistake: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var name = "event"
        var attributes: Attributes = [:]
        var items: [Item] = []
        var code: Diagnostic.Code
        var leftName = "event"
        var leftKeys: [String] = []
        var leftItems = 0
    }

    static let long = String(repeating: "x", count: 10_000)

    static let mistakes: [Mistake] = [
        Mistake(testDescription: "no name", name: "", code: .nameEmpty, leftName: "_unnamed"),
        Mistake(
            testDescription: "a name that is too long",
            name: long,
            code: .nameTooLong,
            leftName: String(repeating: "x", count: 128)
        ),
        Mistake(
            testDescription: "control characters in a name",
            name: "a\u{0}b\nc",
            code: .nameInvalid,
            leftName: "a_b_c"
        ),
        Mistake(
            testDescription: "an empty key",
            attributes: ["": 1, "good": 2],
            code: .keyEmpty,
            leftKeys: ["good"]
        ),
        Mistake(
            testDescription: "a key that is too long",
            attributes: ["good": 2, long: 1],
            code: .keyTooLong,
            leftKeys: ["good"]
        ),
        Mistake(
            testDescription: "a duplicate key",
            attributes: ["twice": 1, "good": 2, "twice": 3],
            code: .keyDuplicate,
            leftKeys: ["twice", "good"]
        ),
        Mistake(
            testDescription: "a string that is too long",
            attributes: ["text": .string(long), "good": 2],
            code: .valueTooLong,
            leftKeys: ["good"]
        ),
        Mistake(
            testDescription: "not a number",
            attributes: ["bad": .double(.nan), "good": 2],
            code: .numberNotFinite,
            leftKeys: ["good"]
        ),
        Mistake(
            testDescription: "infinite",
            attributes: ["bad": .double(-.infinity), "good": 2],
            code: .numberNotFinite,
            leftKeys: ["good"]
        ),
        Mistake(
            testDescription: "a date that is out of range",
            attributes: ["bad": .date(Timestamp(milliseconds: .max)), "good": 2],
            code: .dateOutOfRange,
            leftKeys: ["good"]
        ),
        Mistake(
            testDescription: "nesting that is too deep",
            attributes: ["bad": nested(60), "good": 2],
            code: .tooDeep,
            leftKeys: ["good"]
        ),
        Mistake(
            testDescription: "too many attributes",
            attributes: Attributes((0..<300).map { (key: "k\($0)", value: 1) }),
            code: .tooManyAttributes,
            leftKeys: (0..<256).map { "k\($0)" }
        ),
        Mistake(
            testDescription: "too many items",
            items: (0..<150).map { Item(id: "\($0)") },
            code: .tooManyItems,
            leftItems: 100
        ),
        Mistake(
            testDescription: "an item without an id",
            items: [Item(id: ""), Item(id: "good")],
            code: .itemInvalid,
            leftItems: 1
        ),
        Mistake(
            testDescription: "an event that is too large",
            attributes: Attributes((0..<20).map { (key: "k\($0)", value: .string(String(long.prefix(8_000)))) }),
            code: .eventTooLarge,
            leftKeys: (0..<8).map { "k\($0)" }
        ),
    ]

    @Test(arguments: mistakes)
    func `only the invalid part of an input is dropped, the fault is reported, and the event is marked`(
        _ mistake: Mistake
    ) throws {
        let memory = try InMemoryAnalytics()
        let receipt = memory.analytics.record(mistake.name, mistake.attributes, items: mistake.items)
        #expect(receipt.durability == .kernel)
        let stored = try #require(memory.recorded.first)
        #expect(stored.name == mistake.leftName)
        let own = stored.attributes.keys.filter { !["_error_code", "_error_message"].contains($0) }
        #expect(own == mistake.leftKeys)
        #expect(stored.items.count == mistake.leftItems)
        #expect(stored.attributes["_error_code"] != nil)
        #expect(memory.diagnostics.map(\.code).contains(mistake.code))
        #expect(
            memory.diagnostics.allSatisfy {
                !$0.message.isEmpty && $0.recoverySuggestion != nil && $0.value.utf8.count <= 128
            }
        )
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `recording arbitrary input never traps`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let memory = try InMemoryAnalytics()
        for _ in 0..<20 {
            let receipt = memory.analytics.record(
                Self.text(&random),
                Self.attributes(&random, depth: 0),
                items: (0..<random.next(below: 4)).map { _ in
                    Item(id: Self.text(&random), name: Self.text(&random), Self.attributes(&random, depth: 4))
                }
            )
            #expect(receipt.durability == .kernel)
        }
        #expect(memory.recorded.count == 20)
    }

    @Test(arguments: ["", long])
    func `an invalid user id leaves the user unchanged`(_ user: String) throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.identify("ann")
        memory.analytics.identify(user)
        memory.analytics.record("seen")
        #expect(memory.events(named: "seen").first?.user == "ann")
        #expect(memory.diagnostics.map(\.code) == [.userInvalid])
    }

    @Test
    func `invalid global attributes are dropped and reported, and valid ones are kept`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.setGlobalAttributes(["bad": .double(.nan), "good": 1, "": 2])
        memory.analytics.record("seen")
        let seen = try #require(memory.events(named: "seen").first)
        #expect(seen.context["global"]?.object?.members.map(\.key) == ["good"])
        #expect(Set(memory.diagnostics.map(\.code)) == [.numberNotFinite, .keyEmpty])
        #expect(seen.attributes.isEmpty, "the event itself is valid")
    }

    @Test
    func `many small additions cannot exceed the limit on global attributes`() throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.limits.attributes = 10
        let memory = try InMemoryAnalytics(configuration)
        for number in 0..<15 { memory.analytics.setGlobalAttributes(["k\(number)": 1]) }
        memory.analytics.record("seen")
        let seen = try #require(memory.events(named: "seen").first)
        #expect(seen.context["global"]?.object?.members.count == 10)
    }

    // MARK: Random input

    private static func nested(_ depth: Int) -> AttributeValue {
        (0..<depth).reduce(.integer(1)) { inner, _ in .array([inner]) }
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let scalars = Array("aZ_\"\\\u{0}\n\u{7F}é\u{2028}👟\u{10FFFF}".unicodeScalars)
        let length = [0, 1, 3, 20, 200][random.next(below: 5)]
        var text = ""
        for _ in 0..<length { text.unicodeScalars.append(scalars[random.next(below: scalars.count)]) }
        return text
    }

    private static func attributes(_ random: inout SeededGenerator, depth: Int) -> Attributes {
        var pairs: [(key: String, value: AttributeValue)] = []
        for _ in 0..<random.next(below: 6) { pairs.append((text(&random), value(&random, depth: depth))) }
        return Attributes(pairs)
    }

    private static func value(_ random: inout SeededGenerator, depth: Int) -> AttributeValue {
        switch random.next(below: depth > 12 ? 5 : 7) {
        case 0: .string(text(&random))
        case 1: .integer(Int64(bitPattern: random.next()))
        case 2: .double(Double(bitPattern: random.next()))
        case 3: .boolean(random.nextBool())
        case 4: .date(Timestamp(milliseconds: Int64(bitPattern: random.next())))
        case 5: .array((0..<random.next(below: 4)).map { _ in value(&random, depth: depth + 1) })
        default: .object(attributes(&random, depth: depth + 1))
        }
    }
}
