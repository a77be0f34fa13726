// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable internal import CollectorSQLite

@Suite("Event names of a transaction, and their captured kinds")
struct EventNamesTests {
    @Test
    func `each name has one number, determined by its bytes alone, regardless of the number of names`() {
        let names = EventNames()
        // Two strings that look alike are two names.
        let texts = (0..<5_000).map { "name_\($0)" } + ["", "\u{e9}t\u{e9}", "e\u{301}te\u{301}", "Name_1"]
        let first = texts.map { names.name($0).number }
        #expect(first == Array(texts.indices))
        #expect(texts.map { names.name($0).number } == first)
        #expect(texts.allSatisfy { Array(names.name($0).text.utf8) == Array($0.utf8) })
    }

    @Test(arguments: ["_screen_view", "_click", "purchase", "_other"])
    func `the name determines the captured kind`(text: String) {
        #expect(EventNames().name(text).captured == CapturedKind(text))
    }

    @Test
    func `a name written with escapes is the same name, in counts and for captured events`() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...4)
        let context = #"{"context":{"session":{"id":"s","number":1,"start":1000}}}"#
        batch.lines = [
            context,
            line(1, "_screen_view", time: 1_000, attributes: #"{"_screen_name":"Home"}"#),
            line(2, #"\u005fscreen_view"#, time: 2_000, attributes: #"{"_screen_name":"Basket"}"#),
            line(3, "purchase", time: 3_000),
            line(4, #"p\u0075rchase"#, time: 4_000),
        ]
        try environment.append(batch)
        try await environment.index()
        let counts = try await environment.store.database.pool.read {
            try String.fetchAll($0, sql: "SELECT name || ' ' || events FROM names")
        }
        #expect(Set(counts) == ["_screen_view 2", "purchase 2"])
        let screens = try await environment.store.database.pool.read {
            try String.fetchAll($0, sql: "SELECT name FROM screens ORDER BY time")
        }
        #expect(screens == ["Home", "Basket"])
    }
}
