// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing

@testable internal import CollectorCore
@testable internal import TrackwayCommand

@Suite("Command words")
struct CommandWordsTests {
    @Test(
        arguments: [
            (["serv"], "serve"), (["trend"], "trends"), (["evnts"], "events"), (["Trends"], "trends"),
            (["tial"], "events tail"), (["help", "trnds"], "trends"), (["keys", "crate"], "keys create"),
            (["help", "keys", "revok"], "keys revoke"), (["alerts", "verfy"], "alerts verify"),
            (["catalogu"], "catalog"), (["inspct", "folder"], "journal inspect"), (["boards", "shw"], "boards show"),
        ] as [([String], String)]
    )
    func `an unknown command exits with 64 and suggests the nearest`(_ words: [String], _ suggestion: String) throws {
        let fault = try #require(CommandNameChecker.fault(in: words, of: RootCommand.self))
        #expect(fault.status == .usage)
        #expect(fault.message.contains("” is not a command of trackway"))
        #expect(fault.message.hasSuffix("; did you mean `trackway \(suggestion)`?"), "\(fault.message)")
    }

    @Test(
        arguments: [
            (["tail"], "trackway events tail"), (["tail", "--last", "20"], "trackway events tail"),
            (["event"], "trackway events show"), (["event", "0199a1b2"], "trackway events show"),
            (["user"], "trackway users show"), (["user", "user-42", "--follow"], "trackway users show"),
            (["board"], "trackway boards"), (["board", "show", "first-look"], "trackway boards show"),
            (["board", "add", "Shop"], "trackway boards add"), (["board", "delete", "x"], "trackway boards delete"),
            (["board", "link", "x"], "trackway boards link"),
            (["alert"], "trackway alerts"), (["alert", "add", "Title"], "trackway alerts add"),
            (["alert", "show", "x"], "trackway alerts show"), (["alert", "delete", "x"], "trackway alerts delete"),
            (["alert", "test", "x"], "trackway alerts test"), (["alert", "pause", "x"], "trackway alerts pause"),
            (["alert", "resume", "x"], "trackway alerts resume"), (["alert", "rotate", "x"], "trackway alerts rotate"),
            (["alert", "verify"], "trackway alerts verify"),
            (["failed"], "trackway rejections"), (["failed", "--last", "12h"], "trackway rejections"),
            (["failed", "groups"], "trackway rejections groups"),
            (["failed", "show", "1"], "trackway rejections show"),
            (["failed", "replay"], "trackway rejections replay"),
            (["policy"], "trackway sap-policy"), (["policy", "set", "shop"], "trackway sap-policy set"),
            (["policy", "list"], "trackway sap-policy list"),
            (["inspect"], "trackway journal inspect"), (["inspect", "folder"], "trackway journal inspect"),
            (["catalogue"], "trackway catalog"), (["catalogue", "purchase"], "trackway catalog"),
            (["help", "tail"], "trackway events tail"), (["help", "alert", "add"], "trackway alerts add"),
            (["engine"], "trackway-cluster cluster"), (["engine", "check"], "trackway-cluster cluster check"),
            (["engine", "--help"], "trackway-cluster cluster"),
            (["forward", "--until-caught-up"], "trackway-cluster cluster forward"),
        ] as [([String], String)]
    )
    func `a former name suggests the command line that replaces it`(_ words: [String], _ line: String) throws {
        let fault = try #require(CommandNameChecker.fault(in: words, of: RootCommand.self))
        let word = words.first { $0 != "help" } ?? ""
        #expect(fault.status == .usage)
        #expect(fault.message == "“\(word)” is not a command of trackway; did you mean `\(line)`?")
    }

    /// The commands of `trackway` that have subcommands, and those subcommands.
    private static let pairs = RootCommand.configuration.subcommands.flatMap { command in
        command.configuration.subcommands.map { (command: command._commandName, subcommand: $0._commandName) }
    }

    @Test
    func `a subcommand's name suggests every command that has it`() throws {
        #expect(Self.pairs.count > 30)
        for (command, subcommand) in Self.pairs {
            for words in [[subcommand], [subcommand, "--json"], ["help", subcommand]] {
                let fault = try #require(CommandNameChecker.fault(in: words, of: RootCommand.self), "\(words)")
                #expect(fault.status == .usage)
                #expect(fault.message.hasPrefix("“\(subcommand)” is not a command of trackway; did you mean `"))
                #expect(fault.message.contains("`trackway \(command) \(subcommand)`"), "\(fault.message)")
            }
        }
    }

    @Test
    func `a subcommand name shared by several commands suggests all of them`() throws {
        let two = try #require(CommandNameChecker.fault(in: ["delete"], of: RootCommand.self))
        #expect(two.message.hasSuffix("did you mean `trackway boards delete` or `trackway alerts delete`?"))
        let erase = try #require(CommandNameChecker.fault(in: ["erase", "0199a1b2"], of: RootCommand.self))
        #expect(erase.message.hasSuffix("did you mean `trackway users erase` or `trackway installations erase`?"))
        let many = try #require(CommandNameChecker.fault(in: ["show", "x"], of: RootCommand.self))
        let lines = ["events", "rejections", "plan", "users", "boards", "alerts"].map { "`trackway \($0) show`" }
        #expect(many.message.hasSuffix("did you mean \(lines.joined(separator: ", ")), or `trackway erasures show`?"))
    }

    @Test(arguments: [
        ["nonsense"], ["help", "nonsense"], ["x"], ["", "serve"], ["keys", "zzzzzz"], ["events", "zzzzzz"],
        ["help", "users", "zzzzzz"],
    ])
    func `a word unlike any command is rejected without a suggestion`(_ words: [String]) throws {
        let fault = try #require(CommandNameChecker.fault(in: words, of: RootCommand.self))
        #expect(fault.status == .usage && !fault.message.contains("did you mean"))
        #expect(fault.remedy.contains("--help"))
    }

    @Test(arguments: [
        [], ["serve"], ["help"], ["help", "serve"], ["help", "keys", "create"], ["--help"], ["--version"],
        ["version"], ["keys", "create", "shop"], ["trends", "purchase"], ["keys", "--help"], ["send", "serv"],
        ["cluster", "check"], ["users", "help"], ["users", "carl"], ["users", "show", "help"], ["events"],
        ["events", "--limit", "0"], ["events", "tail"], ["boards", "show", "first-look"],
        ["help", "users", "show"],
    ])
    func `words that name commands, options and arguments are accepted`(_ words: [String]) {
        #expect(CommandNameChecker.fault(in: words, of: RootCommand.self) == nil)
    }

    @Test
    func `without a subcommand, events, users, boards, alerts and rejections are listed`() throws {
        #expect(try RootCommand.parseAsRoot(["events", "--name", "show", "--limit", "5"]) is EventsListCommand)
        #expect(try RootCommand.parseAsRoot(["users", "carl", "--where", "plan=pro"]) is UsersListCommand)
        #expect(try RootCommand.parseAsRoot(["users", "list", "show"]) is UsersListCommand)
        #expect(try RootCommand.parseAsRoot(["boards", "--json"]) is BoardsListCommand)
        #expect(try RootCommand.parseAsRoot(["alerts"]) is AlertsListCommand)
        #expect(try RootCommand.parseAsRoot(["rejections", "--last", "12h"]) is RejectionsGroupsCommand)
    }

    @Test(arguments: [["send", ""], ["send", "", "a=1"]])
    func `an event without a name is rejected`(_ words: [String]) {
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(words) }
        #expect(throws: CommandFailure.self) { try EventLine(Array(#"{"name":""}"#.utf8), number: 1) }
    }

    @Test
    func `a missing key has the negative exit status, and a key name in use has the status for failed creation`() {
        #expect(CommandFailure(KeyFileError(code: .unknown, message: "no")).status == .negative)
        #expect(CommandFailure(KeyFileError(code: .nameTaken, message: "taken")).status == .cannotCreate)
        #expect(CommandFailure(KeyFileError(code: .nameInvalid, message: "bad")).status == .usage)
    }
}
