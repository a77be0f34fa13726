// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Creates a board.
struct BoardsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Create a board.",
        discussion: """
            Write a card as title=kind?parameters. Documentation/Queries.md lists the
            query parameters.
            Kinds: \(BoardCard.Kind.allCases.map(\.rawValue).joined(separator: ", ")).

            EXAMPLES
              # Create a board with two cards.
              trackway boards add 'Shop' \\
                --card 'Revenue=trends?name=purchase&measure=sum:total&last=30d' \\
                --card 'Live=live'
              # Copy a built-in board.
              trackway boards show first-look --json > board.json
              trackway boards add 'My first look' --file board.json
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Title.")
    var title: String

    @Option(parsing: .singleValue, help: "Card as title=kind?parameters. May be given up to 50 times.")
    var card: [String] = []

    @Option(help: "JSON file of a board to copy the cards from; “-” for standard input.")
    var file: String?

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Checks the combination of options.
    func validate() throws {
        guard file == nil || card.isEmpty else { throw ValidationError("choose --card or --file") }
        for text in card where Self.card(text) == nil {
            throw ValidationError("--card “\(text)”: write title=kind?parameters, such as Live=live")
        }
    }

    /// Creates the board and prints its id and address.
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

    /// Parses a card; returns nil if the text is invalid.
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

    /// Percent-encodes spaces, control characters, `#`, and non-ASCII characters.
    static func escaped(_ text: Substring) -> String {
        text.utf8.reduce(into: "") { result, byte in
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "#")
            result += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }

    /// Reads the cards from a file that contains a board as JSON.
    private static func cards(ofFile path: String) throws(CommandFailure) -> [JSONValue] {
        let bytes = try InputFile.bytes(path)
        do {
            let value = try JSONValue.parse(bytes, limits: JSONLimits(bytes: BoardLimits.bytes))
            guard let cards = value["cards"]?.array else {
                throw CommandFailure(
                    .usage,
                    "\(path) has no member “cards”",
                    remedy: "`trackway boards show ID --json` prints a board"
                )
            }
            return cards
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure(
                .usage,
                "\(path) is not JSON: \(error)",
                remedy: "`trackway boards show ID --json` prints a board"
            )
        }
    }
}

/// Deletes a board.
struct BoardsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a board and its links.",
        discussion: """
            EXAMPLES
              # Delete the board with this id.
              trackway boards delete 7kd2mq8xwe
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Board id.")
    var id: String

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Deletes the current version of the board.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let path = "/v1/boards/" + CollectorAddress.escape(id)
        let version = try await client.get(path)["version"]?.integer ?? 1
        let answer = try await client.send("DELETE", path, query: [("version", String(version))])
        if json { return Console.standard.write(json: answer) }
        Console.standard.write("deleted: \(EventLineFormat.plain(id))")
    }
}

/// Creates a link that shows a board without a key, or revokes links.
struct BoardsLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Create a read-only link to a board, or revoke its links.",
        discussion: """
            Anyone with the link can read the board and the results of its cards, but
            nothing else. The link is printed only once. Requires a key with write and
            read scope: trackway keys create support --scope write --scope read

            EXAMPLES
              # Create a link that expires after 30 days.
              trackway boards link 7kd2mq8xwe --expires-in 30d --key tw_…
              # Revoke all links to the board.
              trackway boards link 7kd2mq8xwe --revoke --key tw_…
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Board id.")
    var id: String

    @Option(help: "Lifetime of the link, such as 12h or 30d. Default: unlimited.")
    var expiresIn: String?

    @Flag(help: "Revoke all links to the board instead of creating one.")
    var revoke = false

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Checks the combination of options.
    func validate() throws {
        guard !revoke || expiresIn == nil else { throw ValidationError("choose --revoke or --expires-in") }
    }

    /// Creates a link or revokes all links, and prints the result.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let path = "/v1/boards/" + CollectorAddress.escape(id) + "/links"
        let query = expiresIn.map { [(name: "expires_in", value: $0)] } ?? []
        let answer = try await client.send(revoke ? "DELETE" : "POST", path, query: query)
        if json { return Console.standard.write(json: answer) }
        Console.standard.write(
            revoke
                ? "revoked: \(ResultTable.number(answer["revoked"]))"
                : client.address.root + (answer["path"]?.string ?? "")
        )
    }
}
