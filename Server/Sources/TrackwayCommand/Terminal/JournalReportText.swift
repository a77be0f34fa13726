// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal

/// Formats a journal report as text.
struct JournalReportText: Sendable {
    /// The text style.
    var style: Style

    /// Returns the lines of the report.
    func lines(_ report: JournalReport, path: String) -> [String] {
        let name =
            report.installation.map { "\($0)" } ?? style.colored("unknown: its file is missing or damaged", .yellow)
        var lines = [style.bold(path), "installation  \(name)"]
        if report.deadLetters > 0 {
            lines.append(
                "dead letters  \(report.deadLetters.grouped) events that a destination rejected, kept for inspection"
            )
        }
        if report.settled.recorded > 0 { lines += settled(report.settled) }
        for writer in report.writers { lines += [""] + self.writer(writer) }
        if report.writers.isEmpty { lines += ["", "No writer has a log: all recorded events are settled."] }
        return lines + ["", verdict(report)]
    }

    private func settled(_ ledger: Ledger) -> [String] {
        var lines = ["finished      \(ledger.recorded.grouped) events of writers whose logs were deleted"]
        for (destination, account) in ledger.destinations.sorted(by: { $0.key < $1.key }) {
            lines.append("              \(destination): " + counts(account.delivered, account.dropped))
        }
        return lines
    }

    private func writer(_ writer: JournalReport.Writer) -> [String] {
        var lines = [style.bold("writer \(writer.id)")]
        if let started = writer.started {
            lines.append("  started  " + EventLineFormat(style: style).date(started))
        }
        if let problem = writer.problem { lines.append("  " + style.colored(problem, .red)) }
        var table = Table([
            ("  segment", .right), ("bytes", .right), ("records", .right), ("events", .right), ("sequences", .left),
            ("damage", .left),
        ])
        for segment in writer.segments {
            table.append([
                "\(segment.number)", segment.bytes.grouped, segment.records.grouped, segment.events.grouped,
                segment.sequences.map { "\($0.lowerBound)–\($0.upperBound)" } ?? "—",
                Self.damage(segment.damage),
            ])
        }
        lines += table.lines(style: style)
        let last = writer.segments.compactMap { $0.sequences?.upperBound }.max() ?? 0
        for cursor in writer.cursors {
            let waiting = last >= cursor.next ? last - cursor.next + 1 : 0
            lines.append(
                "  → \(cursor.destination)  at \(cursor.position), next #\(cursor.next): "
                    + counts(cursor.delivered, cursor.dropped) + ", \(waiting.grouped) pending"
                    + (cursor.isBalanced ? "" : style.colored("  the cursor's numbers are inconsistent", .red))
            )
        }
        return lines
    }

    private func counts(_ delivered: UInt64, _ dropped: [DropReason: UInt64]) -> String {
        let reasons = dropped.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key) \($0.value.grouped)" }
        return "\(delivered.grouped) delivered"
            + (reasons.isEmpty ? "" : ", dropped: " + reasons.joined(separator: ", "))
    }

    private func verdict(_ report: JournalReport) -> String {
        guard report.isDamaged else {
            return style.colored("✓ ", .green) + "\(report.events.grouped) events stored, none damaged"
        }
        return style.colored("✗ ", .red)
            + "\(report.events.grouped) events stored; only the records in damaged ranges are lost"
    }

    /// Returns a description of the damage that was skipped.
    static func damage(_ damage: LogDamage) -> String {
        guard !damage.isEmpty else { return "none" }
        var parts: [String] = []
        if damage.gaps > 0 { parts.append(damage.gaps == 1 ? "1 place" : "\(damage.gaps) places") }
        if damage.tornTails > 0 { parts.append("an unfinished record at the end") }
        return parts.joined(separator: ", ") + " (\(damage.bytes.grouped) bytes)"
    }
}

/// Formats a journal report as JSON.
enum JournalReportJSON {
    /// Returns the report as JSON; keys are stable.
    static func value(_ report: JournalReport) -> JSONValue {
        .members(
            ("installation", report.installation.map { .string("\($0)") } ?? .null),
            ("events", .count(report.events)),
            ("set_aside", .count(report.deadLetters)),
            ("damaged", .boolean(report.isDamaged)),
            ("settled", settled(report.settled)),
            ("writers", .array(report.writers.map(writer)))
        )
    }

    private static func settled(_ ledger: Ledger) -> JSONValue {
        let destinations = ledger.destinations.sorted { $0.key < $1.key }.map { destination, account in
            JSONValue.members(
                ("destination", .string(destination.rawValue)),
                ("delivered", .count(account.delivered)),
                ("dropped", dropped(account.dropped))
            )
        }
        return .members(("recorded", .count(ledger.recorded)), ("destinations", .array(destinations)))
    }

    private static func writer(_ writer: JournalReport.Writer) -> JSONValue {
        .members(
            ("writer", .string("\(writer.id)")),
            ("started", writer.started.map { .integer($0.milliseconds) } ?? .null),
            ("boot", writer.boot.map { .string($0) } ?? .null),
            ("problem", writer.problem.map { .string($0) } ?? .null),
            ("segments", .array(writer.segments.map(segment))),
            ("cursors", .array(writer.cursors.map(cursor)))
        )
    }

    private static func segment(_ segment: JournalReport.Segment) -> JSONValue {
        .members(
            ("segment", .count(segment.number)),
            ("bytes", .count(segment.bytes)),
            ("records", .count(segment.records)),
            ("events", .count(segment.events)),
            ("first", segment.sequences.map { .count($0.lowerBound) } ?? .null),
            ("last", segment.sequences.map { .count($0.upperBound) } ?? .null),
            ("damaged_places", .count(segment.damage.gaps)),
            ("torn_tails", .count(segment.damage.tornTails)),
            ("damaged_bytes", .count(segment.damage.bytes))
        )
    }

    private static func cursor(_ cursor: JournalReport.Position) -> JSONValue {
        .members(
            ("destination", .string(cursor.destination.rawValue)),
            ("position", .string("\(cursor.position)")),
            ("next", .count(cursor.next)),
            ("delivered", .count(cursor.delivered)),
            ("dropped", dropped(cursor.dropped)),
            ("balanced", .boolean(cursor.isBalanced))
        )
    }

    private static func dropped(_ dropped: [DropReason: UInt64]) -> JSONValue {
        let members = dropped.sorted { $0.key.rawValue < $1.key.rawValue }
        return .object(
            JSONValue.Object(members.map { JSONValue.Object.Member(key: $0.key.rawValue, value: .count($0.value)) })
        )
    }
}
