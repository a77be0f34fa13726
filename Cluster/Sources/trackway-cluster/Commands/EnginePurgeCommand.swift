// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import CollectorJetStream
internal import TrackwayCommand
internal import TrackwayEvents

/// Makes room in a stream: removes what is old, is in ClickHouse, and was read by every index.
struct EnginePurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Make room in the stream: remove what is old, in ClickHouse, and read by every index.",
        discussion: """
            Removes records from the stream, from the first one on, as far as they are
            older than --older-than says, the tables of ClickHouse have all of their
            rows, and the index of each collector that was ever heard of has read past
            them. A collector that is gone for good is forgotten with --forget. What was
            removed cannot be brought back: no index and no other tables can be made of
            it any more. `trackway-cluster forward --keep 7d` does the same again and
            again. Exits with 1 when something is in the way.

            EXAMPLES
              trackway-cluster engine purge --older-than 7d --dry-run \\
                --engine nats://a,nats://b --to http://clickhouse:8123/trackway
              trackway-cluster engine purge --older-than 7d \\
                --forget web3:/var/lib/trackway --engine nats://a \\
                --to http://clickhouse:8123/trackway
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var columns: ColumnOptions

    @Option(help: "How old what is removed is at least, such as 7d or 36h; 1h or more.")
    var olderThan: String

    @Option(
        help: ArgumentHelp(
            "A collector that is gone for good, by the name that this command shows; more than one by naming the option again.",
            valueName: "collector"
        )
    )
    var forget: [String] = []

    @Flag(help: "No collector has an index: all are started with --no-index.")
    var noIndex = false

    @Flag(help: "Tell what would be removed, and remove nothing.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Sees that there is an engine, and a server.
    func validate() throws {
        try engine.require()
        try columns.require()
        _ = try KeptTime(olderThan, option: "--older-than")
    }

    /// Looks, and removes.
    func run() async throws {
        let age = try KeptTime(olderThan, option: "--older-than").duration
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
            let forwarding = StreamForwarding(
                engine.source(of: origin),
                store: store,
                clock: SystemClock(),
                sleep: CollectorHost.sleep
            )
            let wishes = StreamPurge.Wishes(
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

    /// Forgets collectors that are silent. One that is not would be back in a moment, and its index could be lost meanwhile.
    private func forget(_ keeping: OrderedUpkeep, at now: Timestamp) async throws {
        guard !forget.isEmpty else { return }
        do throws(UpkeepFailure) {
            let known = try await keeping.readers()
            for name in forget {
                if let fault = Self.fault(in: name, of: known, at: now) { throw fault }
                if !dryRun { try await keeping.forget(name) }
            }
        } catch {
            throw CommandFailure(.refused, error.description)
        }
    }

    /// Why a collector cannot be forgotten; nil when it can.
    static func fault(in name: String, of known: [ReaderPlace], at now: Timestamp) -> UpkeepFailure? {
        guard let reader = known.first(where: { $0.name == name }) else {
            let names = known.map(\.name).joined(separator: ", ")
            return UpkeepFailure(
                "No collector “\(name)” has said how far its index is; \(names.isEmpty ? "none has" : "these have: \(names)")."
            )
        }
        if reader.isSilent(at: now) { return nil }
        return UpkeepFailure(
            "The collector \(name) was heard of \(TimeSpan(from: reader.heard, to: now).text) ago, so it is not gone: --forget takes one "
                + "that was not heard of for two minutes. End it first."
        )
    }
}

/// How long records are kept: `36h`, `7d`.
struct KeptTime: Sendable, Hashable {
    private static let units: [(letter: Character, seconds: Int64)] = [("h", 3_600), ("d", 86_400), ("w", 604_800)]

    /// The time.
    let duration: Duration

    /// Reads a number of hours, days or weeks.
    ///
    /// An hour is the least: ids of records that come again are remembered for two minutes, and a disk may forget its last seconds with
    /// the power.
    ///
    /// - Parameter option: What it was given for.
    /// - Throws: `ValidationError` with the option, the text, and what it takes.
    init(_ text: String, option: String) throws {
        guard let unit = Self.units.first(where: { text.last == $0.letter }), let count = Int64(text.dropLast()),
            (1...100_000).contains(count)
        else {
            throw ValidationError(
                "“\(text)” is no time to keep records for; \(option) takes hours, days or weeks, such as 36h, 7d or 4w"
            )
        }
        duration = .seconds(count * unit.seconds)
    }

    /// The same for how long events are kept in tables: two weeks are the least.
    ///
    /// - Parameter option: What it was given for.
    /// - Throws: `ValidationError` with the option, the text, and what it takes.
    init(ofEvents text: String, option: String) throws {
        try self.init(text, option: option)
        guard duration >= TableExpiry.shortest else {
            throw ValidationError(
                "“\(text)” is too short; \(option) takes two weeks or more, such as 4w or 180d, since events go by whole weeks, and the one "
                    + "that is now and the one before it stay"
            )
        }
    }
}
