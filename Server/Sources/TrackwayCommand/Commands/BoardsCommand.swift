// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayEvents

/// Lists the boards.
struct BoardsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boards",
        abstract: "List the boards: saved questions.",
        discussion: """
            EXAMPLES
              trackway boards
              trackway board show first-look
              trackway board add 'Shop' \\
                --card 'Revenue=trends?name=purchase&measure=sum:total&last=30d'
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Asks and prints.
    func run() async throws {
        let answer = try await CollectorClient(try collector.address()).get("/v1/boards")
        if json { return Console.standard.write(json: answer) }
        Console.standard.write(Self.table(answer).lines(style: Console.standard.style))
    }

    /// A row for each board.
    static func table(_ answer: JSONValue) -> AnswerTable {
        var table = AnswerTable(heading: "Boards")
        table.columns = [("id", .left), ("title", .left), ("cards", .right), ("version", .right)]
        for board in answer["ready_made"]?.array ?? [] {
            table.rows.append([board["id"]?.string ?? "", title(board), "", "ready-made"])
        }
        for board in answer["boards"]?.array ?? [] {
            let numbers = ["cards", "version"].map { AnswerTable.number(board[$0]) }
            table.rows.append([board["id"]?.string ?? "", title(board)] + numbers)
        }
        return table
    }

    private static func title(_ board: JSONValue) -> String {
        AnswerTable.name(board["title"]?.string ?? "", longest: 48)
    }
}

/// Shows and changes one board.
struct BoardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "board",
        abstract: "Show a board's answers, make or delete one, or make a link to it.",
        subcommands: [
            BoardShowCommand.self, BoardAddCommand.self, BoardDeleteCommand.self, BoardLinkCommand.self,
        ]
    )
}
