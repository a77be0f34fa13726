// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Imports events from a file.
struct EventsImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import events from an NDJSON or CSV file.",
        discussion: """
            Events keep their ids and times, so importing a file twice changes nothing.
            Events without an id get one from their content and the number of equal lines
            before. The whole file is checked first: if a line is invalid, nothing is
            imported.

            A CSV file begins with the names of its columns. Columns named like those of
            an export need no --map. Fields are id, name, time, user, installation, items,
            attributes.NAME, and context.PATH; name and time are required.

            EXAMPLES
              # Import an export into another collector.
              trackway events import all.ndjson --url https://new.example.org
              # Import a table of orders as purchases.
              trackway events import orders.csv --name purchase --map created=time \\
                --map order=id --map customer=user --map sum=attributes.total
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "File whose name ends with .csv, or with NDJSON.")
    var file: String

    @Option(
        name: .customLong("map"),
        parsing: .singleValue,
        help: "Field of a CSV column, as column=field. May be repeated."
    )
    var mapping: [String] = []

    @Option(help: "Name of events in a CSV file without a column for it.")
    var name: String?

    @Option(help: "First line to import, as printed by an interrupted import.")
    var fromLine = 1

    @Flag(help: "Check the file without importing it.")
    var dryRun = false

    /// Checks the option values.
    func validate() throws {
        guard fromLine >= 1 else { throw ValidationError("--from-line takes 1 or more") }
        guard file != "-" else { throw ValidationError("the file is read twice, so it cannot be standard input") }
        guard isTable || (mapping.isEmpty && name == nil) else {
            throw ValidationError("--map and --name require a file whose name ends with .csv")
        }
    }

    private var isTable: Bool { file.lowercased().hasSuffix(".csv") }

    /// Checks the file, then sends its events.
    func run() async throws {
        let source = ImportFile(path: file, format: isTable ? .csv(mapping: mapping, name: name) : .ndjson)
        let transfer = EventImport(
            client: CollectorClient(try collector.address()),
            file: source,
            wait: CollectorHost.sleep
        )
        defer { Console.standard.redraw("") }
        let total = source.bytes
        let count = try await transfer.check(SystemClock().now().wall) { bytes in
            Self.show(bytes, total, "checking")
        }
        guard !dryRun else {
            Console.standard.redraw("")
            return Console.standard.write(
                "\(file): \(count.grouped) valid event\(count == 1 ? "" : "s"). Nothing was imported."
            )
        }
        let counts = try await transfer.send(from: fromLine) { bytes, counts in
            Self.show(bytes, total, "\(counts.accepted.grouped) imported")
        }
        Console.standard.redraw("")
        if !counts.ignored.isEmpty {
            Console.standard.note("Ignored columns: \(counts.ignored.prefix(20).joined(separator: ", "))")
        }
        Console.standard.write(
            "Imported \(counts.accepted.grouped) event\(counts.accepted == 1 ? "" : "s"). "
                + "Events that the collector already had are stored once."
        )
        guard counts.rejected == 0 else {
            throw CommandFailure(
                .negative,
                (["the collector rejected \(counts.rejected.grouped) event\(counts.rejected == 1 ? "" : "s"):"]
                    + counts.reasons).joined(separator: "\n"),
                remedy: "rejected events are listed by `trackway rejections`"
            )
        }
    }

    private static func show(_ bytes: UInt64, _ total: UInt64?, _ note: String) {
        let bar = ProgressBar(done: bytes, total: total, note: note)
        Console.standard.redraw(bar.line(width: Console.standard.width))
    }
}
