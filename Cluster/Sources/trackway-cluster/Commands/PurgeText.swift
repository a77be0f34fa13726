// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import TrackwayCommand
internal import TrackwayEvents

/// Formats the result of a purge for people and for programs.
enum PurgeText {
    /// Returns what was removed, a line for each collector, and any obstacle.
    static func lines(_ report: PurgeReport, at now: Timestamp, style: Style) -> [String] {
        var lines: [String] = []
        if let before = report.before {
            lines.append(
                report.isTrial
                    ? "Everything before record \(before.grouped) would be removed."
                    : "\(report.removed.grouped) records were removed, everything before record \(before.grouped)."
            )
        } else {
            lines.append(report.isTrial ? "Nothing would be removed." : "Nothing was removed.")
        }
        if let extent = report.extent {
            lines.append(
                extent.first > extent.last
                    ? "The stream is empty; its last record was \(extent.last.grouped)."
                    : "The stream has the records \(extent.first.grouped) to \(extent.last.grouped)."
            )
        }
        if !report.readers.isEmpty {
            var table = Table([("collector", .left), ("read up to", .right), ("last report", .left)])
            for reader in report.readers {
                let heard = TimeSpan(from: reader.heard, to: now)
                table.append([
                    reader.name, (reader.next - 1).grouped, heard.milliseconds < 1_000 ? "now" : heard.text + " ago",
                ])
            }
            lines += table.lines(style: style)
        }
        return lines + reasons(report, at: now)
    }

    /// Returns why no more was removed, one sentence each.
    static func reasons(_ report: PurgeReport, at now: Timestamp) -> [String] {
        (report.hold.map { words($0, at: now) } ?? []) + (report.trouble.map { [$0] } ?? [])
    }

    private static func words(_ hold: PurgePlanner.Hold, at now: Timestamp) -> [String] {
        switch hold {
        case .young: return []
        case .reader(let reader):
            let place = "The collector \(reader.name) has read up to record \((reader.next - 1).grouped)"
            guard reader.isSilent(at: now) else {
                return [place + "; later records are kept for it."]
            }
            return [
                place
                    + " and has been silent for \(TimeSpan(from: reader.heard, to: now).text); later records are kept "
                    + "for it. Start it, or, if it is gone for good, add --forget \(reader.name)."
            ]
        case .unheard:
            return [
                "No collector has reported how far its index has read the stream, so everything is kept. Collectors of "
                    + "this version report at start; if none has an index, add --no-index."
            ]
        case .erasing(let count):
            return [
                "\(count.grouped) erased installations still have rows in ClickHouse, so everything is kept. Try again "
                    + "once they are deleted; if they persist, `trackway-cluster engine audit` orders it again."
            ]
        case .incomplete(let findings):
            return AuditText.lines(findings) + [
                "These and later blocks are kept. `trackway-cluster engine audit` writes them again."
            ]
        }
    }

    /// Returns the report as JSON.
    static func json(_ report: PurgeReport) -> JSONValue {
        .members(
            ("removed", .integer(Int64(clamping: report.removed))),
            ("before", report.before.map { .integer(Int64(clamping: $0)) } ?? .null),
            ("dry_run", .boolean(report.isTrial)),
            ("first", report.extent.map { .integer(Int64(clamping: $0.first)) } ?? .null),
            ("last", report.extent.map { .integer(Int64(clamping: $0.last)) } ?? .null),
            ("held_by", report.hold.map { .string(name($0)) } ?? .null),
            ("collectors", .array(report.readers.map(json))),
            ("trouble", report.trouble.map { .string($0) } ?? .null)
        )
    }

    private static func name(_ hold: PurgePlanner.Hold) -> String {
        switch hold {
        case .young: "age"
        case .reader: "collector"
        case .unheard: "no_collectors"
        case .erasing: "erasures"
        case .incomplete: "tables"
        }
    }

    private static func json(_ reader: ReaderPosition) -> JSONValue {
        .members(
            ("name", .string(reader.name)),
            ("next", .integer(Int64(clamping: reader.next))),
            ("heard", .integer(reader.heard.milliseconds))
        )
    }
}

/// Formats incomplete blocks.
enum AuditText {
    /// Returns a line for each block.
    static func lines(_ findings: [BlockFinding]) -> [String] {
        findings.map { finding in
            let missing = ColumnTable.allCases.compactMap { table in
                finding.missing[table].map { "\($0.grouped) in \(table.rawValue)" }
            }
            let end =
                if finding.isMended {
                    "; they were written again."
                } else if finding.isPurged {
                    "; it cannot be rewritten, as its records were purged. Restore the tables from a backup."
                } else {
                    "."
                }
            return
                "Block \(finding.decision.block) (records \(finding.decision.first) to \(finding.decision.last)) "
                + "lacked rows: \(missing.joined(separator: ", "))" + end
        }
    }
}
