// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

/// A journal's report for a script.
enum JournalReportJSON {
    /// The report as JSON; keys are stable.
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
