// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import CollectorJetStream
internal import TrackwayCommand
internal import TrackwayEvents

/// Finds rows that are missing from the ClickHouse tables, and writes them again.
struct EngineAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Find missing rows in ClickHouse, and write them again.",
        discussion: """
            Compares, block by block, the number of rows in each table with the number
            written. An incomplete block (a disk that lost data, a dropped part) is
            read from the stream again, and its rows are written unchanged; one whose
            records were purged from the stream is only reported.
            `trackway-cluster forward` may run at the same time. Exits with 1 if rows
            are still missing.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var columns: ClickHouseOptions

    @Flag(help: "Report what is missing without writing.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Requires a NATS cluster and a ClickHouse server.
    func validate() throws {
        try engine.require()
        try columns.require()
    }

    /// Runs the audit and repairs blocks.
    func run() async throws {
        guard let settings = try engine.settings(), let client = try columns.client() else { return }
        try await settings.run { engine in
            let origin = try await engine.origin()
            let store: ClickHouseStore
            do throws(ColumnFailure) {
                store = try await ClickHouseTables(client).open(of: origin)
            } catch {
                throw CommandFailure(error)
            }
            let forwarding = ForwardingRunner(
                engine.source(of: origin),
                store: store,
                clock: SystemClock(),
                sleep: CollectorHost.sleep
            )
            let extent: StreamExtent
            do throws(StreamMaintenanceError) {
                extent = try await engine.keeping.extent()
            } catch {
                throw CommandFailure(.temporary, error.description)
            }
            let report = await forwarding.audit(store, isMending: !dryRun, since: extent.first)
            try await eraseAgain(engine.erased, after: report)
            if json {
                Console.standard.write(json: Self.json(report))
            } else {
                Console.standard.write(Self.lines(report, isMending: !dryRun))
            }
            if !report.isWhole { throw ExitCode(CommandStatus.negative.rawValue) }
        }
    }

    /// Restarts the search for erased records if tables had lost their block ranges.
    ///
    /// A search during that time may have missed records.
    private func eraseAgain(_ list: DeletionIndexSet, after report: AuditReport) async throws {
        guard report.mayHaveHiddenErased else { return }
        do throws(StreamMaintenanceError) {
            if try await list.progress() != ErasureProgress() { try await list.note(ErasureProgress()) }
        } catch {
            throw CommandFailure(.temporary, error.description)
        }
    }

    /// Returns a line for each incomplete block, and a summary.
    static func lines(_ report: AuditReport, isMending: Bool) -> [String] {
        var lines = AuditText.lines(report.findings)
        if report.remains > 0 {
            lines.append(
                "\(report.remains) erased installations still had rows"
                    + (isMending ? "; their deletion was ordered." : "; their deletion is ordered without --dry-run.")
            )
        }
        lines.append("\(report.blocks.grouped) blocks with \(report.events.grouped) events were checked.")
        if report.expired > 0 {
            lines.append("The events of \(report.expired.grouped) of them have expired, and do not count as missing.")
        }
        if let trouble = report.trouble { lines.append(trouble) }
        return lines
    }

    /// Returns the report as JSON.
    static func json(_ report: AuditReport) -> JSONValue {
        .members(
            ("whole", .boolean(report.isWhole)),
            ("blocks", .integer(Int64(clamping: report.blocks))),
            ("events", .integer(Int64(clamping: report.events))),
            ("findings", .array(report.findings.map(json))),
            ("expired_blocks", .integer(Int64(clamping: report.expired))),
            ("erased_remains", .integer(Int64(report.remains))),
            ("trouble", report.trouble.map { .string($0) } ?? .null)
        )
    }

    private static func json(_ finding: BlockFinding) -> JSONValue {
        let missing = ColumnTable.allCases.compactMap { table in
            finding.missing[table].map { JSONValue.Object.Member(key: table.rawValue, value: .integer(Int64($0))) }
        }
        return .members(
            ("block", .integer(Int64(clamping: finding.decision.block))),
            ("first", .integer(Int64(clamping: finding.decision.first))),
            ("last", .integer(Int64(clamping: finding.decision.last))),
            ("missing", .object(JSONValue.Object(missing))),
            ("mended", .boolean(finding.isMended)),
            ("purged", .boolean(finding.isPurged))
        )
    }
}
