// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import CollectorCore
internal import TrackwayCommand
internal import TrackwayCore

/// Drops old events from the ClickHouse tables, week by week.
struct ClusterExpireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire",
        abstract: "Drop old events from ClickHouse, by whole weeks.",
        discussion: """
            Drops each week whose events all arrived longer ago than --table-retention.
            The current week and the previous week are always kept. The drop is recorded
            first: from then on, these events are not read, rewritten, or reported as
            missing.
            Aggregates, such as sessions, people, devices, counts by name, and the
            ledger, are kept. Dropped events cannot be restored. `trackway-cluster
            cluster forward --table-retention 26w` does the same every hour. Exits with
            1 if events cannot be dropped.

            EXAMPLES
              # Show what would be dropped.
              trackway-cluster cluster expire --table-retention 26w --dry-run \\
                --clickhouse http://clickhouse:8123/trackway
              # Drop events that arrived more than 26 weeks ago.
              trackway-cluster cluster expire --table-retention 26w \\
                --clickhouse http://clickhouse:8123/trackway
            """
    )

    @OptionGroup var clickhouse: ClickHouseOptions

    @Option(
        help: ArgumentHelp("Minimum time since events arrived, such as 26w or 180d; 2w or more.", valueName: "time")
    )
    var tableRetention: String

    @Flag(help: "Show what would be dropped without dropping it.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Requires a ClickHouse server, and validates the retention time.
    func validate() throws {
        try clickhouse.require()
        _ = try RetentionTime(ofEvents: tableRetention, option: "--table-retention")
    }

    /// Drops the expired weeks.
    func run() async throws {
        let age = try RetentionTime(ofEvents: tableRetention, option: "--table-retention").duration
        guard let client = try clickhouse.client() else { return }
        let store: ClickHouseStore
        do throws(ColumnFailure) {
            store = try await ClickHouseTables(client).open(of: nil)
        } catch {
            throw CommandFailure(error)
        }
        let report = await ExpiryRunner.run(
            store,
            at: SystemClock().now().wall,
            age: age,
            isDryRun: dryRun,
            sleep: CollectorHost.sleep
        )
        if json {
            Console.standard.write(json: ExpiryText.json(report))
        } else {
            Console.standard.write(ExpiryText.lines(report, style: Console.standard.style))
        }
        if !report.isSuccess { throw ExitCode(CommandStatus.negative.rawValue) }
    }
}
