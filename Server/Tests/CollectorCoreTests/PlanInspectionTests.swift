// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable import CollectorCore

@Suite("Events checked against a tracking plan")
struct PlanInspectionTests {
    private static func checker(_ event: String) throws -> PlanChecker {
        let reading = PlanParseResult(Array(#"{"version":1,"events":{"e":\#(event)}}"#.utf8))
        #expect(reading.faults == [])
        return PlanChecker(try #require(reading.plan))
    }

    /// Returns the violations of an event, such as `type attributes.total`.
    private static func findings(_ checker: PlanChecker, _ event: String) -> [String] {
        var inspection = PlanInspection(checker)
        Array(event.utf8).withUnsafeBytes { inspection.inspect(0, event: $0) }
        return inspection.findings.map { "\($0.code.rawValue) \(checker.path(of: $0))" }
    }

    private static func of(_ schema: String, _ value: String) throws -> [String] {
        let checker = try checker(#"{"attributes":{"properties":{"a":\#(schema)}}}"#)
        return findings(checker, #"{"attributes":{"a":\#(value)}}"#).map { String($0.split(separator: " ")[0]) }
    }

    @Test(arguments: [
        (#"{}"#, #"{"b":[1,null]}"#), (#"{"type":"string"}"#, #""""#), (#"{"type":"integer"}"#, "5"),
        (#"{"type":"integer"}"#, "5.0"), (#"{"type":"integer"}"#, "1e300"), (#"{"type":"number"}"#, "5"),
        (#"{"type":"number"}"#, "-0.5"), (#"{"type":"boolean"}"#, "false"), (#"{"type":"array"}"#, "[]"),
        (#"{"type":"object"}"#, "{}"), (#"{"type":["string","boolean"]}"#, "true"), (#"{"type":"string"}"#, "null"),
        (#"{"enum":["a",1,true]}"#, #""a""#), (#"{"enum":["a",1,true]}"#, "1.0"),
        (#"{"enum":["a",1,true]}"#, "true"),
        (#"{"enum":["ä","\u0000"]}"#, #""\u00e4""#), (#"{"const":9007199254740993}"#, "9007199254740993"),
        (#"{"minimum":0,"maximum":1}"#, "0"), (#"{"minimum":0,"maximum":1}"#, "1.0"),
        (#"{"exclusiveMinimum":0}"#, "5e-324"),
        (#"{"minLength":2,"maxLength":2}"#, #""ä🛒""#), (#"{"maxLength":1}"#, #""\ud83d\uded2""#),
        (#"{"minLength":3}"#, "1"),
        (#"{"minItems":1,"maxItems":2}"#, "[1,2]"), (#"{"items":{"type":"integer"}}"#, "[1,2,3]"),
        (#"{"format":"date-time"}"#, #""2026-11-21T06:38:00.000Z""#),
        (#"{"format":"date-time"}"#, #""2024-02-29t23:59:60+01:00""#),
        (#"{"properties":{"b":{}},"required":["b"]}"#, #"{"b":0}"#),
        (#"{"additionalProperties":{"type":"string"}}"#, #"{"x":"y"}"#),
        (#"{"additionalProperties":false}"#, #"{"x":null}"#),
    ])
    func `a value matches its schema`(_ schema: String, _ value: String) throws {
        #expect(try Self.of(schema, value) == [])
    }

    @Test(arguments: [
        (#"{"type":"string"}"#, "5", "type"), (#"{"type":"integer"}"#, "5.5", "type"),
        (#"{"type":"integer"}"#, #""5""#, "type"),
        (#"{"type":"number"}"#, "true", "type"), (#"{"type":"boolean"}"#, "0", "type"),
        (#"{"type":"array"}"#, "{}", "type"),
        (#"{"type":"object"}"#, "[]", "type"), (#"{"enum":["a",1]}"#, #""A""#, "enum"),
        (#"{"enum":["a",1]}"#, "2", "enum"),
        (#"{"enum":["a",true]}"#, "false", "enum"), (#"{"enum":["a"]}"#, "[]", "enum"),
        (#"{"enum":["é"]}"#, #""e\u0301""#, "enum"),
        (#"{"const":9007199254740993}"#, "9007199254740992", "enum"), (#"{"minimum":0}"#, "-1e-300", "minimum"),
        (#"{"exclusiveMinimum":0}"#, "0", "minimum"),
        (#"{"maximum":9007199254740992}"#, "9007199254740993", "maximum"),
        (#"{"exclusiveMaximum":1}"#, "1.0", "maximum"), (#"{"minLength":3}"#, #""ä🛒""#, "min_length"),
        (#"{"maxLength":1}"#, #""ab""#, "max_length"), (#"{"minItems":1}"#, "[]", "min_items"),
        (#"{"maxItems":1}"#, "[1,2]", "max_items"),
        (#"{"items":{"type":"integer"}}"#, #"[1,"2","3"]"#, "type"),
        (#"{"format":"date-time"}"#, #""2026-02-29T00:00:00Z""#, "date_time"),
        (#"{"format":"date-time"}"#, #""2026-11-21 06:38:00Z""#, "date_time"),
        (#"{"format":"date-time"}"#, #""""#, "date_time"),
        (#"{"format":"date-time"}"#, #""2026-11-21T06:38:00+1:00""#, "date_time"),
        (#"{"format":"date-time"}"#, #""2026-11-21T06:38:00.Z""#, "date_time"),
        (#"{"required":["b"]}"#, "{}", "missing"), (#"{"required":["b"]}"#, #"{"b":null}"#, "missing"),
        (#"{"additionalProperties":false}"#, #"{"x":1}"#, "unexpected"),
        (#"{"additionalProperties":{"type":"string"}}"#, #"{"x":1}"#, "type"),
    ])
    func `a value that does not match its schema is a violation`(_ schema: String, _ value: String, _ code: String)
        throws
    {
        #expect(try Self.of(schema, value) == [code])
    }

    private static let purchase = """
        {"attributes":{"additionalProperties":false,"required":["total","a.b"],"properties":{
          "total":{"type":"number"},"a.b":{"type":"string"},"to":{"type":"object","required":["zip"],"properties":{"zip":{"type":"string"}}},
          "tags":{"type":"array","items":{"type":"object","required":["t"],"properties":{"t":{"type":"string"}}}}}},
         "items":{"minItems":1,"items":{"required":["name"],"properties":{"attributes":{"properties":{"price":{"type":"number","minimum":0}}}}}}}
        """

    @Test
    func `violation paths contain names without element indexes, and each violation is reported once`() throws {
        let checker = try Self.checker(Self.purchase)
        #expect(
            Self.findings(
                checker,
                """
                {"name":"e","attributes":{"total":"1","to":{"zip":5},"tags":[{"t":1},{"t":2},{},{"t":"x"}],"x y":1,"_run":"r","$lib":1},\
                "items":[{"id":"1","attributes":{"price":-1}},{"id":"2","name":"n","attributes":{"price":"3"}}]}
                """
            ) == [
                "type attributes.total", "type attributes.to.zip", "type attributes.tags[].t",
                "missing attributes.tags[].t",
                #"unexpected attributes."x y""#, #"missing attributes."a.b""#, "minimum items[].attributes.price",
                "missing items[].name", "type items[].attributes.price",
            ]
        )
        #expect(
            Self.findings(checker, #"{"name":"e"}"#) == [
                #"missing attributes."a.b""#, "missing attributes.total", "min_items items",
            ]
        )
        #expect(
            Self.findings(checker, #"{"attributes":{"total":1,"a\u002eb":"x"},"items":[{"id":"1","name":"n"}]}"#) == []
        )
        #expect(checker.expectation(of: "e", at: "items[].attributes.price") == "number, at least 0")
        #expect(checker.expectation(of: "e", at: #"attributes."a.b""#) == "string")
        #expect(
            checker.expectation(of: "e", at: "attributes.nothing") == nil && checker.expectation(of: "x", at: "") == nil
        )
    }

    @Test
    func `thirty-one violations of one event are reported, with a note that there are more`() throws {
        let checker = try Self.checker(#"{"attributes":{"additionalProperties":false}}"#)
        let names = (0..<250).map { #""a\#($0)":1"# }.joined(separator: ",")
        let findings = Self.findings(checker, #"{"attributes":{\#(names)}}"#)
        #expect(
            findings.count == PlanLimits.findings && findings.last == "more "
                && findings[30] == "unexpected attributes.a30"
        )
    }

    @Test
    func `a repeated name is checked twice, and counts as present once`() throws {
        let checker = try Self.checker(#"{"attributes":{"required":["a","b"],"properties":{"a":{"type":"string"}}}}"#)
        #expect(
            Self.findings(checker, #"{"attributes":{"a":"x","a":"y"}}"#) == ["missing attributes.b"]
        )
        #expect(Self.findings(checker, #"{"attributes":{"a":1,"a":"y","b":0}}"#) == ["type attributes.a"])
    }

    @Test
    func `text that is not an event is tolerated`() throws {
        let checker = try Self.checker(Self.purchase)
        for text in [
            "", "{", "[]", #"{"attributes":[1]}"#, #"{"attributes":{"total":"#, #"{"attributes":{"total":1e999}}"#,
        ] {
            _ = Self.findings(checker, text)
        }
        #expect(Self.findings(checker, #"{"attributes":[1],"items":[{"name":"n"}]}"#) == ["type attributes"])
    }

    @Test
    func `events captured by clients need no plan`() {
        #expect(PlanChecker.isCaptured("_screen_view") && PlanChecker.isCaptured("$AppStart"))
        #expect(!PlanChecker.isCaptured("_own") && !PlanChecker.isCaptured("purchase") && !PlanChecker.isCaptured(""))
    }

    @Test(arguments: [1, 2, 3, 7, 255])
    func `all names are found, regardless of their number`(_ count: Int) throws {
        let properties = (0..<count).map { #""n\#($0 * 7919 % 1_000_003)":{"type":"integer"}"# }.joined(separator: ",")
        let checker = try Self.checker(#"{"attributes":{"additionalProperties":false,"properties":{\#(properties)}}}"#)
        let right = (0..<count).map { #""n\#($0 * 7919 % 1_000_003)":\#($0)"# }.joined(separator: ",")
        #expect(Self.findings(checker, #"{"attributes":{\#(right)}}"#) == [])
        #expect(Self.findings(checker, #"{"attributes":{\#(right),"n":1}}"#) == ["unexpected attributes.n"])
    }
}
