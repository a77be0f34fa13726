// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import TrackwayCommand
internal import TrackwayEvents

/// What is told of records that were removed, for people and for programs.
enum PurgeText {
    /// What was removed, a line for each collector, and why no more went.
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
                    ? "The stream has no records now; \(extent.last.grouped) were taken."
                    : "The stream has the records \(extent.first.grouped) to \(extent.last.grouped)."
            )
        }
        if !report.readers.isEmpty {
            var table = Table([("collector", .left), ("read to record", .right), ("heard of", .left)])
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

    /// Why no more went, a sentence each.
    static func reasons(_ report: PurgeReport, at now: Timestamp) -> [String] {
        (report.hold.map { words($0, at: now) } ?? []) + (report.trouble.map { [$0] } ?? [])
    }

    private static func words(_ hold: StreamPurge.Hold, at now: Timestamp) -> [String] {
        switch hold {
        case .young: return []
        case .reader(let reader):
            let place = "The collector \(reader.name) has read to record \((reader.next - 1).grouped)"
            guard reader.isSilent(at: now) else {
                return [place + ", and what follows is kept for it."]
            }
            return [
                place
                    + " and was not heard of for \(TimeSpan(from: reader.heard, to: now).text): what follows is kept for it. "
                    + "Start it, or, when it is gone for good, add --forget \(reader.name)."
            ]
        case .unheard:
            return [
                "No collector has said how far its index has read the stream, so everything is kept. Collectors of this version say so when "
                    + "they start; if none has an index, add --no-index."
            ]
        case .erasing(let count):
            return [
                "\(count.grouped) erased installations have rows in ClickHouse still, so everything is kept. Try again when ClickHouse has "
                    + "removed them; if that stays so, `trackway-cluster engine audit` orders it again."
            ]
        case .incomplete(let findings):
            return AuditText.lines(findings) + [
                "These and what follows are kept. `trackway-cluster engine audit` writes them again."
            ]
        }
    }

    /// The same as a value.
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

    private static func name(_ hold: StreamPurge.Hold) -> String {
        switch hold {
        case .young: "age"
        case .reader: "collector"
        case .unheard: "no_collectors"
        case .erasing: "erasures"
        case .incomplete: "tables"
        }
    }

    private static func json(_ reader: ReaderPlace) -> JSONValue {
        .members(
            ("name", .string(reader.name)),
            ("next", .integer(Int64(clamping: reader.next))),
            ("heard", .integer(reader.heard.milliseconds))
        )
    }
}

/// What is told of blocks that are not whole.
enum AuditText {
    /// A line for each.
    static func lines(_ findings: [BlockFinding]) -> [String] {
        findings.map { finding in
            let missing = ColumnTable.allCases.compactMap { table in
                finding.missing[table].map { "\($0.grouped) of \(table.rawValue)" }
            }
            let end =
                if finding.isMended {
                    "; they were written again."
                } else if finding.isPurged {
                    "; it cannot be written again, because its records were purged from the stream. Restore the tables from a backup."
                } else {
                    "."
                }
            return
                "Block \(finding.decision.block) (records \(finding.decision.first) to \(finding.decision.last)) lacked "
                + "\(missing.joined(separator: ", "))" + end
        }
    }
}
