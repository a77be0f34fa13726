// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayCore

/// Shows the results of a board's cards.
struct BoardsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a board's cards and their results.",
        discussion: """
            EXAMPLES
              # Show a built-in board.
              trackway boards show first-look
              # Show the last 7 days on every card.
              trackway boards show 7kd2mq8xwe --last 7d
              # Print the board itself, for `trackway boards add --file`.
              trackway boards show first-look --json
            """
    )

    /// The maximum number of attempts per card while the collector is busy.
    private static let attempts = 30

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Board id, as shown by `trackway boards`.")
    var id: String

    @Option(help: "Time range for all cards, such as 24h, 7d, or 90d. Default: each card's own.")
    var last: String?

    @Flag(help: "Print the board as the collector's JSON, without results.")
    var json = false

    /// Queries the collector and prints the results.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let path = "/v1/boards/" + CollectorAddress.escape(id)
        let board = try await client.get(path)
        if json { return Console.standard.write(json: board) }
        let style = Console.standard.style
        Console.standard.write(style.bold(EventLineFormat.plain(board["title"]?.string ?? "")))
        for card in board["cards"]?.array ?? [] {
            let answer: JSONValue
            let heading = "── " + EventLineFormat.plain(card["title"]?.string ?? "")
            Console.standard.write(["", style.bold(heading)])
            do throws(CommandFailure) {
                answer = try await self.answer(card, path, client)
            } catch {
                // An error in one card must not prevent the other cards from being shown.
                guard error.status == .usage || error.status == .negative else { throw error }
                Console.standard.write("\(error.message)")
                continue
            }
            Console.standard.write(BoardText(style: style).lines(card, answer))
        }
    }

    private func answer(
        _ card: JSONValue,
        _ path: String,
        _ client: CollectorClient
    ) async throws(CommandFailure) -> JSONValue {
        let kind = card["kind"]?.string ?? ""
        let hasTime = !["catalogue", "ledger", "live"].contains(kind)
        let own = card["query"]?.string ?? ""
        var query = hasTime ? last.map { [(name: "last", value: $0)] } ?? [] : []
        if hasTime || kind == "catalogue", !own.contains("zone=") { query.append(("zone", SystemZones.current)) }
        for attempt in 1... {
            do throws(CommandFailure) {
                return try await client.get(path + "/cards/\(card["id"]?.string ?? "")", query: query)
            } catch {
                guard error.status == .temporary, attempt < Self.attempts else { throw error }
                do {
                    try await Task.sleep(for: .seconds(1))
                } catch {
                    throw CommandFailure(.temporary, "the wait for the collector was interrupted")
                }
            }
        }
        return .null
    }
}

/// Formats the result of a card.
struct BoardText: Sendable {
    /// The text style.
    var style: Style

    /// Returns the lines for a card's result.
    func lines(_ card: JSONValue, _ answer: JSONValue) -> [String] {
        let zone = TimeZone(identifier: answer["zone"]?.string ?? SystemZones.current) ?? .gmt
        let dates = DateLabels(style: style, zone: zone)
        switch card["kind"]?.string {
        case "trends":
            let query = (card["query"]?.string ?? "").split(separator: "&").map(String.init)
            func all(_ name: String) -> [String] {
                query.filter { $0.hasPrefix(name + "=") }
                    .map { $0.dropFirst(name.count + 1) }.map { $0.removingPercentEncoding ?? String($0) }
            }
            return TrendText(style: style, zone: zone)
                .lines(CollectorTrend(answer), of: all("name"), measure: all("measure").last ?? "events")
        case "funnels": return FunnelCommand.table(answer, dates).lines(style: style)
        case "retention": return RetentionCommand.table(answer, dates).lines(style: style)
        case "lifecycle": return LifecycleCommand.table(answer, dates).lines(style: style)
        case "stickiness": return StickinessCommand.table(answer).lines(style: style)
        case "paths": return PathsCommand.table(answer).lines(style: style)
        case "catalogue": return Self.catalog(answer).lines(style: style)
        case "failed": return Self.failed(answer).lines(style: style)
        case "ledger": return Self.ledger(answer)
        case "live": return [Self.live(answer)]
        default: return [String(decoding: answer.json(), as: UTF8.self)]
        }
    }

    private static func catalog(_ answer: JSONValue) -> ResultTable {
        var table = ResultTable(heading: "Events")
        table.columns = [("event", .left), ("events", .right), ("today", .right), ("30 days", .right)]
        for entry in answer["events"]?.array ?? [] {
            let numbers = ["events", "today", "days_30"].map { ResultTable.number(entry[$0]) }
            table.rows.append([ResultTable.name(entry["name"]?.string ?? "", longest: 40)] + numbers)
        }
        return table
    }

    private static func failed(_ answer: JSONValue) -> ResultTable {
        var table = ResultTable(heading: "\((answer["count"]?.integer ?? 0).grouped) rejected")
        table.columns = [("code", .left), ("field", .left), ("event", .left), ("events", .right)]
        table.nothing = "No events were rejected in this period."
        for group in answer["groups"]?.array ?? [] {
            let texts = ["code", "field", "name"].map { ResultTable.name(group[$0]?.string ?? "–") }
            table.rows.append(texts + [ResultTable.number(group["count"])])
        }
        return table
    }

    private static func ledger(_ answer: JSONValue) -> [String] {
        func number(_ name: String) -> String { ResultTable.number(answer[name]) }
        let dropped = (answer["dropped"]?.object?.members ?? []).reduce(0) { $0 + ($1.value.integer ?? 0) }
        return [
            "\(number("recorded")) recorded, \(number("received")) received, \(number("missing")) missing",
            "\(number("waiting")) pending, \(dropped.grouped) dropped by devices, \(number("rejected")) rejected",
        ]
    }

    private static func live(_ answer: JSONValue) -> String {
        let minutes = answer["minutes"]?.array ?? []
        let sum = minutes.reduce(Int64(0)) { $0 + ($1.array?.dropFirst().first?.integer ?? 0) }
        return "\(sum.grouped) events arrived"
    }
}
