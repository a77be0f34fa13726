// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import CollectorJetStream
internal import TrackwayCommand
internal import TrackwayEvents

/// Removes old records that are in ClickHouse and in every index.
struct EnginePurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Remove old records from the stream once every reader has them.",
        discussion: """
            Removes records from the start of the stream, up to the first one that is
            newer than --older-than, lacks rows in ClickHouse, or was not read by the
            index of every known collector. To ignore a collector that is gone for
            good, use --forget. Removed records cannot be restored: no index and no
            other tables can be built from them. `trackway-cluster forward --keep 7d`
            does the same every hour. Exits with 1 if something blocks it.

            EXAMPLES
              trackway-cluster engine purge --older-than 7d --dry-run \\
                --engine nats://a,nats://b --to http://clickhouse:8123/trackway
              trackway-cluster engine purge --older-than 7d \\
                --forget web3:/var/lib/trackway --engine nats://a \\
                --to http://clickhouse:8123/trackway
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var columns: ClickHouseOptions

    @Option(help: "Minimum age of removed records, such as 7d or 36h; 1h or more.")
    var olderThan: String

    @Option(
        help: ArgumentHelp(
            "Collector that is gone for good, by the name that this command shows. May be repeated.",
            valueName: "collector"
        )
    )
    var forget: [String] = []

    @Flag(help: "Assume that no collector has an index: all run with --no-index.")
    var noIndex = false

    @Flag(help: "Show what would be removed without removing it.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Requires a NATS cluster and a ClickHouse server, and validates the time.
    func validate() throws {
        try engine.require()
        try columns.require()
        _ = try RetentionTime(olderThan, option: "--older-than")
    }

    /// Runs the purge.
    func run() async throws {
        let age = try RetentionTime(olderThan, option: "--older-than").duration
        guard let settings = try engine.settings(), let client = try columns.client() else { return }
        try await settings.run { engine in
            let now = SystemClock().now().wall
            let origin = try await engine.origin()
            let store: ClickHouseStore
            do throws(ColumnFailure) {
                store = try await ClickHouseTables(client).open(of: origin)
            } catch {
                throw CommandFailure(error)
            }
            try await forget(engine.keeping, at: now)
            let forwarding = ForwardingRunner(
                engine.source(of: origin),
                store: store,
                clock: SystemClock(),
                sleep: CollectorHost.sleep
            )
            let wishes = PurgePlanner.Wishes(
                cutoff: now.advanced(by: .zero - age),
                allowsNoIndex: noIndex,
                isTrial: dryRun
            )
            let report = await forwarding.purge(engine.keeping, store, wishes)
            if json {
                Console.standard.write(json: PurgeText.json(report))
            } else {
                Console.standard.write(PurgeText.lines(report, at: now, style: Console.standard.style))
            }
            if !report.isGood(at: now) { throw ExitCode(CommandStatus.negative.rawValue) }
        }
    }

    /// Forgets silent collectors.
    ///
    /// A running one would report again shortly, but might lose records it needs in between.
    private func forget(_ keeping: OrderedMaintenance, at now: Timestamp) async throws {
        guard !forget.isEmpty else { return }
        do throws(StreamMaintenanceError) {
            let known = try await keeping.readers()
            for name in forget {
                if let fault = Self.fault(in: name, of: known, at: now) { throw fault }
                if !dryRun { try await keeping.forget(name) }
            }
        } catch {
            throw CommandFailure(.refused, error.description)
        }
    }

    /// Returns why a collector cannot be forgotten; nil if it can.
    static func fault(in name: String, of known: [ReaderPosition], at now: Timestamp) -> StreamMaintenanceError? {
        guard let reader = known.first(where: { $0.name == name }) else {
            let names = known.map(\.name).joined(separator: ", ")
            return StreamMaintenanceError(
                "No collector “\(name)” has reported its index; \(names.isEmpty ? "none has" : "these have: \(names)")."
            )
        }
        if reader.isSilent(at: now) { return nil }
        return StreamMaintenanceError(
            "The collector \(name) last reported \(TimeSpan(from: reader.heard, to: now).text) ago: --forget accepts "
                + "one that has been silent for two minutes. Stop it first."
        )
    }
}

/// A retention time for records: `36h`, `7d`.
struct RetentionTime: Sendable, Hashable {
    private static let units: [(letter: Character, seconds: Int64)] = [("h", 3_600), ("d", 86_400), ("w", 604_800)]

    /// The duration.
    let duration: Duration

    /// Parses a number of hours, days, or weeks.
    ///
    /// The minimum is an hour: ids of repeated records are remembered for two minutes, and a disk may lose its last
    /// seconds in a power failure.
    ///
    /// - Parameter option: The option it belongs to.
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
    /// - Parameter option: The option it belongs to.
    /// - Throws: `ValidationError` with the option, the text, and the valid format.
    init(ofEvents text: String, option: String) throws {
        try self.init(text, option: option)
        guard duration >= ExpiryPlanner.shortest else {
            throw ValidationError(
                "“\(text)” is too short; \(option) takes two weeks or more, such as 4w or 180d, since events expire by "
                    + "whole weeks, and the current week and the one before it stay"
            )
        }
    }
}
