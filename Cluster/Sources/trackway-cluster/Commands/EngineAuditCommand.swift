// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import CollectorJetStream
internal import TrackwayCommand
internal import TrackwayEvents

/// Sees that nothing is missing in the tables of ClickHouse, and writes again what is.
struct EngineAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "See that nothing is missing in ClickHouse, and write again what is.",
        discussion: """
            Compares, block by block, how many rows each table has with how many were
            written. A block that is not whole (a disk that forgot, a part that was
            dropped) is read from the stream again, and its rows are written as they
            were; one whose records were purged from the stream is only told.
            `trackway-cluster forward` may run meanwhile. Exits with 1 when something is
            missing still.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var columns: ColumnOptions

    @Flag(help: "Tell what is missing, and write nothing.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Sees that there is an engine, and a server.
    func validate() throws {
        try engine.require()
        try columns.require()
    }

    /// Looks, and mends.
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
            let forwarding = StreamForwarding(
                engine.source(of: origin),
                store: store,
                clock: SystemClock(),
                sleep: CollectorHost.sleep
            )
            let extent: StreamExtent
            do throws(UpkeepFailure) {
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

    /// Has the stream looked through again for records of erased installations, where the tables had lost what tells in which blocks these
    /// are: whoever looked meanwhile missed some.
    private func eraseAgain(_ list: OrderedErasures, after report: AuditReport) async throws {
        guard report.mayHaveHiddenErased else { return }
        do throws(UpkeepFailure) {
            if try await list.progress() != ErasureProgress() { try await list.note(ErasureProgress()) }
        } catch {
            throw CommandFailure(.temporary, error.description)
        }
    }

    /// A line for each block that is not whole, and one for all.
    static func lines(_ report: AuditReport, isMending: Bool) -> [String] {
        var lines = AuditText.lines(report.findings)
        if report.remains > 0 {
            lines.append(
                "\(report.remains) erased installations had rows still"
                    + (isMending ? ", which were ordered to go." : "; without --dry-run they are ordered to go.")
            )
        }
        lines.append("\(report.blocks.grouped) blocks with \(report.events.grouped) events were looked at.")
        if report.expired > 0 {
            lines.append("The events of \(report.expired.grouped) of them went by age, and are not missed.")
        }
        if let trouble = report.trouble { lines.append(trouble) }
        return lines
    }

    /// The same as a value.
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
