// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorCore
internal import TrackwayCommand
internal import TrackwayCore

/// Formats the result of a purge for people and for programs.
enum PurgeText {
    /// Returns lines about the removed records, each collector, and any obstacle.
    static func lines(_ report: PurgeReport, at now: Timestamp, style: Style) -> [String] {
        var lines: [String] = []
        if let before = report.before {
            lines.append(
                report.isDryRun
                    ? "Everything before record \(before.grouped) would be removed."
                    : "\(report.removed.grouped) records were removed: everything before record \(before.grouped)."
            )
        } else {
            lines.append(report.isDryRun ? "Nothing would be removed." : "Nothing was removed.")
        }
        if let extent = report.extent {
            lines.append(
                extent.first > extent.last
                    ? "The stream is empty; its last record was \(extent.last.grouped)."
                    : "The stream contains records \(extent.first.grouped) to \(extent.last.grouped)."
            )
        }
        if !report.readers.isEmpty {
            var table = Table([("collector", .left), ("read up to", .right), ("last report", .left)])
            for reader in report.readers {
                let silence = TimeSpan(from: reader.lastReport, to: now)
                table.append([
                    reader.name, (reader.next - 1).grouped,
                    silence.milliseconds < 1_000 ? "now" : silence.text + " ago",
                ])
            }
            lines += table.lines(style: style)
        }
        return lines + reasons(report, at: now)
    }

    /// Returns why no more records were removed, one sentence per reason.
    static func reasons(_ report: PurgeReport, at now: Timestamp) -> [String] {
        (report.stopReason.map { sentences($0, at: now) } ?? []) + (report.failure.map { [$0] } ?? [])
    }

    private static func sentences(_ stopReason: PurgePlanner.StopReason, at now: Timestamp) -> [String] {
        switch stopReason {
        case .tooRecent: return []
        case .reader(let reader):
            let progress = "The collector \(reader.name) has read up to record \((reader.next - 1).grouped)"
            guard reader.isSilent(at: now) else {
                return [progress + "; later records are kept for it."]
            }
            return [
                progress
                    + " and has not reported for \(TimeSpan(from: reader.lastReport, to: now).text); later records are "
                    + "kept for it. Start it, or, if it has been decommissioned, add --forget \(reader.name)."
            ]
        case .noReaders:
            return [
                "No collector has reported the position of its index, so all records are kept. Collectors of this "
                    + "version report at startup. If no collector has an index, add --no-index."
            ]
        case .pendingErasures(let count):
            return [
                "\(count.grouped) erased installations still have rows in ClickHouse, so all records are kept. Try "
                    + "again after these rows are deleted. If they persist, run `trackway-cluster cluster audit`, "
                    + "which requests their deletion again."
            ]
        case .incomplete(let findings):
            return AuditText.lines(findings) + [
                "The records of these and all later blocks are kept. `trackway-cluster cluster audit` rewrites missing "
                    + "rows."
            ]
        }
    }

    /// Returns the report as JSON.
    static func json(_ report: PurgeReport) -> JSONValue {
        .members(
            ("removed", .integer(Int64(clamping: report.removed))),
            ("before", report.before.map { .integer(Int64(clamping: $0)) } ?? .null),
            ("dry_run", .boolean(report.isDryRun)),
            ("first", report.extent.map { .integer(Int64(clamping: $0.first)) } ?? .null),
            ("last", report.extent.map { .integer(Int64(clamping: $0.last)) } ?? .null),
            ("held_by", report.stopReason.map { .string(name($0)) } ?? .null),
            ("collectors", .array(report.readers.map(json))),
            ("trouble", report.failure.map { .string($0) } ?? .null)
        )
    }

    private static func name(_ stopReason: PurgePlanner.StopReason) -> String {
        switch stopReason {
        case .tooRecent: "age"
        case .reader: "collector"
        case .noReaders: "no_collectors"
        case .pendingErasures: "erasures"
        case .incomplete: "tables"
        }
    }

    private static func json(_ reader: ReaderPosition) -> JSONValue {
        .members(
            ("name", .string(reader.name)),
            ("next", .integer(Int64(clamping: reader.next))),
            ("heard", .integer(reader.lastReport.milliseconds))
        )
    }
}

/// Formats incomplete blocks.
enum AuditText {
    /// Returns a line for each incomplete block.
    static func lines(_ findings: [BlockFinding]) -> [String] {
        findings.map { finding in
            let missing = ColumnTable.allCases.compactMap { table in
                finding.missing[table].map { "\($0.grouped) in \(table.rawValue)" }
            }
            let end =
                if finding.isRepaired {
                    "; they were rewritten."
                } else if finding.isPurged {
                    "; it cannot be rewritten because its records were purged. Restore the tables from a backup."
                } else {
                    "."
                }
            return
                "Block \(finding.decision.block) (records \(finding.decision.first) to \(finding.decision.last)) "
                + "lacked rows: \(missing.joined(separator: ", "))" + end
        }
    }
}
