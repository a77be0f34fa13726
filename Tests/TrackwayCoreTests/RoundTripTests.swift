// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Round trips")
struct RoundTripTests {
    @Test(arguments: 0..<20)
    func `an event reads back as it was written`(_ seed: Int) throws {
        var random = RandomEvents(seed: SeededRandom(UInt64(seed)))
        for _ in 0..<100 {
            let event = random.event()
            let json = event.json { Issue.record("unexpected diagnostic \($0)") }
            let again = try Event(json: json)
            #expect(again == event)
            #expect(again.json() == json)
            let scan = try json.withUnsafeBytes { try EventScan($0) }
            #expect(scan.id == event.id)
            #expect(scan.time == event.time)
            #expect(scan.monotonic == event.monotonic)
            #expect(scan.attributeCount == event.attributes.count)
            #expect(scan.itemCount == event.items.count)
        }
    }

    @Test(arguments: 0..<10)
    func `a JSON value reads back as it was written`(_ seed: Int) throws {
        var random = RandomEvents(seed: SeededRandom(UInt64(seed)))
        for _ in 0..<200 {
            let json = random.event().json()
            let value = try JSONValue.parse(json)
            #expect(value.json() == json)
        }
    }

    @Test
    func `whitespace and member order do not matter`() throws {
        let event = try Event(
            json: Array(
                """
                 { "items" : [ { "name" : "Nature" , "attributes" : { } , "id" : "1" } ] , "later" : [ { } , null ] ,
                 \t"mono" : 2 , "attributes" : { "a" : 1 , "gone" : null , "b" : [ ] } , "time" : 1 ,\r
                  "name" : "caf\\u00e9 \\ud83d\\ude00" , "id" : "0190A5D0-AC96-774B-BCCE-B302099A8057" }\n
                """.utf8
            )
        )
        #expect(
            event
                == Event(
                    id: CanonicalJSONTests.id,
                    name: "café 😀",
                    time: Timestamp(milliseconds: 1),
                    monotonic: MonotonicTime(milliseconds: 2),
                    attributes: ["a": 1, "b": .array([])],
                    items: [Item(id: "1", name: "Nature")]
                )
        )
    }

    @Test
    func `of members with the same key, the last value wins in the first position, for few or many members`() throws {
        let few = try Event(json: Self.event(attributes: #"{"a":1,"b":2,"a":3}"#))
        #expect(few.attributes == ["a": 3, "b": 2])
        let members = (0..<300).map { "\"k\($0)\":\($0)" } + (0..<300).map { "\"k\($0)\":\"\($0)\"" }
        let many = try Event(json: Self.event(attributes: "{\(members.joined(separator: ","))}"))
        #expect(many.attributes.count == 300)
        #expect(many.attributes.allSatisfy { "k\($0.value.string ?? "")" == $0.key })
    }

    @Test(arguments: [
        (#"[]"#, "unexpected_type"),
        (#"{}"#, "member_missing"),
        (#"{"id":"0190a5d0-ac96-774b-bcce-b302099a8057","name":"e","time":1}"#, "member_missing"),
        (#"{"id":"0190a5d0-ac96-774b-bcce-b302099a805","name":"e","time":1,"mono":1}"#, "member_invalid"),
        (#"{"id":7,"name":"e","time":1,"mono":1}"#, "unexpected_type"),
        (#"{"name":"e","name":"f"}"#, "member_duplicate"),
        (#"{"name":7}"#, "unexpected_type"),
        (#"{"time":1.5}"#, "member_invalid"),
        (#"{"time":9223372036854775808}"#, "member_invalid"),
        (#"{"mono":"1"}"#, "unexpected_type"),
        (#"{"attributes":[]}"#, "unexpected_type"),
        (#"{"attributes":{"a":[null]}}"#, "unexpected_type"),
        (#"{"items":{}}"#, "unexpected_type"),
        (#"{"items":[{}]}"#, "member_missing"),
        (#"{"items":[7]}"#, "unexpected_type"),
    ])
    func `an event with an invalid, missing or duplicate member is rejected`(_ json: String, _ code: String) {
        let error = #expect(throws: JSONError.self) { try Event(json: Array(json.utf8)) }
        #expect(error?.code.rawValue == code)
    }

    static func event(attributes: String) -> [UInt8] {
        Array(
            #"{"id":"0190a5d0-ac96-774b-bcce-b302099a8057","name":"e","time":1,"mono":1,"attributes":\#(attributes)}"#
                .utf8
        )
    }
}
