// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Erasures on the command line")
struct ErasureTextTests {
    private static func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

    private static let receipt = """
        {"erasure":"1764500000000-e95a377db3c8","subject":"user","requested":1764500000000,"by":"operator",\
        "key":"officer","completed":1764500060000,"installations":1,"shared_installations":2,\
        "log":{"before":"9.4096","records":1204,"events":6,"shared_events":3,"rejected":1,"uninspected":0},\
        "index":{"events":1}}
        """

    private static let pending = """
        {"erasure":"1764500000001-0123456789ab","subject":"installation","requested":1764500000001,\
        "by":"installation","key":"shop","completed":null,"log":{"records":0,"events":12345}}
        """

    @Test
    func `a preview lists installations, and states that nothing was changed`() throws {
        let preview = try Self.json(
            """
            {"user":"anna","events":1207,"installations":[\
            {"installation":"0199a1b2-0000-7000-8000-000000000001","shared":false,"events":1203},\
            {"installation":"0199a1b2-0000-7000-8000-000000000002","shared":true,"events":1}],\
            "events_without_installation":3}
            """
        )
        #expect(
            ErasureText.preview(preview) == [
                "Erasing anna would remove 1,207 events.",
                "  installation 0199a1b2-0000-7000-8000-000000000001: 1,203 events, erased completely",
                "  installation 0199a1b2-0000-7000-8000-000000000002: 1 event, shared with other users",
                "  without an installation: 3 events",
                "Nothing was changed. To erase this data permanently, add --yes.",
            ]
        )
    }

    @Test
    func `a preview without installations has no list`() throws {
        let preview = try Self.json(#"{"user":"anna","events":0,"installations":[],"events_without_installation":0}"#)
        #expect(
            ErasureText.preview(preview) == [
                "Erasing anna would remove 0 events.",
                "Nothing was changed. To erase this data permanently, add --yes.",
            ]
        )
    }

    @Test
    func `a complete erasure states what was removed, and how to keep the receipt`() throws {
        #expect(
            ErasureText.erasure(try Self.json(Self.receipt)) == [
                "Erased 6 events and 1 rejected event in 1,204 records of the log.",
                "Removed 1 event from the index.",
                "Installations: 1 erased, 2 shared with other users.",
                "Receipt: trackway erasures show 1764500000000-e95a377db3c8 > receipt.json",
            ]
        )
    }

    @Test
    func `records that could not be inspected are mentioned`() throws {
        let text = Self.receipt.replacing(#""uninspected":0"#, with: #""uninspected":2"#)
        let lines = ErasureText.erasure(try Self.json(text))
        #expect(lines.count == 5 && lines[3] == "Not inspected, because they cannot be read: 2 records.")
    }

    @Test(arguments: [pending, #"{"erasure":"1764500000001-0123456789ab"}"#])
    func `a pending erasure states how to show its progress`(_ text: String) throws {
        #expect(
            ErasureText.erasure(try Self.json(text)) == [
                "The request is stored. New events are refused from now on; stored ones are still being removed.",
                "Show the progress: trackway erasures show 1764500000001-0123456789ab",
            ]
        )
    }

    @Test
    func `a list shows pending erasures first, and the current problem last`() throws {
        let list = try Self.json(
            #"{"pending":[\#(Self.pending)],"erasures":[\#(Self.receipt)],"problem":"The disk is full."}"#
        )
        let lines = ErasureText.list(list, style: Style(isColored: false))
        #expect(lines.count == 4)
        // Times are shown in the time zone of this machine.
        let zoned = lines.map { $0.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/) { _ in "2025-11-30 10:53:20" } }
        #expect(
            zoned == [
                "ERASURE                     SUBJECT       REQUESTED            BY            STATE     EVENTS",
                "1764500000001-0123456789ab  installation  2025-11-30 10:53:20  installation  pending   12,345",
                "1764500000000-e95a377db3c8  user          2025-11-30 10:53:20  operator      complete       6",
                "The disk is full.",
            ]
        )
        let empty = try Self.json(#"{"pending":[],"erasures":[]}"#)
        #expect(ErasureText.list(empty, style: Style(isColored: false)) == ["No erasures."])
    }

    @Test
    func `a problem is shown even if nothing is listed`() throws {
        let list = try Self.json(#"{"pending":[],"erasures":[],"problem":"The disk is full."}"#)
        #expect(ErasureText.list(list, style: Style(isColored: false)).contains("The disk is full."))
    }

    @Test
    func `text from a collector cannot control the terminal`() throws {
        let list = try Self.json(#"{"pending":[],"erasures":[{"erasure":"a\u001b[31m","completed":1}]}"#)
        #expect(ErasureText.list(list, style: Style(isColored: false)).allSatisfy { !$0.contains("\u{1b}") })
        let preview = try Self.json(#"{"user":"anna\u001b[31m","events":0}"#)
        #expect(ErasureText.preview(preview).map(TerminalText.escaped).allSatisfy { !$0.contains("\u{1b}") })
    }

    @Test(arguments: [
        ["users", "erase"], ["users", "erase", ""], ["users", "erase", "anna", "--wait", "0"],
        ["users", "erase", "anna", "--wait", "86401"], ["erasures", "list", "--limit", "0"],
        ["erasures", "--limit", "1001"], ["erasures", "show"], ["erasures", "verify"],
    ])
    func `invalid arguments are rejected before any request`(_ words: [String]) {
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(words) }
    }
}
