// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import CollectorJetStream
internal import Logging
internal import TrackwayCommand
internal import TrackwayEvents

/// How long a forwarder keeps records in the stream.
struct StreamRetentionOptions: ParsableArguments {
    /// The interval of purges.
    private static let pause: Duration = .seconds(3_600)

    @Option(
        help: ArgumentHelp(
            """
            Age after which records are removed from the stream, such as 7d or 36h, once ClickHouse has them and \
            every index has read them, as by trackway-cluster engine purge. Default: never.
            """,
            valueName: "time"
        )
    )
    var keep: String?

    @Flag(help: "With --keep, assume that no collector has an index: all run with --no-index.")
    var noIndex = false

    /// Validates the options.
    func validate() throws {
        _ = try time()
        if noIndex, keep == nil { throw ValidationError("--no-index is for --keep 7d") }
    }

    private func time() throws -> RetentionTime? { try keep.map { try RetentionTime($0, option: "--keep") } }

    /// Purges repeatedly until the task is canceled. Does nothing without a time.
    func run(
        _ forwarding: ForwardingRunner,
        _ engine: Engine,
        _ store: ClickHouseStore,
        _ report: ForwardReport
    ) async {
        // Validated earlier.
        guard let age = try? time()?.duration else { return }
        var told: [String] = []
        while !Task.isCancelled {
            let now = SystemClock().now().wall
            let wishes = PurgePlanner.Wishes(cutoff: now.advanced(by: .zero - age), allowsNoIndex: noIndex)
            let found = await forwarding.purge(engine.keeping, store, wishes)
            if Task.isCancelled { return }
            let trouble = found.isGood(at: now) ? [] : PurgeText.reasons(found, at: now)
            report.purged(found, trouble: trouble == told ? [] : trouble)
            told = trouble
            await CollectorHost.sleep(Self.pause)
        }
    }
}

extension ForwardReport {
    /// Reports removed records and new problems.
    ///
    /// - Parameter trouble: The new problems, one sentence each.
    func purged(_ report: PurgeReport, trouble: [String]) {
        if report.removed > 0 { logger.info("\(report.removed) old records were removed from the stream.") }
        for line in trouble { logger.warning("\(line)") }
        guard isJSON, report.removed > 0 || !trouble.isEmpty else { return }
        Console.standard.write(json: .members(("purge", PurgeText.json(report))))
    }
}
