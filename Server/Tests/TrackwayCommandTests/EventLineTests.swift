// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Events as lines of NDJSON")
struct EventLineTests {
    @Test
    func `a line has a name, attributes and items`() throws {
        let text =
            #"{"name":"view","attributes":{"a":1,"none":null},"items":[{"id":"1","name":"N","attributes":{"b":true}}]}"#
        let line = try EventLine(Array(text.utf8), number: 1)
        #expect(line.name == "view")
        #expect(line.attributes == ["a": 1])
        #expect(line.items == [Item(id: "1", name: "N", ["b": true])])
        #expect(!line.hasOwnIdentity)
    }

    @Test
    func `events printed by the collector can be sent again, with a new identity`() throws {
        let text = #"{"position":"1.2.3","received":5,"event":{"id":"x","name":"view","time":1,"mono":2}}"#
        let line = try EventLine(Array(text.utf8), number: 1)
        #expect(line.name == "view")
        #expect(line.hasOwnIdentity)
    }

    @Test(arguments: [
        "", "x", "[]", "3", "{}", #"{"name":3}"#, #"{"name":"a","attributes":[]}"#, #"{"name":"a","items":{}}"#,
        #"{"name":"a","items":[{}]}"#, #"{"name":"a","total":3}"#, #"{"name":"a"} x"#,
    ])
    func `a line that is not an event is rejected with its number and a remedy`(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try EventLine(Array(text.utf8), number: 17) }
        #expect(failure?.status == .malformedInput)
        #expect(failure?.message.contains("line 17") == true)
        #expect(failure?.remedy.isEmpty == false)
    }
}
