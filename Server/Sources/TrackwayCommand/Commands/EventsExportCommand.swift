// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Exports stored events for other programs.
struct EventsExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export all matching events as NDJSON or CSV.",
        discussion: """
            Writes events in order of arrival, each once. With --output, the file gets its
            name when it is complete, and standard output gets the cursor for --since of
            the next export, which then continues after the last event. Without it, the
            cursor is printed on standard error.

            NDJSON has one event per line, as the collector stores it. CSV has one column
            for each attribute and member of the context.

            EXAMPLES
              # Export everything, and later only what is new.
              trackway events export --output all.ndjson > cursor
              trackway events export --output new.ndjson --since $(cat cursor)
              # Export purchases of November as a table.
              trackway events export --format csv --name purchase \\
                --from 2026-11-01 --to 2026-12-01 --output purchases.csv
            """
    )

    @OptionGroup var collector: CollectorOptions
    @OptionGroup var filter: FilterOptions

    @Option(help: "Format: ndjson or csv.")
    var format = ExportFormat.ndjson

    @Option(help: "The earliest time of an event, inclusive.")
    var from: String?

    @Option(help: "The latest time of an event, exclusive.")
    var to: String?

    @Option(
        name: .customLong("where"),
        parsing: .singleValue,
        help: "Condition for events, such as total>=100. May be repeated."
    )
    var conditions: [String] = []

    @Option(help: "Cursor of an earlier export; only events that arrived after it.")
    var since: String?

    @Option(help: "File to create. Default: standard output.")
    var output: String?

    /// Checks the option values.
    func validate() throws {
        if let since, EventPosition(since) == nil {
            throw ValidationError("“\(since)” is not a cursor; pass one that an export printed, such as 5.88213.0")
        }
        if output?.isEmpty == true { throw ValidationError("--output takes the path of a new file") }
    }

    /// Exports the events and prints the cursor.
    func run() async throws {
        let now = SystemClock().now().wall
        var query = filter.query + conditions.map { ("where", $0) }
        if let from { query.append(("from", String(try PointInTime(from, now: now).timestamp.milliseconds))) }
        if let to { query.append(("to", String(try PointInTime(to, now: now).timestamp.milliseconds))) }
        let start = since.flatMap { EventPosition($0) } ?? .start
        let file = try output.map { path throws(CommandFailure) in try PartialFile(path) }
        do {
            let export = try await EventExport(CollectorClient(try collector.address()), query: query, since: start)
            let (count, cursor) = try await write(export, to: file)
            try file?.finish()
            Console.standard.redraw("")
            Console.standard.note("Exported \(count.grouped) event\(count == 1 ? "" : "s"). Cursor: \(cursor)")
            if file != nil { Console.standard.write(cursor.description) }
        } catch {
            Console.standard.redraw("")
            file?.discard()
            throw error
        }
    }

    private func write(
        _ export: EventExport,
        to file: PartialFile?
    ) async throws -> (count: Int, cursor: EventPosition) {
        var table = EventTable()
        if format == .csv {
            var count = 0
            _ = try await export.read { events in
                for event in events { table.addColumns(of: event) }
                count += events.count
                Console.standard.redraw("Finding columns: \(count.grouped) events")
            }
            try Self.write([table.headingLine()], to: file)
        }
        var count = 0
        let cursor = try await export.read { [table] events in
            switch format {
            case .ndjson:
                if let file {
                    try file.write(events.flatMap { $0.json() + [UInt8(ascii: "\n")] })
                } else {
                    Console.standard.write(json: events)
                }
            case .csv: try Self.write(events.map { table.line($0) }, to: file)
            }
            count += events.count
            // Without a file, the events themselves show the progress.
            if file != nil { Console.standard.redraw("Exported \(count.grouped) events") }
        }
        return (count, cursor)
    }

    private static func write(_ lines: [String], to file: PartialFile?) throws(CommandFailure) {
        if let file {
            try file.write(lines.flatMap { Array(($0 + "\r\n").utf8) })
        } else {
            Console.standard.write(csv: lines)
        }
    }
}

/// A format of an export.
enum ExportFormat: String, ExpressibleByArgument, CaseIterable {
    case ndjson
    case csv
}
