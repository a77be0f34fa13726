// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import TrackwayCommand
internal import TrackwayEvents

/// Lets go of old events in the tables of ClickHouse, week by week.
struct EngineExpireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire",
        abstract: "Let go of old events in ClickHouse, by whole weeks.",
        discussion: """
            Drops the weeks of events of which all arrived longer ago than --older-than
            says; the week that is now and the one before it always stay. That is
            recorded first: from then on nobody reads them, writes them again or misses
            them. Sums stay, such as sessions, people, devices, counts by name, and
            accounts. What is dropped cannot be brought back. `trackway-cluster forward
            --retention 26w` does the same every hour. Exits with 1 when something is in
            the way.

            EXAMPLES
              trackway-cluster engine expire --older-than 26w --dry-run \\
                --to http://clickhouse:8123/trackway
              trackway-cluster engine expire --older-than 26w \\
                --to http://clickhouse:8123/trackway
            """
    )

    @OptionGroup var columns: ColumnOptions

    @Option(help: "How long ago what goes arrived at least, such as 26w or 180d; 2w or more.")
    var olderThan: String

    @Flag(help: "Tell what would go, and drop nothing.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Sees that there is a server, and a time.
    func validate() throws {
        try columns.require()
        _ = try KeptTime(ofEvents: olderThan, option: "--older-than")
    }

    /// Looks, and lets go.
    func run() async throws {
        let age = try KeptTime(ofEvents: olderThan, option: "--older-than").duration
        guard let client = try columns.client() else { return }
        let store: ClickHouseStore
        do throws(ColumnFailure) {
            store = try await ClickHouseTables(client).open(of: nil)
        } catch {
            throw CommandFailure(error)
        }
        let report = await TableExpiry.carryOut(
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
