// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayEvents

/// Shows that nothing is missing, or what is.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "See that nothing is missing, or what is.",
        discussion: """
            For each writer (one process of one installed app) the collector knows how
            many events were recorded and what became of them: recorded = received +
            refused + dropped on the device + addressed elsewhere + missing. Missing
            events may still be on the device, waiting to be delivered.

            EXAMPLES
              trackway ledger
              trackway ledger --installation 0199a1b2-…
              # Exit status 1 while something is missing.
              trackway ledger --check && echo complete
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Only this installation.")
    var installation: String?

    @Flag(help: "End with status 1 while an event is missing.")
    var check = false

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Sees that what must be an id is one.
    func validate() throws {
        if let installation, InstallationID(installation) == nil {
            throw ValidationError("“\(installation)” is not an installation's id: it has 36 characters")
        }
    }

    /// Asks and prints.
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

/// The collector's ledger for a person.
struct LedgerText: Sendable {
    /// Colours.
    var style: Style
    /// The zone in which times are shown.
    var zone: TimeZone

    /// A text; times are shown in the machine's own zone unless another is given.
    init(style: Style, zone: TimeZone = .current) {
        self.style = style
        self.zone = zone
    }

    /// A table, the sums, and the gaps.
    func lines(_ ledger: CollectorLedger) -> [String] {
        guard !ledger.rows.isEmpty else {
            return ["No writer has sent anything yet.", "Send an event with: trackway send hello"] + erasures(ledger)
        }
        let format = EventLineFormat(style: style, zone: zone)
        var table = Table([
            ("installation", .left), ("writer", .left), ("recorded", .right), ("received", .right),
            ("refused", .right), ("dropped", .right), ("elsewhere", .right), ("missing", .right), ("repeats", .right),
            ("last heard", .left),
        ])
        for row in ledger.rows {
            table.append([
                row.installation, row.writer, row.recorded.grouped, row.received.grouped, row.rejected.grouped,
                row.dropped.values.saturatingSum.grouped, row.skipped.grouped, row.missing.grouped,
                row.duplicates.grouped, format.date(row.lastReceived),
            ])
        }
        return table.lines(style: style) + reasons(ledger) + gaps(ledger) + untracked(ledger) + erasures(ledger)
            + ["", sum(ledger)]
    }

    private func sum(_ ledger: CollectorLedger) -> String {
        let missing = ledger.total(\.missing)
        let text =
            "recorded \(ledger.total(\.recorded).grouped) · received \(ledger.total(\.received).grouped)"
            + " · missing \(missing.grouped) · repeats not counted twice \(ledger.total(\.duplicates).grouped)"
        return style.coloured(ledger.isComplete ? "✓ " : "… ", ledger.isComplete ? .green : .yellow) + style.bold(text)
    }

    private func reasons(_ ledger: CollectorLedger) -> [String] {
        var sums: [String: UInt64] = [:]
        for row in ledger.rows { sums.merge(row.dropped) { [$0, $1].saturatingSum } }
        guard !sums.isEmpty else { return [] }
        let list = sums.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.grouped)" }
        return ["", "dropped on the device: " + list.joined(separator: ", ")]
    }

    private func erasures(_ ledger: CollectorLedger) -> [String] {
        guard !ledger.erasures.isEmpty else { return [] }
        let format = EventLineFormat(style: style, zone: zone)
        return [""]
            + ledger.erasures.map { erasure in
                let by = erasure.isByOperator ? "by an operator" : "by itself"
                return "erased \(format.date(erasure.time)) \(by): \(erasure.installation), "
                    + "\(erasure.events.grouped) events removed or not taken"
            }
    }

    private func untracked(_ ledger: CollectorLedger) -> [String] {
        let rows = ledger.rows.filter { $0.untracked > 0 }
        guard !rows.isEmpty else { return [] }
        return [""]
            + rows.map {
                "not tracked of \($0.writer): \($0.untracked.grouped) events, because its account has too many ranges"
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
                return "not heard of from \(row.writer): \(list.joined(separator: ", "))\(more)"
            }
    }
}
