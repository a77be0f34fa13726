// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing

@testable internal import Collector
@testable internal import TrackwayCommand

@Suite("Command words")
struct CommandWordsTests {
    @Test(
        "an unknown command exits with 64 and suggests the nearest",
        arguments: [
            (["serv"], "serve"), (["trend"], "trends"), (["evnts"], "events"), (["Trends"], "trends"),
            (["tial"], "tail"), (["help", "trnds"], "trends"), (["keys", "crate"], "create"),
            (["help", "keys", "revok"], "revoke"), (["alert", "verfy"], "verify"),
        ] as [([String], String)]
    )
    func suggestion(_ words: [String], _ suggestion: String) throws {
        let fault = try #require(CommandNameChecker.fault(in: words, of: RootCommand.self))
        #expect(fault.status == .usage)
        #expect(fault.message.contains("“\(words[words.count - 1])” is not a command of trackway"))
        #expect(fault.message.hasSuffix(" \(suggestion)`?"), "\(fault.message)")
    }

    @Test(
        "a word unlike any command is rejected without a suggestion",
        arguments: [["nonsense"], ["help", "nonsense"], ["x"], ["", "serve"], ["keys", "zzzzzz"]]
    )
    func unlike(_ words: [String]) throws {
        let fault = try #require(CommandNameChecker.fault(in: words, of: RootCommand.self))
        #expect(fault.status == .usage && !fault.message.contains("did you mean"))
        #expect(fault.remedy.contains("--help"))
    }

    @Test(
        "words that name commands, options and arguments are accepted",
        arguments: [
            [], ["serve"], ["help"], ["help", "serve"], ["help", "keys", "create"], ["--help"], ["--version"],
            ["version"], ["keys", "create", "shop"], ["trends", "purchase"], ["keys", "--help"], ["send", "serv"],
            ["engine", "check"], ["user", "help"],
        ]
    )
    func passes(_ words: [String]) {
        #expect(CommandNameChecker.fault(in: words, of: RootCommand.self) == nil)
    }

    @Test("an event without a name is rejected", arguments: [["send", ""], ["send", "", "a=1"]])
    func emptyName(_ words: [String]) {
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(words) }
        #expect(throws: CommandFailure.self) { try EventLine(Array(#"{"name":""}"#.utf8), number: 1) }
    }

    @Test("a missing key gives a negative status, and a name in use cannot be created")
    func keyStatuses() {
        #expect(CommandFailure(KeyFileError(code: .unknown, message: "no")).status == .negative)
        #expect(CommandFailure(KeyFileError(code: .nameTaken, message: "taken")).status == .cannotCreate)
        #expect(CommandFailure(KeyFileError(code: .nameInvalid, message: "bad")).status == .usage)
    }
}
