// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Destination rules")
struct DestinationRulesTests {
    /// Rules, an event, and its expected outcome.
    struct Row: Sendable, CustomTestStringConvertible {
        let rules: DestinationRules
        let name: String
        var attributes: Attributes = [:]
        var items: [Item] = []
        let outcome: DestinationRules.Outcome
        var testDescription: String { "\(name) by \(rules.rules)" }
    }

    private static let deciding: [Row] = [
        Row(rules: [], name: "tap", outcome: .sent("tap")),
        Row(rules: [.deny("tap")], name: "tap", outcome: .denied(by: .deny("tap"))),
        Row(rules: [.deny("tap")], name: "taps", outcome: .sent("taps")),
        Row(rules: [.deny("tap")], name: "Tap", outcome: .sent("Tap")),
        Row(rules: [.deny("debug_*")], name: "debug_", outcome: .denied(by: .deny("debug_*"))),
        Row(rules: [.deny("debug_*")], name: "debug_tap", outcome: .denied(by: .deny("debug_*"))),
        Row(rules: [.deny("debug_*")], name: "debug", outcome: .sent("debug")),
        Row(rules: [.deny("*")], name: "_session_start", outcome: .denied(by: .deny("*"))),
        Row(rules: [.deny("a*c")], name: "abc", outcome: .sent("abc")),
        Row(rules: [.deny("a*c")], name: "a*c", outcome: .denied(by: .deny("a*c"))),
        Row(rules: [.deny("")], name: "tap", outcome: .sent("tap")),
        // A name that looks the same but has different bytes is a different name.
        Row(rules: [.deny("caf\u{E9}")], name: "cafe\u{301}", outcome: .sent("cafe\u{301}")),
        // The first deciding rule wins; undecided events are sent.
        Row(rules: [.allow("buy"), .deny("*")], name: "buy", outcome: .sent("buy")),
        Row(rules: [.allow("buy"), .deny("*")], name: "tap", outcome: .denied(by: .deny("*"))),
        Row(rules: [.deny("*"), .allow("buy")], name: "buy", outcome: .denied(by: .deny("*"))),
        Row(rules: [.deny("b*"), .deny("buy")], name: "buy", outcome: .denied(by: .deny("b*"))),
        Row(rules: [.allow("buy"), .sample(0)], name: "buy", outcome: .sent("buy")),
        Row(rules: [.sample(0), .allow("buy")], name: "buy", outcome: .sampledOut(by: .sample(0))),
        Row(rules: [.sample(0, of: "tap")], name: "buy", outcome: .sent("buy")),
        // An erasure event is sent regardless of the rules.
        Row(rules: [.deny("*"), .sample(0)], name: "_installation_erased", outcome: .sent("_installation_erased")),
    ]

    private static let changing: [Row] = [
        Row(
            rules: [.redact("email", in: "sign_up")],
            name: "sign_up",
            attributes: ["email": "a", "plan": "pro"],
            outcome: .sent("sign_up", ["plan": "pro"])
        ),
        Row(
            rules: [.redact("email", in: "sign_up")],
            name: "search",
            attributes: ["email": "a"],
            outcome: .sent("search", ["email": "a"])
        ),
        Row(
            rules: [.redact("user_*")],
            name: "tap",
            attributes: ["user_name": "a", "user_": 1, "user": 2],
            outcome: .sent("tap", ["user": 2])
        ),
        Row(
            rules: [.redact("email")],
            name: "tap",
            attributes: ["form": ["email": "a"]],
            outcome: .sent("tap", ["form": ["email": "a"]])
        ),
        Row(
            rules: [.redact("email")],
            name: "tap",
            items: [Item(id: "1", name: "n", ["email": "a", "size": 4])],
            outcome: .sent("tap", items: [Item(id: "1", name: "n", ["size": 4])])
        ),
        // Redaction also applies after an allow rule, and by both names of a renamed event.
        Row(
            rules: [.allow("buy"), .redact("email")],
            name: "buy",
            attributes: ["email": "a"],
            outcome: .sent("buy")
        ),
        Row(
            rules: [.rename("buy", to: "purchase"), .redact("a", in: "buy"), .redact("b", in: "purchase")],
            name: "buy",
            attributes: ["a": 1, "b": 2, "c": 3],
            outcome: .sent("purchase", ["c": 3])
        ),
        Row(
            rules: [.redact("a", in: "purchase"), .rename("buy", to: "purchase")],
            name: "buy",
            attributes: ["a": 1],
            outcome: .sent("purchase", ["a": 1])
        ),
        Row(
            rules: [.rename("buy", to: "purchase"), .deny("purchase")],
            name: "buy",
            outcome: .denied(by: .deny("purchase"))
        ),
        // Names change once, based on the recorded name, so two names can be swapped.
        Row(rules: [.rename("a", to: "b"), .rename("b", to: "a")], name: "a", outcome: .sent("b")),
        Row(rules: [.rename("a", to: "b"), .rename("b", to: "a")], name: "b", outcome: .sent("a")),
        Row(rules: [.rename("a", to: "b"), .rename("a", to: "c")], name: "a", outcome: .sent("b")),
        Row(rules: [.rename("debug_*", to: "debug")], name: "debug_tap", outcome: .sent("debug")),
        Row(rules: [.rename("a", to: "a")], name: "a", outcome: .sent("a")),
        // Renaming to invalid names, or to or from names of the SDK, changes nothing.
        Row(rules: [.rename("a", to: "")], name: "a", outcome: .sent("a")),
        Row(rules: [.rename("a", to: "_profile_set")], name: "a", outcome: .sent("a")),
        Row(rules: [.rename("a", to: "b\u{1}")], name: "a", outcome: .sent("a")),
        Row(rules: [.rename("a", to: String(repeating: "n", count: 129))], name: "a", outcome: .sent("a")),
        Row(rules: [.rename("a", to: ""), .rename("a", to: "b")], name: "a", outcome: .sent("b")),
        Row(
            rules: [.rename("*", to: "event")],
            name: "_profile_set",
            attributes: ["age": 3],
            outcome: .sent("_profile_set", ["age": 3])
        ),
        // An erasure event's attributes are not redacted.
        Row(
            rules: [.redact("*")],
            name: "_installation_erased",
            attributes: ["installation": "i", "proof": "p"],
            outcome: .sent("_installation_erased", ["installation": "i", "proof": "p"])
        ),
    ]

    @Test(arguments: deciding)
    func `the first deciding rule wins`(_ row: Row) {
        #expect(row.rules.outcome(of: row.name, row.attributes, items: row.items) == row.outcome)
    }

    @Test(arguments: changing)
    func `all redactions and the first rename apply`(_ row: Row) {
        #expect(row.rules.outcome(of: row.name, row.attributes, items: row.items) == row.outcome)
    }

    @Test
    func `a rule's description matches its source`() {
        let rules: DestinationRules = [
            .allow("a"), .deny("b*"), .rename("c", to: "d"), .redact("e", in: "f"), .sample(0.5, by: .event, salt: "s"),
        ]
        #expect(
            rules.rules.map(\.description) == [
                ".allow(\"a\")", ".deny(\"b*\")", ".rename(\"c\", to: \"d\")", ".redact(\"e\", in: \"f\")",
                ".sample(0.5, of: \"*\", by: .event, salt: \"s\")",
            ]
        )
    }

    // MARK: Properties

    private static let names = ["a", "ab", "b", "ba", "c", "_a", "_installation_erased"]
    private static let patterns = ["a", "a*", "b", "b*", "c", "*", "_*", ""]

    private static func rule(_ generator: inout SeededGenerator) -> DestinationRule {
        let events = patterns.randomElement(using: &generator) ?? "*"
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return .allow(events)
        case 1: return .deny(events)
        case 2: return .rename(events, to: names.randomElement(using: &generator) ?? "")
        case 3: return .sample(Double.random(in: -0.5...1.5, using: &generator), of: events, by: .person)
        default: return .redact(patterns.randomElement(using: &generator) ?? "*", in: events)
        }
    }

    private static func attributes(_ generator: inout SeededGenerator) -> Attributes {
        Attributes(names.filter { _ in Bool.random(using: &generator) }.map { (key: $0, value: .integer(1)) })
    }

    @Test
    func `the same rules always give the same outcome, and rules after the deciding one change nothing`() {
        var generator = SeededGenerator(seed: 20_261_122)
        for round in 0..<1_000 {
            let rules = (0..<Int.random(in: 0...6, using: &generator)).map { _ in Self.rule(&generator) }
            let name = Self.names.randomElement(using: &generator) ?? "a"
            let attributes = Self.attributes(&generator)
            let person = "person-\(round % 50)"
            func outcome(_ rules: [DestinationRule], _ name: String, _ attributes: Attributes)
                -> DestinationRules.Outcome
            {
                DestinationRules(rules).outcome(of: name, attributes, person: person)
            }
            let first = outcome(rules, name, attributes)
            #expect(outcome(rules, name, attributes) == first)
            switch first {
            case .denied(let rule), .sampledOut(let rule):
                let place = rules.firstIndex(of: rule) ?? 0
                #expect(name != "_installation_erased")
                #expect(outcome(Array(rules[...place]), name, attributes) == first)
                #expect(outcome(rules + [.allow("*")], name, attributes) == first)
            case .sent(let newName, let left, _):
                // Without renames, the order of redactions does not matter, and applying them twice changes nothing.
                let isRenaming = rules.contains { if case .rename = $0.effect { true } else { false } }
                let redactions = rules.filter { if case .redact = $0.effect { true } else { false } }
                if !isRenaming {
                    #expect(outcome(redactions.reversed(), name, attributes) == first)
                    #expect(outcome(rules, newName, left) == first)
                }
                // No attributes are added, and no event is renamed to a name of the SDK.
                #expect(Set(left.keys).isSubset(of: attributes.keys))
                #expect(newName == name || !newName.hasPrefix("_"))
            }
        }
    }
}
