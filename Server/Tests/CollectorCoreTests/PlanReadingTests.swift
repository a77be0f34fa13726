// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable import CollectorCore

@Suite("Reading a tracking plan")
struct PlanReadingTests {
    private static func read(_ text: String) -> PlanParseResult { PlanParseResult(Array(text.utf8)) }

    /// Returns a plan with one event that has one attribute.
    private static func attribute(_ schema: String) -> PlanParseResult {
        read(#"{"version":1,"events":{"purchase":{"attributes":{"properties":{"total":\#(schema)}}}}}"#)
    }

    private static let whole = """
        {"$schema":"x","version":1,"title":"Shop","description":"All of it.","unplanned":"allow","events":{
          "view_item":{},
          "purchase":{"description":"Somebody paid.","owner":"checkout","deprecated":true,
            "attributes":{"type":"object","required":["total","note"],"properties":{
              "total":{"type":"number","minimum":0,"exclusiveMaximum":1e6,"description":"With taxes."},
              "currency":{"type":"string","enum":["CNY","EUR"],"$comment":"two","examples":["CNY"],"default":"CNY"},
              "at":{"format":"date-time","type":"string"},"sizes":{"type":"array","items":{"type":"integer"},"maxItems":9},
              "who":{"type":["string","integer"],"const":"a"},
              "to":{"type":"object","properties":{"zip":{"type":"string","minLength":1,"maxLength":9}},"additionalProperties":false}}},
            "items":{"minItems":1,"items":{"required":["name"],"properties":{"name":{"type":"string"}}}}}}}
        """

    @Test
    func `all members of a plan are read`() throws {
        let reading = Self.read(Self.whole)
        #expect(reading.faults == [] && reading.warnings == [] && reading.omitted == 0)
        let plan = try #require(reading.plan)
        #expect(
            plan.title == "Shop" && plan.unplanned == .allow && plan.events.map(\.name) == ["purchase", "view_item"]
        )
        let purchase = plan.events[0]
        #expect(purchase.owner == "checkout" && purchase.isDeprecated && purchase.items?.minimumCount == 1)
        #expect(
            purchase.attributes.properties.map(\.name) == ["at", "currency", "note", "sizes", "to", "total", "who"]
        )
        #expect(purchase.attributes.properties.filter(\.isRequired).map(\.name) == ["note", "total"])
        #expect(
            purchase.attributes.properties.map(\.schema.summary) == [
                "string, a date and time", #"string, one of "CNY", "EUR""#, "any value", "array, at most 9 elements",
                "object",
                "number, at least 0, less than 1000000", #"string or integer, one of "a""#,
            ]
        )
    }

    @Test
    func `a written plan reads back as the same plan, and its digest ignores titles, owners and descriptions`() throws {
        let plan = try #require(Self.read(Self.whole).plan)
        let again = try #require(Self.read(plan.text()).plan)
        #expect(again == plan && again.text() == plan.text())
        var silent = plan
        silent.title = nil
        silent.description = "Other words."
        silent.events[0].owner = nil
        silent.events[0].attributes.properties[0].schema.description = "x"
        #expect(silent.digest == plan.digest && plan.digest.count == 16)
        for change in [
            { $0.unplanned = .count }, { $0.events.removeLast() }, { $0.events[0].attributes.additional = .forbidden },
            { $0.events[0].attributes.properties[0].isRequired.toggle() }, { $0.events[0].items = nil },
        ] as [(inout TrackingPlan) -> Void] {
            var other = plan
            change(&other)
            #expect(other.digest != plan.digest)
        }
    }

    @Test(arguments: [
        (#"[]"#, "", "malformed", "a list of 0"),
        (#"{"events":{}}"#, "version", "missing", ""),
        (#"{"version":2,"events":{}}"#, "version", "unknown_version", "2"),
        (#"{"version":1}"#, "events", "missing", ""),
        (#"{"version":1,"events":[]}"#, "events", "malformed", "a list of 0"),
        (#"{"version":1,"events":{},"event":{}}"#, "event", "unknown_member", "an object of 0"),
        (#"{"version":1,"events":{},"unplanned":"no"}"#, "unplanned", "malformed", #""no""#),
        (#"{"version":1,"events":{},"title":5}"#, "title", "malformed", "5"),
        (#"{"version":1,"events":{"a":{},"a":{}}}"#, "events.a", "duplicate", "an object of 0"),
        (#"{"version":1,"events":{"":{}}}"#, #"events."""#, "name_empty", ""),
        (#"{"version":1,"events":{"a":5}}"#, "events.a", "malformed", "5"),
        (
            #"{"version":1,"events":{"a.b":{"props":{}}}}"#, #"events."a.b".props"#, "unknown_member",
            "an object of 0"
        ),
        (#"{"version":1,"events":{"a":{"deprecated":"yes"}}}"#, "events.a.deprecated", "malformed", #""yes""#),
        (
            #"{"version":1,"events":{"a":{"attributes":{"type":"array"}}}}"#, "events.a.attributes.type", "type",
            #""array""#
        ),
        (#"{"version":1,"events":{"a":{"items":{"type":"object"}}}}"#, "events.a.items.type", "type", #""object""#),
        (
            #"{"version":1,"events":{"a":{"attributes":{"required":["x"],"additionalProperties":false}}}}"#,
            "events.a.attributes.required", "unknown_property", #""x""#
        ),
    ])
    func `an error is reported with its path, its code and its value`(
        _ text: String,
        _ path: String,
        _ code: String,
        _ value: String
    ) throws {
        let reading = Self.read(text)
        let fault = try #require(reading.faults.first)
        #expect(reading.plan == nil && reading.faults.count == 1)
        #expect(fault.path == path && fault.code == code && fault.value == value && fault.message.hasSuffix("."))
    }

    @Test(arguments: [
        (#"5"#, "", "malformed"), (#"false"#, "", "malformed"), (#"{"type":"text"}"#, ".type", "unknown_type"),
        (#"{"type":[]}"#, ".type", "malformed"), (#"{"type":["string","null"]}"#, ".type", "unknown_type"),
        (#"{"type":["string","string"]}"#, ".type", "duplicate"),
        (#"{"pattern":"^(a+)+$"}"#, ".pattern", "unknown_keyword"),
        (##"{"$ref":"#/events/purchase"}"##, ".$ref", "unknown_keyword"),
        (#"{"allOf":[]}"#, ".allOf", "unknown_keyword"),
        (#"{"format":"email"}"#, ".format", "unknown_keyword"), (#"{"enum":[]}"#, ".enum", "malformed"),
        (#"{"enum":"x"}"#, ".enum", "malformed"), (#"{"enum":[null]}"#, ".enum", "malformed"),
        (#"{"enum":[1,1.0]}"#, ".enum", "duplicate"), (#"{"enum":[[]]}"#, ".enum", "malformed"),
        (#"{"type":"string","enum":["a",1]}"#, ".enum", "type"),
        (#"{"type":"integer","enum":[1.5]}"#, ".enum", "type"),
        (#"{"minimum":"1"}"#, ".minimum", "malformed"), (#"{"minimum":2,"maximum":1}"#, "", "empty_range"),
        (#"{"minimum":1,"exclusiveMaximum":1}"#, "", "empty_range"),
        (#"{"minLength":2,"maxLength":1}"#, "", "empty_range"),
        (#"{"minItems":2,"maxItems":1}"#, "", "empty_range"),
        (#"{"minimum":1,"exclusiveMinimum":1}"#, ".exclusiveMinimum", "conflict"),
        (#"{"minLength":-1}"#, ".minLength", "malformed"), (#"{"minLength":1.5}"#, ".minLength", "malformed"),
        (#"{"type":"string","minimum":1}"#, ".minimum", "no_effect"),
        (#"{"type":"number","maxLength":1}"#, ".maxLength", "no_effect"),
        (#"{"type":"string","properties":{}}"#, ".properties", "no_effect"),
        (#"{"required":"x"}"#, ".required", "malformed"),
        (#"{"required":["x","x"]}"#, ".required", "duplicate"), (#"{"required":[1]}"#, ".required", "malformed"),
        (#"{"properties":{"":{}}}"#, #".properties."""#, "name_empty"), (#"{"items":[{}]}"#, ".items", "malformed"),
        (#"{"Type":"string"}"#, ".Type", "unknown_keyword"),
        (#"{"type":"string","type":"string"}"#, ".type", "duplicate"),
    ])
    func `an error in a schema is reported with its path and its code`(_ schema: String, _ path: String, _ code: String)
        throws
    {
        let reading = Self.attribute(schema)
        #expect(reading.faults.count == 1, "\(reading.faults)")
        let fault = try #require(reading.faults.first)
        #expect(fault.path == "events.purchase.attributes.properties.total" + path && fault.code == code)
        #expect(!fault.message.isEmpty)
    }

    @Test
    func `all errors are reported together; beyond a limit, only the number of others is reported`() {
        let many = (0..<450).map { #""e\#($0)":{"owner":\#($0)}"# }.joined(separator: ",")
        let reading = Self.read(#"{"version":1,"events":{\#(many)}}"#)
        #expect(reading.faults.count == PlanLimits.faults && reading.omitted == 250 && reading.plan == nil)
        #expect(reading.faults[1].path == "events.e1.owner" && reading.faults[1].value == "1")
    }

    @Test
    func `text that is not JSON is reported with its line`() throws {
        let fault = try #require(Self.read("{\n  \"version\": 1,\n  // no comments\n}").faults.first)
        #expect(fault.code == "malformed_json" && fault.message.contains("on line 3, byte 3"))
        #expect(Self.read("").faults.first?.code == "malformed_json")
        #expect(PlanParseResult([0xFF, 0xFE]).faults.first?.code == "malformed_json")
    }

    @Test
    func `a hostile file is rejected at little cost`() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(Self.read(deep).faults.first?.code == "too_deep")
        var nested = #"{"type":"string"}"#
        for _ in 0..<20 { nested = #"{"properties":{"a":\#(nested)}}"# }
        #expect(Self.attribute(nested).faults.map(\.code) == ["too_deep"])
        #expect(PlanParseResult(Array(repeating: 0x20, count: 10 << 20)).faults.first?.code == "too_large")
        let events = (0..<200_000).map { #""e\#($0)":{}"# }.joined(separator: ",")
        #expect(Self.read(#"{"version":1,"events":{\#(events)}}"#).faults.map(\.code) == ["too_many_events"])
        let values = (0..<2_000).map(String.init).joined(separator: ",")
        #expect(Self.attribute(#"{"enum":[\#(values)]}"#).faults.map(\.code) == ["too_many_values"])
        let wide = (0..<300).map { #""a\#($0)":true"# }.joined(separator: ",")
        #expect(Self.attribute(#"{"properties":{\#(wide)}}"#).faults.map(\.code) == ["too_many_attributes"])
        let full = "{" + (0..<250).map { #""a\#($0)":{}"# }.joined(separator: ",") + "}"
        let many = (0..<300).map { #""e\#($0)":{"attributes":{"properties":\#(full)}}"# }.joined(separator: ",")
        #expect(Self.read(#"{"version":1,"events":{\#(many)}}"#).faults.map(\.code) == ["too_many_schemas"])
        let name = String(repeating: "x", count: 129)
        #expect(Self.read(#"{"version":1,"events":{"\#(name)":{}}}"#).faults.map(\.code) == ["name_too_long"])
    }

    @Test
    func `names that a format does not accept get a warning, as they do in the catalog`() throws {
        let reading = Self.read(
            #"{"version":1,"events":{"_own":{},"a b":{"attributes":{"properties":{"$x":{}}}},"_screen_view":{}}}"#
        )
        #expect(reading.plan != nil)
        #expect(
            reading.warnings.map { "\($0.path) \($0.code)" } == [
                "events._own name_reserved", #"events."a b" clickstream name_invalid"#,
                #"events."a b" sensors_analytics name_invalid"#,
                #"events."a b".attributes.properties.$x clickstream name_invalid"#,
                #"events."a b".attributes.properties.$x sensors_analytics name_reserved"#,
            ]
        )
    }
}
