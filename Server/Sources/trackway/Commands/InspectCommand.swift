// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayEvents
internal import TrackwayJournal

/// Looks into an app's journal without touching it.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Look into an app's journal without touching it.",
        discussion: """
            Shows what lies in a journal folder: the installation, its writers (one per process), their segments and
            records, how far each destination has come, and any damage. Nothing is written or locked, so an app may go
            on recording meanwhile. The folder is the one that holds `installation` and `writers`.

            EXAMPLES
              trackway inspect ~/.local/state/trackway/shopping
              trackway inspect FOLDER --records               every event that still lies there, in order
              trackway inspect FOLDER --records --json | jq .name
              trackway inspect FOLDER || echo damaged         exit status 1 when something is damaged
            """
    )

    @Argument(help: "The journal's folder.")
    var folder: String

    @Flag(help: "Print every record instead of the summary.")
    var records = false

    @Option(help: "Only this writer's records.")
    var writer: String?

    @Flag(help: "Print JSON: the report, or one event a line.")
    var json = false

    /// Sees that what must be an id is one.
    func validate() throws {
        if let writer, WriterID(writer) == nil {
            throw ValidationError(
                "“\(writer)” is not a writer's id: it has 36 characters, as `trackway inspect` shows them"
            )
        }
    }

    /// Reads and prints.
    func run() async throws {
        let path = URL(fileURLWithPath: folder).standardizedFileURL.path
        let inspector = JournalInspector(folder: path)
        let report: JournalReport
        do {
            report = try inspector.inspect()
        } catch {
            throw CommandFailure(error, path: path)
        }
        if records {
            try show(report, of: inspector, path: path)
        } else if json {
            Console.standard.write(bytes: JournalReportJSON.value(report).json())
        } else {
            Console.standard.write(JournalReportText(style: Console.standard.style).lines(report, path: path))
        }
        if report.isDamaged || report.writers.contains(where: { $0.problem != nil }) {
            throw ExitCode(CommandStatus.negative.rawValue)
        }
    }

    private func show(_ report: JournalReport, of inspector: JournalInspector, path: String) throws(CommandFailure) {
        let format = RecordLineFormat(style: Console.standard.style)
        for found in report.writers where writer.map({ WriterID($0) == found.id }) ?? true {
            if !json { Console.standard.write(Console.standard.style.faint("writer \(found.id)")) }
            do {
                try inspector.records(of: found.id) { entry, payload, route in
                    if !json {
                        Console.standard.write(format.line(entry, payload: payload, route: route))
                    } else if entry.kind == .event {
                        Console.standard.write(bytes: payload)
                    }
                    return true
                }
            } catch {
                throw CommandFailure(error, path: path)
            }
        }
    }
}

extension CommandFailure {
    /// The failure of reading a journal.
    init(_ error: JournalError, path: String) {
        switch error.code {
        case .newerVersion:
            self.init(
                .malformedInput,
                error.message,
                remedy: "use the `trackway` command of the same version as the app"
            )
        default:
            self.init(
                .inputMissing,
                error.message,
                remedy: "name a journal's folder, such as the one an app was configured with; \(path) was tried"
            )
        }
    }
}
