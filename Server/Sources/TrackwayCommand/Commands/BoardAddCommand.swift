// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import Foundation
internal import TrackwayEvents

/// Makes a board.
struct BoardAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make a board.",
        discussion: """
            A card is written as its title, =, its kind, and the parameters of its
            question behind a question mark, as Documentation/Queries.md has them.
            Kinds: \(BoardCard.Kind.allCases.map(\.rawValue).joined(separator: ", ")).

            EXAMPLES
              trackway board add 'Shop' \\
                --card 'Revenue=trends?name=purchase&measure=sum:total&last=30d' \\
                --card 'Live=live'
              trackway board show first-look --json > board.json
              trackway board add 'My first look' --file board.json
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "What it is called.")
    var title: String

    @Option(parsing: .singleValue, help: "A card: title=kind?parameters; up to 50 times.")
    var card: [String] = []

    @Option(help: "A file with a board as JSON, whose cards are taken; “-” for standard input.")
    var file: String?

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Sees that the options fit together.
    func validate() throws {
        guard file == nil || card.isEmpty else { throw ValidationError("choose --card or --file") }
        for text in card where Self.card(text) == nil {
            throw ValidationError("--card “\(text)”: write title=kind?parameters, such as Live=live")
        }
    }

    /// Sends it.
    func run() async throws {
        let cards =
            try file.map { path throws(CommandFailure) in try Self.cards(ofFile: path) } ?? card.compactMap(Self.card)
        let draft = JSONValue.members(("title", .string(title)), ("cards", .array(cards)))
        let client = CollectorClient(try collector.address())
        let board = try await client.send("POST", "/v1/boards", body: draft)
        if json { return Console.standard.write(json: board) }
        let id = board["id"]?.string ?? ""
        Console.standard.write(["\(id)", "\(client.address.root)/?boards=\(id)"])
    }

    /// A card as it is written on a command line; nil for what is none.
    static func card(_ text: String) -> JSONValue? {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let question = parts[1].split(separator: "?", maxSplits: 1)
        guard let kind = question.first else { return nil }
        let isWide = ["live", "retention", "paths", "catalogue"].contains(kind)
        return .members(
            ("title", .string(String(parts[0]))),
            ("kind", .string(String(kind))),
            ("size", .string(isWide ? "full" : "half")),
            ("query", .string(question.count > 1 ? escaped(question[1]) : ""))
        )
    }

    /// What cannot stand in an address as it is: spaces, and letters that are not ASCII.
    static func escaped(_ text: Substring) -> String {
        text.utf8.reduce(into: "") { result, byte in
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "#")
            result += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }

    /// The cards of a board that was printed.
    private static func cards(ofFile path: String) throws(CommandFailure) -> [JSONValue] {
        let bytes = try InputFile.bytes(path)
        do {
            let value = try JSONValue.parse(bytes, limits: JSONLimits(bytes: BoardLimits.bytes))
            guard let cards = value["cards"]?.array else {
                throw CommandFailure(
                    .usage,
                    "\(path) has no “cards”",
                    remedy: "`trackway board show ID --json` prints a board"
                )
            }
            return cards
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure(
                .usage,
                "\(path) is not JSON: \(error)",
                remedy: "`trackway board show ID --json` prints a board"
            )
        }
    }
}

/// Deletes a board.
struct BoardDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a board and its links.",
        discussion: """
            EXAMPLES
              trackway board delete 7kd2mq8xwe
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "The board's id.")
    var id: String

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Asks which version there is, and deletes that.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let path = "/v1/boards/" + CollectorAddress.escape(id)
        let version = try await client.get(path)["version"]?.integer ?? 1
        let answer = try await client.send("DELETE", path, query: [("version", String(version))])
        if json { return Console.standard.write(json: answer) }
        Console.standard.write("deleted: \(EventLineFormat.plain(id))")
    }
}

/// Makes a link by which a board is read without a key, or revokes those there are.
struct BoardLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Make a read-only link to a board, or revoke its links.",
        discussion: """
            Whoever has the link sees the board and its cards' answers, and nothing
            else. It is printed this once. It takes a key that may both write and read:
            trackway keys create support --scope write --scope read

            EXAMPLES
              trackway board link 7kd2mq8xwe --expires-in 30d --key tw_…
              trackway board link 7kd2mq8xwe --revoke --key tw_…
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "The board's id.")
    var id: String

    @Option(help: "How long it is good for, such as 12h or 30d. Default: for ever.")
    var expiresIn: String?

    @Flag(help: "Revoke all links to the board instead of making one.")
    var revoke = false

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Sees that the options fit together.
    func validate() throws {
        guard !revoke || expiresIn == nil else { throw ValidationError("choose --revoke or --expires-in") }
    }

    /// Asks and prints.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let path = "/v1/boards/" + CollectorAddress.escape(id) + "/links"
        let query = expiresIn.map { [(name: "expires_in", value: $0)] } ?? []
        let answer = try await client.send(revoke ? "DELETE" : "POST", path, query: query)
        if json { return Console.standard.write(json: answer) }
        Console.standard.write(
            revoke
                ? "revoked: \(AnswerTable.number(answer["revoked"]))"
                : client.address.root + (answer["path"]?.string ?? "")
        )
    }
}
