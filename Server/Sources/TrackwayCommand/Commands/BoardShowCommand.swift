// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayEvents

/// Shows a board: its cards, each with its answer.
struct BoardShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a board's cards and their answers.",
        discussion: """
            EXAMPLES
              trackway board show first-look
              trackway board show 7kd2mq8xwe --last 7d
              # The board itself, as `trackway board add --file` takes it.
              trackway board show first-look --json
            """
    )

    /// How often a card is asked again while the collector answers others.
    private static let attempts = 30

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "The board's id, as `trackway boards` shows it.")
    var id: String

    @Option(help: "Another time for all cards, such as 24h, 7d or 90d. Default: each card's own.")
    var last: String?

    @Flag(help: "Print the board as the collector's JSON, without answers.")
    var json = false

    /// Asks and prints.
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
                // One card that cannot be answered does not keep the others from it.
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

/// A card's answer as lines.
struct BoardText: Sendable {
    /// Colours.
    var style: Style

    /// The lines of a card.
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
        case "catalogue": return Self.catalogue(answer).lines(style: style)
        case "failed": return Self.failed(answer).lines(style: style)
        case "ledger": return Self.ledger(answer)
        case "live": return [Self.live(answer)]
        default: return [String(decoding: answer.json(), as: UTF8.self)]
        }
    }

    private static func catalogue(_ answer: JSONValue) -> AnswerTable {
        var table = AnswerTable(heading: "Events")
        table.columns = [("event", .left), ("events", .right), ("today", .right), ("30 days", .right)]
        for entry in answer["events"]?.array ?? [] {
            let numbers = ["events", "today", "days_30"].map { AnswerTable.number(entry[$0]) }
            table.rows.append([AnswerTable.name(entry["name"]?.string ?? "", longest: 40)] + numbers)
        }
        return table
    }

    private static func failed(_ answer: JSONValue) -> AnswerTable {
        var table = AnswerTable(heading: "\((answer["count"]?.integer ?? 0).grouped) refused")
        table.columns = [("code", .left), ("field", .left), ("event", .left), ("events", .right)]
        table.nothing = "Nothing was refused in this time."
        for group in answer["groups"]?.array ?? [] {
            let texts = ["code", "field", "name"].map { AnswerTable.name(group[$0]?.string ?? "–") }
            table.rows.append(texts + [AnswerTable.number(group["count"])])
        }
        return table
    }

    private static func ledger(_ answer: JSONValue) -> [String] {
        func number(_ name: String) -> String { AnswerTable.number(answer[name]) }
        let dropped = (answer["dropped"]?.object?.members ?? []).reduce(0) { $0 + ($1.value.integer ?? 0) }
        return [
            "\(number("recorded")) recorded, \(number("received")) received, \(number("missing")) missing",
            "\(number("waiting")) on the way, \(dropped.grouped) given up by devices, \(number("rejected")) refused",
        ]
    }

    private static func live(_ answer: JSONValue) -> String {
        let minutes = answer["minutes"]?.array ?? []
        let sum = minutes.reduce(Int64(0)) { $0 + ($1.array?.dropFirst().first?.integer ?? 0) }
        return "\(sum.grouped) events arrived"
    }
}
