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
            Shows what lies in a journal folder: the installation, its writers (one per
            process), their segments and records, how far each destination has come, and
            any damage. Nothing is written or locked, so an app may go on recording
            meanwhile. The folder is the one that holds `installation` and `writers`.

            EXAMPLES
              trackway inspect ~/.local/state/trackway/shopping
              # Every event that still lies there, in order.
              trackway inspect FOLDER --records
              trackway inspect FOLDER --records --json | jq .name
              # Exit status 1 when something is damaged.
              trackway inspect FOLDER || echo damaged
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
            Console.standard.write(json: JournalReportJSON.value(report))
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

/// How a journal's record looks as one line in a terminal.
private struct RecordLineFormat: Sendable {
    /// Colours.
    var style: Style

    /// The line: place, sequence, and what the record says.
    func line(_ entry: LogEntry, payload: [UInt8], route: [DestinationID]) -> String {
        let place = style.faint("\(entry.start)")
        switch entry.kind {
        case .event:
            let addressed = route.isEmpty ? "" : style.faint("  → " + route.map(\.rawValue).joined(separator: ", "))
            return "\(place)  #\(entry.sequence)  \(event(payload))\(addressed)"
        case .context: return "\(place)  \(style.faint("context \(entry.context)"))  \(text(payload))"
        case .dropped: return "\(place)  \(style.coloured("dropped", .yellow))  \(text(payload))"
        case .origin: return "\(place)  \(style.faint("origin"))  \(text(payload))"
        case .seal: return "\(place)  \(style.faint("seal"))"
        default: return "\(place)  \(style.faint("kind \(entry.kind.rawValue)"))  \(entry.payloadLength) bytes"
        }
    }

    private func event(_ payload: [UInt8]) -> String {
        // A record passed its checksum; if it still is not an event, it is shown as it is.
        guard let event = try? JSONValue.parse(payload), let name = event["name"]?.string else { return text(payload) }
        let attributes = event["attributes"].map { text($0.json()) } ?? ""
        return style.byName(EventLineFormat.plain(name)) + (attributes.isEmpty ? "" : "  " + attributes)
    }

    private func text(_ bytes: [UInt8]) -> String {
        EventLineFormat.plain(String(decoding: bytes, as: UTF8.self))
    }
}
