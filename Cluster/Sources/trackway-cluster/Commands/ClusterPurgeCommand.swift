// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorJetStream
internal import TrackwayCommand
internal import TrackwayCore

/// Removes old records that are in ClickHouse and in every index.
struct ClusterPurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Remove old records from the stream once every reader has them.",
        discussion: """
            Removes records from the start of the stream, up to the first one that is
            newer than --stream-retention, lacks rows in ClickHouse, or has not been
            read by the index of every known collector. To ignore a decommissioned
            collector, use --forget. Removed records cannot be restored: no index and no
            other tables can be built from them. `trackway-cluster cluster forward
            --stream-retention 7d` does the same every hour. Exits with 1 if something
            other than the age of the records prevents their removal.

            EXAMPLES
              # Show what would be removed.
              trackway-cluster cluster purge --stream-retention 7d --dry-run \\
                --nats nats://a,nats://b --clickhouse http://clickhouse:8123/trackway
              # Remove records, ignoring a decommissioned collector.
              trackway-cluster cluster purge --stream-retention 7d \\
                --forget web3:/var/lib/trackway --nats nats://a \\
                --clickhouse http://clickhouse:8123/trackway
            """
    )

    @OptionGroup var nats: NATSOptions
    @OptionGroup var clickhouse: ClickHouseOptions

    @Option(
        help: ArgumentHelp("Minimum age of removed records, such as 7d or 36h; 1h or more.", valueName: "time")
    )
    var streamRetention: String

    @Option(
        help: ArgumentHelp(
            "Name of a decommissioned collector to ignore, as this command shows it. May be repeated.",
            valueName: "collector"
        )
    )
    var forget: [String] = []

    @Flag(help: "Assume that no collector has an index because all run with --no-index.")
    var noIndex = false

    @Flag(help: "Show what would be removed without removing it.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Requires a NATS cluster and a ClickHouse server, and validates the retention time.
    func validate() throws {
        try nats.require()
        try clickhouse.require()
        _ = try RetentionTime(streamRetention, option: "--stream-retention")
    }

    /// Runs the purge.
    func run() async throws {
        let age = try RetentionTime(streamRetention, option: "--stream-retention").duration
        guard let settings = try nats.settings(), let client = try clickhouse.client() else { return }
        try await settings.run { engine in
            let now = SystemClock().now().wall
            let origin = try await engine.origin()
            let store: ClickHouseStore
            do throws(ColumnFailure) {
                store = try await ClickHouseTables(client).open(of: origin)
            } catch {
                throw CommandFailure(error)
            }
            try await forgetCollectors(engine.maintenance, at: now)
            let forwarding = ForwardingRunner(
                engine.source(of: origin),
                store: store,
                clock: SystemClock(),
                sleep: CollectorHost.sleep
            )
            let options = PurgePlanner.Options(
                cutoff: now.advanced(by: .zero - age),
                allowsNoIndex: noIndex,
                isDryRun: dryRun
            )
            let report = await forwarding.purge(engine.maintenance, store, options)
            if json {
                Console.standard.write(json: PurgeText.json(report))
            } else {
                Console.standard.write(PurgeText.lines(report, at: now, style: Console.standard.style))
            }
            if !report.isSuccess(at: now) { throw ExitCode(CommandStatus.negative.rawValue) }
        }
    }

    /// Forgets silent collectors.
    ///
    /// A running collector would soon report again, but a purge might already have removed records that it needs.
    private func forgetCollectors(_ maintenance: OrderedMaintenance, at now: Timestamp) async throws {
        guard !forget.isEmpty else { return }
        do throws(StreamMaintenanceError) {
            let readers = try await maintenance.readers()
            for name in forget {
                if let error = Self.forgetError(name, readers: readers, at: now) { throw error }
                if !dryRun { try await maintenance.deletePosition(of: name) }
            }
        } catch {
            throw CommandFailure(.refused, error.description)
        }
    }

    /// Returns why a collector cannot be forgotten; nil if it can.
    static func forgetError(_ name: String, readers: [ReaderPosition], at now: Timestamp) -> StreamMaintenanceError? {
        guard let reader = readers.first(where: { $0.name == name }) else {
            let names = readers.map(\.name).joined(separator: ", ")
            return StreamMaintenanceError(
                "No collector named “\(name)” has reported an index position. "
                    + (names.isEmpty ? "No other collector has, either." : "Collectors that have: \(names).")
            )
        }
        if reader.isSilent(at: now) { return nil }
        return StreamMaintenanceError(
            "The collector \(name) last reported \(TimeSpan(from: reader.lastReport, to: now).text) ago, but --forget "
                + "requires two minutes without a report. Stop the collector first."
        )
    }
}

/// A retention time for records, such as `36h` or `7d`.
struct RetentionTime: Sendable, Hashable {
    private static let units: [(letter: Character, seconds: Int64)] = [("h", 3_600), ("d", 86_400), ("w", 604_800)]

    /// The duration.
    let duration: Duration

    /// Parses a number of hours, days, or weeks.
    ///
    /// The minimum is an hour: ids of repeated records are remembered for two minutes, and a disk may lose the last
    /// seconds of data in a power failure.
    ///
    /// - Parameter option: The option that contains the text.
    /// - Throws: `ValidationError` with the option, the text, and the valid format.
    init(_ text: String, option: String) throws {
        guard let unit = Self.units.first(where: { text.last == $0.letter }), let count = Int64(text.dropLast()),
            (1...100_000).contains(count)
        else {
            throw ValidationError(
                "“\(text)” is not a valid time; \(option) takes hours, days, or weeks, such as 36h, 7d, or 4w"
            )
        }
        duration = .seconds(count * unit.seconds)
    }

    /// Parses a retention time for events in tables, at least two weeks.
    ///
    /// - Parameter option: The option that contains the text.
    /// - Throws: `ValidationError` with the option, the text, and the valid format.
    init(ofEvents text: String, option: String) throws {
        try self.init(text, option: option)
        guard duration >= ExpiryPlanner.minAge else {
            throw ValidationError(
                "“\(text)” is too short; \(option) takes two weeks or more, such as 4w or 180d, because events expire "
                    + "in whole weeks, and the current and previous weeks are always kept"
            )
        }
    }
}
