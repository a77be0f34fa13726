// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Merges on the command line")
struct MergeTextTests {
    private static func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

    @Test(arguments: [
        ("merged", "Nothing was changed. To merge the users, add --yes."),
        ("repeated", "old is already counted as last."),
        ("conflict", "To undo that merge first: trackway users unmerge old --yes"),
        ("cycle", "new is already counted as old, so merging them in this direction would form a cycle."),
    ])
    func `a preview shows the outcome`(_ outcome: String, _ last: String) throws {
        let preview = try Self.json(
            #"{"user":"old","into":"new","outcome":"\#(outcome)","person":"last","merged":["older"],"events":1204}"#
        )
        let lines = MergeText.preview(preview)
        #expect(lines.last == last)
        guard outcome == "merged" else { return }
        #expect(lines.first == "old would be counted as last, with 1,204 events.")
        #expect(lines.contains("  older is counted as old, and would be, too"))
        #expect(MergeText.merged(preview).first == "old is now counted as last, with 1,204 events.")
    }

    @Test
    func `a profile lists statements with their source, and warns of those without an effect`() throws {
        let person = try Self.json(
            """
            {"id":"b","merges":[{"user":"a","into":"b","time":1,"outcome":"merged","by":"operator","key":"support","received":1},\
            {"user":"a","into":"c","time":2,"outcome":"conflict","by":"app","key":"shop","received":2,"installation":"i-1"},\
            {"user":"b","into":"a","time":3,"outcome":"cycle","by":"app","key":"shop","received":3,"installation":"i-1"},\
            {"user":"d","into":"a","time":4,"outcome":"overruled","by":"app","key":"shop","received":4,"installation":"i-1"}]}
            """
        )
        #expect(
            MergeText.statements(person) { _ in "now" } == [
                "", "Merges", "  now  a counted as b, by an operator (key support)",
                "  now  warning: a to c ignored, by the app on i-1: a was already merged",
                "  now  warning: b to a ignored, by the app on i-1: it would form a cycle",
                "  now  warning: d to a ignored, by the app on i-1: an operator undid a merge of d",
            ]
        )
        #expect(
            MergeText.undoPreview("a", person).first
                == "a is counted as b: a counted as b, by an operator (key support)."
        )
        #expect(MergeText.undoPreview("b", person) == ["b is not merged into another user."])
    }

    @Test
    func `terminal control characters in an id are not printed`() throws {
        let preview = try Self.json(#"{"user":"a\u001b[2J","into":"b","outcome":"merged","person":"b","events":1}"#)
        #expect(!MergeText.preview(preview).joined().contains("\u{1b}"))
    }

    @Test(arguments: [["a", "a"], ["", "b"], ["a", ""], ["a"]])
    func `a merge needs two different users`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try UsersMergeCommand.parse(arguments) }
    }
}
