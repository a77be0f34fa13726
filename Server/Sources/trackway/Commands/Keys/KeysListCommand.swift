// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// Lists the keys by name.
struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys by name; the keys themselves are not known any more."
    )

    @OptionGroup var data: DataOptions

    @Flag(help: "Print JSON, one key a line.")
    var json = false

    /// Reads and prints.
    func run() async throws {
        let records = try data.keyFile().records
        if json {
            Console.standard.write(records.map { String(decoding: Self.value($0).json(), as: UTF8.self) })
            return
        }
        guard !records.isEmpty else {
            Console.standard.note("No keys in \(data.folder.keys). Make one with: trackway keys create NAME")
            return
        }
        let format = EventLineFormat(style: Console.standard.style)
        var table = Table([("name", .left), ("allows", .left), ("made", .left), ("lets in", .left), ("limits", .left)])
        for record in records {
            table.append([
                record.name, Self.scopes(record).joined(separator: ", "), format.date(record.created),
                record.accounts.map(\.description).joined(separator: ", "), Self.limits(record),
            ])
        }
        Console.standard.write(table.lines(style: Console.standard.style))
    }

    private static func scopes(_ record: KeyRecord) -> [String] { record.scopes.map(\.rawValue).sorted(by: >) }

    private static func limits(_ record: KeyRecord) -> String {
        let rate = record.limits.requestsPerSecond.map { "\($0) requests a second" }
        let daily = record.limits.eventsPerDay.map { "\($0) events a day" }
        return [rate, daily].compactMap { $0 }.joined(separator: ", ")
    }

    private static func value(_ record: KeyRecord) -> JSONValue {
        .members(
            ("name", .string(record.name)),
            ("scopes", .array(scopes(record).map { .string($0) })),
            ("created", .integer(record.created.milliseconds)),
            ("accounts", .array(record.accounts.map { .string($0.description) })),
            ("requests_per_second", record.limits.requestsPerSecond.map { .integer(Int64($0)) } ?? .null),
            ("events_per_day", record.limits.eventsPerDay.map { .integer(Int64($0)) } ?? .null)
        )
    }
}
