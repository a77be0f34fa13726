// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import TrackwayCommand
internal import TrackwayEvents

/// Drops old events from the ClickHouse tables, week by week.
struct EngineExpireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire",
        abstract: "Drop old events from ClickHouse, by whole weeks.",
        discussion: """
            Drops the weeks whose events all arrived longer ago than --older-than; the
            current week and the one before it always stay. The drop is recorded first:
            from then on, these events are not read, rewritten, or reported as missing.
            Aggregates stay, such as sessions, people, devices, counts by name, and the
            ledger. Dropped events cannot be restored. `trackway-cluster forward
            --retention 26w` does the same every hour. Exits with 1 if something blocks
            it.

            EXAMPLES
              trackway-cluster engine expire --older-than 26w --dry-run \\
                --to http://clickhouse:8123/trackway
              trackway-cluster engine expire --older-than 26w \\
                --to http://clickhouse:8123/trackway
            """
    )

    @OptionGroup var columns: ClickHouseOptions

    @Option(help: "Minimum time since events arrived, such as 26w or 180d; 2w or more.")
    var olderThan: String

    @Flag(help: "Show what would be dropped without dropping it.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Requires a ClickHouse server, and validates the time.
    func validate() throws {
        try columns.require()
        _ = try RetentionTime(ofEvents: olderThan, option: "--older-than")
    }

    /// Drops the weeks.
    func run() async throws {
        let age = try RetentionTime(ofEvents: olderThan, option: "--older-than").duration
        guard let client = try columns.client() else { return }
        let store: ClickHouseStore
        do throws(ColumnFailure) {
            store = try await ClickHouseTables(client).open(of: nil)
        } catch {
            throw CommandFailure(error)
        }
        let report = await ExpiryPlanner.carryOut(
            store,
            at: SystemClock().now().wall,
            age: age,
            isTrial: dryRun,
            sleep: CollectorHost.sleep
        )
        if json {
            Console.standard.write(json: ExpiryText.json(report))
        } else {
            Console.standard.write(ExpiryText.lines(report, style: Console.standard.style))
        }
        if !report.isGood { throw ExitCode(CommandStatus.negative.rawValue) }
    }
}
