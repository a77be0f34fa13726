// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore
internal import TrackwayJournal

/// Formats backups for the terminal.
enum BackupText {
    /// The maximum number of problems that are listed.
    private static let maximumProblems = 20

    /// Returns the result of a backup.
    static func report(_ report: BackupWriter.Report, target: String, style: Style) -> [String] {
        let format = EventLineFormat(style: style)
        let written = "\(count(report.writtenFiles, "file")) (\(report.writtenBytes.grouped) bytes)"
        var lines = ["Backed up to \(target): \(written) written."]
        if let previous = report.previous {
            lines.append(
                "Added \(count(addedRecords(report), "record")) since the backup of \(format.date(previous.created))."
            )
        }
        lines += contents(report.manifest, style: style)
        if report.replacedSegments > 0 {
            lines.append(
                "Replaced \(count(report.replacedSegments, "log segment")), because an erasure removed data from the log."
            )
        }
        if report.removedSegments > 0 {
            lines.append(
                "Removed \(count(report.removedSegments, "log segment")) that the collector no longer keeps."
            )
        }
        let damaged = damage(report.manifest)
        if damaged > 0 {
            lines.append(
                "Damaged in the log, and copied as found: \(count(damaged, "range")). See `trackway ledger`."
            )
        }
        return lines
    }

    /// Returns what a backup contains, and what it does not.
    static func contents(_ manifest: BackupManifest, style: Style) -> [String] {
        let format = EventLineFormat(style: style)
        let files = "\(count(manifest.files.count, "file")) (\(manifest.bytes.grouped) bytes)"
        guard let received = manifest.lastReceived else {
            return ["Contents: \(files), without a batch of events."]
        }
        return [
            "Contents: \(files), \(count(manifest.records, "log record")) up to position \(manifest.end).",
            "Last batch: received \(format.date(received)). Later batches are not in this backup.",
        ]
    }

    /// Returns the result of a restoration.
    static func restored(_ manifest: BackupManifest, folder: String, style: Style) -> [String] {
        let date = EventLineFormat(style: style).date(manifest.created)
        return ["Restored the backup of \(date) to \(folder)."] + contents(manifest, style: style) + [
            "Repeat erasures that were requested after \(date). The index is built when the collector starts."
        ]
    }

    /// Returns the damaged files of a backup as one message.
    static func problems(_ problems: [String]) -> String {
        let more = problems.count - maximumProblems
        let lines = problems.prefix(maximumProblems) + (more > 0 ? ["and \(more.grouped) more"] : [])
        return (["the backup is damaged (\(count(problems.count, "file"))):"] + lines).joined(separator: "\n")
    }

    /// Returns the result of a backup as JSON.
    static func json(_ report: BackupWriter.Report) -> JSONValue {
        .members(
            ("backup", json(report.manifest)),
            ("previous", report.previous.map { json($0) } ?? .null),
            ("added_records", .count(addedRecords(report))),
            ("written_files", .count(report.writtenFiles)),
            ("written_bytes", .count(report.writtenBytes)),
            ("replaced_segments", .count(report.replacedSegments)),
            ("removed_segments", .count(report.removedSegments))
        )
    }

    /// Returns the result of a check as JSON.
    static func json(_ report: BackupVerification.Report) -> JSONValue {
        .members(
            ("backup", json(report.manifest)),
            ("intact", .boolean(report.problems.isEmpty)),
            ("problems", .array(report.problems.map { .string($0) }))
        )
    }

    /// Returns the summary of a manifest as JSON.
    static func json(_ manifest: BackupManifest) -> JSONValue {
        .members(
            ("id", .string(manifest.id)),
            ("created", .integer(manifest.created.milliseconds)),
            ("files", .count(manifest.files.count)),
            ("bytes", .count(manifest.bytes)),
            ("records", .count(manifest.records)),
            ("damaged", .count(damage(manifest))),
            ("end", .string(manifest.end.description)),
            ("last_received", manifest.lastReceived.map { .integer($0.milliseconds) } ?? .null)
        )
    }

    private static func damage(_ manifest: BackupManifest) -> Int {
        manifest.files.reduce(0) { $0 + ($1.segment?.damaged ?? 0) }
    }

    /// Returns the number of records that the previous backup does not contain.
    private static func addedRecords(_ report: BackupWriter.Report) -> Int {
        let known = Dictionary((report.previous?.files ?? []).map { ($0.path, $0.segment?.records ?? 0) }) { $1 }
        return report.manifest.files.reduce(0) { $0 + max(0, ($1.segment?.records ?? 0) - (known[$1.path] ?? 0)) }
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number.grouped) \(noun)\(number == 1 ? "" : "s")"
    }
}
