// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayCore

/// Shows which events are missing, if any.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Show whether events are missing, and which.",
        discussion: """
            For each writer (one process of one installed app), shows how many events
            were recorded and what became of them: recorded = received + rejected +
            dropped on the device + addressed elsewhere + missing. Missing events may
            still be pending on the device.

            EXAMPLES
              # Show the ledger of all writers.
              trackway ledger
              # Show the ledger of one installation.
              trackway ledger --installation 0199a1b2-…
              # Exit with status 1 while events are missing.
              trackway ledger --check && echo complete
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Only this installation.")
    var installation: String?

    @Flag(help: "Exit with status 1 if an event is missing.")
    var check = false

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Checks the format of the installation id.
    func validate() throws {
        if let installation, InstallationID(installation) == nil {
            throw ValidationError("“\(installation)” is not an installation id: ids have 36 characters")
        }
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let (answer, ledger) = try await client.settledLedger(installation: installation)
        if json {
            Console.standard.write(json: answer)
        } else {
            Console.standard.write(timed: LedgerText(style: Console.standard.style).lines(ledger))
        }
        if check, !ledger.isComplete { throw ExitCode(CommandStatus.negative.rawValue) }
    }
}

/// Formats the collector's ledger as text.
struct LedgerText: Sendable {
    /// The text style.
    var style: Style
    /// The time zone for displayed times.
    var zone: TimeZone

    /// Creates a formatter, by default with the machine's time zone.
    init(style: Style, zone: TimeZone = .current) {
        self.style = style
        self.zone = zone
    }

    /// Returns the lines: a table, details, and totals.
    func lines(_ ledger: CollectorLedger) -> [String] {
        guard !ledger.rows.isEmpty else {
            return ["No writer has sent events yet.", "Send an event with: trackway send hello"] + erasures(ledger)
        }
        let format = EventLineFormat(style: style, zone: zone)
        var table = Table([
            ("installation", .left), ("writer", .left), ("recorded", .right), ("received", .right),
            ("rejected", .right), ("dropped", .right), ("elsewhere", .right), ("missing", .right), ("repeats", .right),
            ("last received", .left),
        ])
        for row in ledger.rows {
            table.append([
                row.installation, row.writer, row.recorded.grouped, row.received.grouped, row.rejected.grouped,
                row.dropped.values.saturatingSum.grouped, row.skipped.grouped, row.missing.grouped,
                row.duplicates.grouped, format.date(row.lastReceived),
            ])
        }
        return table.lines(style: style) + reasons(ledger) + expired(ledger) + gaps(ledger) + untracked(ledger)
            + erasures(ledger)
            + ["", sum(ledger)]
    }

    private func sum(_ ledger: CollectorLedger) -> String {
        let missing = ledger.total(\.missing)
        let text =
            "recorded \(ledger.total(\.recorded).grouped) · received \(ledger.total(\.received).grouped)"
            + " · missing \(missing.grouped) · duplicates ignored \(ledger.total(\.duplicates).grouped)"
        return style.colored(ledger.isComplete ? "✓ " : "… ", ledger.isComplete ? .green : .yellow) + style.bold(text)
    }

    private func reasons(_ ledger: CollectorLedger) -> [String] {
        var sums: [String: UInt64] = [:]
        for row in ledger.rows { sums.merge(row.dropped) { [$0, $1].saturatingSum } }
        guard !sums.isEmpty else { return [] }
        let list = sums.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.grouped)" }
        return ["", "dropped on the device: " + list.joined(separator: ", ")]
    }

    private func expired(_ ledger: CollectorLedger) -> [String] {
        let expired = ledger.total(\.expired)
        return expired > 0
            ? ["", "expired: \(expired.grouped) events, which were received and are no longer kept"] : []
    }

    private func erasures(_ ledger: CollectorLedger) -> [String] {
        guard !ledger.erasures.isEmpty else { return [] }
        let format = EventLineFormat(style: style, zone: zone)
        return [""]
            + ledger.erasures.map { erasure in
                let by = erasure.isByOperator ? "by an operator" : "by the app"
                return "erased \(format.date(erasure.time)) \(by): \(erasure.installation), "
                    + "\(erasure.events.grouped) events removed or discarded"
            }
    }

    private func untracked(_ ledger: CollectorLedger) -> [String] {
        let rows = ledger.rows.filter { $0.untracked > 0 }
        guard !rows.isEmpty else { return [] }
        return [""]
            + rows.map {
                "untracked from \($0.writer): \($0.untracked.grouped) events, because its account has too many ranges"
            }
    }

    private func gaps(_ ledger: CollectorLedger) -> [String] {
        let rows = ledger.rows.filter { !$0.gaps.isEmpty }
        guard !rows.isEmpty else { return [] }
        return [""]
            + rows.map { row in
                let list = row.gaps.prefix(8).map { gap in
                    gap.lowerBound == gap.upperBound ? "\(gap.lowerBound)" : "\(gap.lowerBound)–\(gap.upperBound)"
                }
                let more = row.gaps.count > 8 ? ", …" : ""
                return "missing from \(row.writer): \(list.joined(separator: ", "))\(more)"
            }
    }
}
