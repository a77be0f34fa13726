// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("A receiver's scan of an event")
struct EventScanTests {
    static func scan(_ line: String, limits: EventLimits = EventLimits()) throws(EventFault) -> EventScan {
        try Array(line.utf8).withUnsafeBufferPointer { (bytes) throws(EventFault) -> EventScan in
            try EventScan(UnsafeRawBufferPointer(bytes), limits: limits)
        }
    }

    @Test
    func `a scan returns the ranges of the parts`() throws {
        let line = CanonicalJSONTests.encode("view", ["a": 1, "b": "x"], items: [Item(id: "1")]).json
        let scan = try Self.scan(line)
        let bytes = Array(line.utf8)
        #expect(scan.id == CanonicalJSONTests.id)
        #expect(Array("view".utf8) == Array(bytes[scan.name.range]))
        #expect(scan.time == CanonicalJSONTests.moment.wall)
        #expect(scan.monotonic == CanonicalJSONTests.moment.monotonic)
        #expect(scan.attributes.map { Array(bytes[$0]) } == Array(#"{"a":1,"b":"x"}"#.utf8))
        #expect(scan.items.map { Array(bytes[$0]) } == Array(#"[{"id":"1"}]"#.utf8))
        #expect(scan.attributeCount == 2)
        #expect(scan.itemCount == 1)
    }

    @Test
    func `an event needs only a name`() throws {
        let scan = try Self.scan(#" { "attributes" : { "a" : null } , "name" : "\u0065" , "other" : [ ] } "#)
        #expect(scan.id == nil)
        #expect(scan.time == nil)
        #expect(scan.monotonic == nil)
        #expect(scan.items == nil)
        #expect(scan.name.hasEscapes)
    }

    @Test(arguments: [
        ("", "malformed", ""),
        ("plain words", "malformed", ""),
        (#"{"name":"e"} x"#, "malformed", ""),
        (#"{"name":"e","attributes":{"a":01}}"#, "malformed", "attributes"),
        (#"[]"#, "field_invalid", ""),
        (#""name""#, "field_invalid", ""),
        (#"{}"#, "field_missing", "name"),
        (#"{"name":7}"#, "field_invalid", "name"),
        (#"{"name":""}"#, "name_empty", "name"),
        (#"{"name":"e","name":"e"}"#, "field_duplicate", "name"),
        (#"{"name":"e","id":7}"#, "field_invalid", "id"),
        (#"{"name":"e","id":"7"}"#, "field_invalid", "id"),
        (#"{"name":"e","time":"now"}"#, "field_invalid", "time"),
        (#"{"name":"e","time":1.0}"#, "field_invalid", "time"),
        (#"{"name":"e","mono":1e3}"#, "field_invalid", "mono"),
        (#"{"name":"e","mono":1,"mono":1}"#, "field_duplicate", "mono"),
        (#"{"name":"e","attributes":[]}"#, "field_invalid", "attributes"),
        (#"{"name":"e","attributes":{"":1}}"#, "key_empty", "attributes"),
        (#"{"name":"e","items":{}}"#, "field_invalid", "items"),
        (#"{"name":"e","items":[1]}"#, "field_invalid", "items"),
        (#"{"name":"e","items":[{}]}"#, "item_invalid", "items"),
        (#"{"name":"e","items":[{"id":""}]}"#, "item_invalid", "items"),
        (#"{"name":"e","items":[{"id":7}]}"#, "field_invalid", "items"),
        (#"{"name":"e","items":[{"id":"1","attributes":7}]}"#, "field_invalid", "items"),
    ])
    func `an invalid event is reported with code and field`(_ line: String, _ code: String, _ field: String) {
        let fault = #expect(throws: EventFault.self) { try Self.scan(line) }
        #expect(fault?.code.rawValue == code)
        #expect(fault?.field == field)
        #expect(fault?.message.hasSuffix(".") == true)
    }

    @Test(arguments: LimitTests.characters)
    func `limits are exact: one below, at the limit, and one above`(_ character: String) {
        var limits = EventLimits()
        limits.nameBytes = 12
        limits.keyBytes = 24
        limits.stringBytes = 48
        for (field, limit, code, line) in [
            ("name", 12, "name_too_long", { #"{"name":"\#($0)"}"# }),
            ("attributes", 24, "key_too_long", { #"{"name":"e","attributes":{"\#($0)":1}}"# }),
            ("attributes.k", 48, "value_too_long", { #"{"name":"e","attributes":{"k":"\#($0)"}}"# }),
        ] as [(String, Int, String, (String) -> String)] {
            for bytes in [limit - 1, limit] {
                #expect(throws: Never.self) {
                    try Self.scan(line(LimitTests.text(character, bytes: bytes)), limits: limits)
                }
            }
            let fault = #expect(throws: EventFault.self) {
                try Self.scan(line(LimitTests.text(character, bytes: limit + 1)), limits: limits)
            }
            #expect(fault?.code.rawValue == code)
            #expect(fault?.field.hasPrefix(field) == true)
            // An escape sequence counts as the length of the decoded character.
            let escaped = String(repeating: "\\u0061", count: limit)
            #expect(throws: Never.self) { try Self.scan(line(escaped), limits: limits) }
        }
    }

    @Test
    func `counts, nesting and size are limited`() {
        var limits = EventLimits()
        limits.attributes = 2
        limits.items = 1
        limits.depth = 2
        limits.eventBytes = 100
        for (line, code) in [
            (#"{"name":"e","attributes":{"a":1,"b":2,"_error_code":"","_error_message":""}}"#, nil),
            (#"{"name":"e","attributes":{"a":1,"b":2,"c":3,"d":4,"e":5}}"#, "too_many_attributes"),
            (#"{"name":"e","items":[{"id":"1"}]}"#, nil),
            (#"{"name":"e","items":[{"id":"1"},{"id":"2"}]}"#, "too_many_items"),
            (#"{"name":"e","attributes":{"a":[1]}}"#, nil),
            (#"{"name":"e","attributes":{"a":[[1]]}}"#, "too_deep"),
            (#"{"name":"e","items":[{"id":"1","attributes":{"a":{"b":1}}}]}"#, nil),
            (#"{"name":"e","items":[{"id":"1","attributes":{"a":{"b":{}}}}]}"#, "too_deep"),
            (#"{"name":"e","x":"\#(String(repeating: "x", count: 81))"}"#, nil),
            (#"{"name":"e","x":"\#(String(repeating: "x", count: 82))"}"#, "event_too_large"),
        ] as [(String, String?)] {
            var found: String?
            do throws(EventFault) {
                _ = try Self.scan(line, limits: limits)
            } catch {
                found = error.code.rawValue
            }
            #expect(found == code, "\(line)")
        }
    }
}
