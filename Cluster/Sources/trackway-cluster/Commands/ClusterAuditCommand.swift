// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorJetStream
internal import TrackwayCommand
internal import TrackwayCore

/// Finds and rewrites rows missing from the ClickHouse tables.
struct ClusterAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Find and rewrite missing rows in ClickHouse.",
        discussion: """
            Compares, block by block, the number of rows in each table with the number
            written. A block is incomplete if, for example, a disk lost data or a part
            was dropped. The records of an incomplete block are read from the stream
            again, and its rows are written unchanged. If these records were purged from
            the stream, the block is only reported. `trackway-cluster cluster forward`
            may run at the same time. Exits with 1 if rows are still missing.
            """
    )

    @OptionGroup var nats: NATSOptions
    @OptionGroup var clickhouse: ClickHouseOptions

    @Flag(help: "Report missing rows without rewriting them.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Requires a NATS cluster and a ClickHouse server.
    func validate() throws {
        try nats.require()
        try clickhouse.require()
    }

    /// Runs the audit, and repairs blocks unless this is a dry run.
    func run() async throws {
        guard let settings = try nats.settings(), let client = try clickhouse.client() else { return }
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
                extent = try await engine.maintenance.extent()
            } catch {
                throw CommandFailure(.temporary, error.description)
            }
            let report = await forwarding.audit(store, shouldRepair: !dryRun, since: extent.first)
            try await restartErasure(engine.deletionIndexes, after: report)
            if json {
                Console.standard.write(json: Self.json(report))
            } else {
                Console.standard.write(Self.lines(report, shouldRepair: !dryRun))
            }
            if !report.isComplete { throw ExitCode(CommandStatus.negative.rawValue) }
        }
    }

    /// Restarts the search for erased records if rewritten rows may reveal more.
    ///
    /// While those rows were missing, a search may have missed records.
    private func restartErasure(_ indexes: DeletionIndexSet, after report: AuditReport) async throws {
        guard report.mayRevealErasedRecords else { return }
        do throws(StreamMaintenanceError) {
            if try await indexes.progress() != ErasureProgress() { try await indexes.save(ErasureProgress()) }
        } catch {
            throw CommandFailure(.temporary, error.description)
        }
    }

    /// Returns a line for each incomplete block, and a summary.
    static func lines(_ report: AuditReport, shouldRepair: Bool) -> [String] {
        var lines = AuditText.lines(report.findings)
        if report.erasedWithRows > 0 {
            lines.append(
                "\(report.erasedWithRows) erased installations still had rows in ClickHouse"
                    + (shouldRepair
                        ? "; their deletion was requested." : "; run without --dry-run to request their deletion.")
            )
        }
        lines.append("\(report.blocks.grouped) blocks with \(report.events.grouped) events were checked.")
        if report.expired > 0 {
            lines.append(
                "The events of \(report.expired.grouped) of these blocks have expired and are not counted as missing."
            )
        }
        if let failure = report.failure { lines.append(failure) }
        return lines
    }

    /// Returns the report as JSON.
    static func json(_ report: AuditReport) -> JSONValue {
        .members(
            ("whole", .boolean(report.isComplete)),
            ("blocks", .integer(Int64(clamping: report.blocks))),
            ("events", .integer(Int64(clamping: report.events))),
            ("findings", .array(report.findings.map(json))),
            ("expired_blocks", .integer(Int64(clamping: report.expired))),
            ("erased_remains", .integer(Int64(report.erasedWithRows))),
            ("trouble", report.failure.map { .string($0) } ?? .null)
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
            ("mended", .boolean(finding.isRepaired)),
            ("purged", .boolean(finding.isPurged))
        )
    }
}
