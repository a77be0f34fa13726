// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Swift source of a tracking plan")
struct PlanSwiftTests {
    /// A plan with hostile names and texts.
    ///
    /// They could end a comment, a string or a name too early, have another meaning, or clash.
    private static let nasty = #"""
        {"version":1,"title":"*/ \n import Evil","events":{
          "purchase":{"description":"Somebody paid.\n*/ } struct Evil {}\r\u2028let x = 1 \u202e//","owner":"a\nb","attributes":{
            "required":["total","class","a.b"],"properties":{
              "total":{"type":"number","minimum":0,"description":"With taxes.\nfunc evil() {}"},
              "class":{"type":"string"},"self":{"type":"boolean"},"init":{"type":"integer"},"Type":{"type":"string"},
              "items":{"type":"string"},"attributes":{"type":"string"},"name":{"type":"string"},"encode":{"type":"boolean"},
              "a.b":{"type":"string"},"a b":{"type":"string"},"a_b":{"type":"string"},"A_B":{"type":"string"},"aB":{"type":"string"},
              "\"); evil(\"":{"type":"string"},"\\(evil)":{"type":"string"},"":true,"1st":{"type":"integer"},"🛒":{"type":"boolean"},
              "价格":{"type":"number"},"é":{"type":"string"},"e\u0301":{"type":"string"},"URLString":{"type":"string"},
              "currency":{"type":"string","enum":["CNY","EUR","","none","self","1","a b","a_b","\"\\(x)\n","🛒","init"]},
              "string":{"type":"string","enum":["x"]},"Date":{"type":"string","enum":["y"]},"at":{"type":"string","format":"date-time"},
              "level":{"type":"integer","enum":[1,2]},"mixed":{"type":["string","number"]},"open":{},"rawValue":{"type":"string"},
              "sizes":{"type":"array","items":{"type":"integer"}},"tags":{"type":"array","items":{"type":"string","enum":["new","old"]}},
              "anything":{"type":"array"},"map":{"type":"object"},"counts":{"type":"object","additionalProperties":{"type":"integer"}},
              "to":{"type":"object","required":["zip"],"properties":{"zip":{"type":"string"},"purchase":{"type":"object","properties":{"x":{"type":"boolean"}}}}},
              "old":{"type":"string","deprecated":true},"hash_value":{"type":"integer"},"description":{"type":"string"}}},
            "items":{"description":"What was paid for.","minItems":1}},
          "Purchase":{"deprecated":true},"purchase!":{"items":{}},"string":{},"Swift":{},"event":{},"typed event":{},"2nd":{},"🛒🛒":{},
          "a\"b\\c\nd":{"attributes":{"properties":{"x":{"type":"number"}}}}}}
        """#

    private static func plan(_ text: String) throws -> TrackingPlan {
        let reading = PlanParseResult(Array(text.utf8))
        return try #require(reading.plan, "\(reading.faults)")
    }

    /// The same plan without the empty attribute name, which is invalid.
    private static var compiled: TrackingPlan {
        get throws { try plan(nasty.replacing(#""":true,"#, with: "")) }
    }

    private static let golden = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures/NastyPlan.swift")

    @Test
    func `a hostile plan produces the source that is compiled here`() throws {
        var maker = PlanSwift(access: .internal)
        let source = maker.source(of: try Self.compiled)
        let header = "// SPDX-License-Identifier: Apache-2.0\n// Copyright 2026 the Trackway authors\n\n"
        if ProcessInfo.processInfo.environment["TRACKWAY_WRITE_GOLDEN"] == "1" {
            try Data((header + source).utf8).write(to: Self.golden)
        }
        #expect(String(decoding: try Data(contentsOf: Self.golden), as: UTF8.self) == header + source)
        var again = PlanSwift(access: .internal)
        #expect(again.source(of: try Self.plan(try Self.compiled.text())) == source)
    }

    @Test
    func `no string from a plan escapes from its comment or literal`() throws {
        var maker = PlanSwift(access: .public)
        let source = maker.source(of: try Self.compiled)
        for line in source.split(separator: "\n") where line.contains("vil") {
            let code = line.drop { $0 == " " }
            #expect(
                code.hasPrefix("///") || code.hasPrefix("var evil") || code.hasPrefix("public var evil")
                    || code.contains(#"= ""#) || code.hasPrefix("evil") || code.hasPrefix("self.evil"),
                "\(line)"
            )
        }
        #expect(!source.contains("\u{2028}") && !source.contains("\u{202E}") && !source.contains("\r"))
        #expect(source.contains("public import Trackway") && source.contains("public struct Purchase2: TypedEvent {"))
        #expect(!source.contains("\n    var ") && !source.contains("\nstruct "))
    }

    private static func json(_ event: some TypedEvent) throws -> JSONValue { .object(try event.attributes().json) }

    @Test
    func `the generated types encode what the plan requires`() throws {
        var event = Purchase2(aB3: "x", class: "y", total: 12.5)
        #expect(try Self.json(event).object?.members.map(\.key) == ["a.b", "class", "total"])
        event.currency = .cny
        event.at = Date(timeIntervalSince1970: 1_795_243_080)
        event.to = Purchase2.To(zip: "0815")
        event.sizes = [1, 2]
        event.tags = [.new, .old]
        event.mixed = .number(1.5)
        event.open = .list([.text("a"), .object(["b": .boolean(true)]), .date(Timestamp(milliseconds: 0))])
        event.counts = ["a": 1]
        let attributes = try Self.json(event)
        let wanted = try JSONValue.parse(
            Array(
                #"""
                {"currency":"CNY","at":"2026-11-21T06:38:00.000Z","to":{"zip":"0815"},"sizes":[1,2],"tags":["new","old"],"mixed":1.5,
                 "open":["a",{"b":true},"1970-01-01T00:00:00.000Z"],"counts":{"a":1},"a.b":"x","class":"y","total":12.5}
                """#.utf8
            )
        )
        for member in wanted.object?.members ?? [] { #expect(attributes[member.key] == member.value, "\(member.key)") }
        #expect(attributes.object?.members.count == wanted.object?.members.count)
        #expect(Purchase2.name == "purchase" && event.items.isEmpty)
        // The encoded events match the plan.
        let checker = PlanChecker(try Self.compiled)
        var inspection = PlanInspection(checker)
        event.items = [Item(id: "1")]
        let number = try #require(checker.number(of: Purchase2.name))
        let whole = JSONValue.members(("attributes", attributes), ("items", .array([.members(("id", .string("1")))])))
        whole.json().withUnsafeBytes { inspection.inspect(number, event: $0) }
        #expect(inspection.findings == [])
        #expect(try Self.json(StringEvent()) == .object(.init()) && Purchase3(items: [Item(id: "2")]).items.count == 1)
    }

    @Test(arguments: [
        ("view_item", "ViewItem", "viewItem"), ("VIEW-ITEM", "ViewItem", "viewItem"),
        ("viewItem", "ViewItem", "viewItem"),
        ("URLString", "URLString", "urlString"), ("URL", "Url", "url"), ("a", "A", "a"), ("2nd", "_2nd", "_2nd"),
        ("_own", "Own", "own"), ("$x.y", "XY", "xY"), ("", "Empty", "empty"), ("🛒", "U1F6D2", "u1F6D2"),
        ("价格", "价格", "价格"),
        ("\u{0}", "U0", "u0"), ("class", "Class", "class"), ("self", "Self?", "self_"),
        ("event", "Event?", "event"),
    ])
    func `a name becomes an identifier`(_ name: String, _ type: String, _ member: String) {
        #expect(SwiftIdentifier.type(name, suffix: "?") == type && SwiftIdentifier.member(name) == member)
    }

    @Test
    func `a plan without events produces a file without types`() throws {
        var maker = PlanSwift(access: .public)
        let source = maker.source(of: TrackingPlan(events: []))
        #expect(source.hasPrefix("// swift-format-ignore-file\n") && !source.contains("import"))
    }
}
