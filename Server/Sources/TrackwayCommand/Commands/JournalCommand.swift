// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayCore
internal import TrackwayJournal

/// Inspects the journal of an app on this machine.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Inspect an app's journal on this machine.",
        subcommands: [JournalInspectCommand.self]
    )
}

/// Inspects an app's journal without modifying it.
struct JournalInspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Inspect an app's journal without modifying it.",
        discussion: """
            Shows the contents of a journal folder: the installation, its writers (one
            per process), their segments and records, the progress of each destination,
            and any damage. Nothing is written or locked, so an app may keep recording.
            The folder is the one that contains `installation` and `writers`.

            EXAMPLES
              # Print a summary of a journal.
              trackway journal inspect ~/.local/state/trackway/shopping
              # Print every record still stored, in order.
              trackway journal inspect FOLDER --records
              # Print the names of stored events.
              trackway journal inspect FOLDER --records --json | jq .name
              # Exit with status 1 if something is damaged.
              trackway journal inspect FOLDER || echo damaged
            """
    )

    @Argument(help: "Journal folder.")
    var folder: String

    @Flag(help: "Print every record instead of the summary.")
    var records = false

    @Option(help: "Only this writer's records.")
    var writer: String?

    @Flag(help: "Print JSON: the report, or one event per line.")
    var json = false

    /// Checks the format of the writer id.
    func validate() throws {
        if let writer, WriterID(writer) == nil {
            throw ValidationError(
                "“\(writer)” is not a writer id: ids have 36 characters, as shown by `trackway journal inspect`"
            )
        }
    }

    /// Reads the journal and prints the result.
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
    /// Creates a failure for a journal that cannot be read.
    init(_ error: JournalError, path: String) {
        switch error.code {
        case .newerVersion:
            self.init(
                .malformedInput,
                error.message,
                remedy: "use a `trackway` command of the same version as the app"
            )
        default:
            self.init(
                .inputMissing,
                error.message,
                remedy: "pass a journal folder, such as the one an app was configured with; \(path) was tried"
            )
        }
    }
}

/// Formats a journal record as one line.
private struct RecordLineFormat: Sendable {
    /// The text style.
    var style: Style

    /// Returns the line: position, sequence number, and contents.
    func line(_ entry: LogEntry, payload: [UInt8], route: [DestinationID]) -> String {
        let place = style.faint("\(entry.start)")
        switch entry.kind {
        case .event:
            let addressed = route.isEmpty ? "" : style.faint("  → " + route.map(\.rawValue).joined(separator: ", "))
            return "\(place)  #\(entry.sequence)  \(event(payload))\(addressed)"
        case .context: return "\(place)  \(style.faint("context \(entry.context)"))  \(text(payload))"
        case .dropped: return "\(place)  \(style.colored("dropped", .yellow))  \(text(payload))"
        case .origin: return "\(place)  \(style.faint("origin"))  \(text(payload))"
        case .seal: return "\(place)  \(style.faint("seal"))"
        default: return "\(place)  \(style.faint("kind \(entry.kind.rawValue)"))  \(entry.payloadLength) bytes"
        }
    }

    private func event(_ payload: [UInt8]) -> String {
        // The record's checksum is valid. If the payload is still not an event, show it unchanged.
        guard let event = try? JSONValue.parse(payload), let name = event["name"]?.string else { return text(payload) }
        let attributes = event["attributes"].map { text($0.json()) } ?? ""
        return style.byName(EventLineFormat.plain(name)) + (attributes.isEmpty ? "" : "  " + attributes)
    }

    private func text(_ bytes: [UInt8]) -> String {
        EventLineFormat.plain(String(decoding: bytes, as: UTF8.self))
    }
}
