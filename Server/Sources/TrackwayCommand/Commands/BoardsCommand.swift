// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCore

/// Lists, shows, and changes boards.
struct BoardsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boards",
        abstract: "List, show, and change boards (saved queries).",
        discussion: """
            Without a subcommand, lists boards with the options of `list`.

            EXAMPLES
              # List all boards.
              trackway boards
              # Show the results of a built-in board.
              trackway boards show first-look
              # Create a board.
              trackway boards add 'Shop' \\
                --card 'Revenue=trends?name=purchase&measure=sum:total&last=30d'
            """,
        subcommands: [
            BoardsListCommand.self, BoardsShowCommand.self, BoardsAddCommand.self, BoardsDeleteCommand.self,
            BoardsLinkCommand.self,
        ],
        defaultSubcommand: BoardsListCommand.self
    )
}

/// Lists the boards.
struct BoardsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List boards: their ids, titles, and numbers of cards."
    )

    @OptionGroup var collector: CollectorOptions

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Queries the collector and prints the result.
    func run() async throws {
        let answer = try await CollectorClient(try collector.address()).get("/v1/boards")
        if json { return Console.standard.write(json: answer) }
        Console.standard.write(Self.table(answer).lines(style: Console.standard.style))
    }

    /// Returns a table with a row for each board.
    static func table(_ answer: JSONValue) -> ResultTable {
        var table = ResultTable(heading: "Boards")
        table.columns = [("id", .left), ("title", .left), ("cards", .right), ("version", .right)]
        for board in answer["ready_made"]?.array ?? [] {
            table.rows.append([board["id"]?.string ?? "", title(board), "", "built-in"])
        }
        for board in answer["boards"]?.array ?? [] {
            let numbers = ["cards", "version"].map { ResultTable.number(board[$0]) }
            table.rows.append([board["id"]?.string ?? "", title(board)] + numbers)
        }
        return table
    }

    private static func title(_ board: JSONValue) -> String {
        ResultTable.name(board["title"]?.string ?? "", longest: 48)
    }
}
