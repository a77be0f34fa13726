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
struct KeepingOptions: ParsableArguments {
    /// So often it is looked whether something is old enough.
    private static let pause: Duration = .seconds(3_600)

    @Option(
        help: ArgumentHelp(
            "Remove records from the stream that are older, such as 7d or 36h, once ClickHouse has them and every index has read them, as trackway-cluster engine purge does. Default: everything stays in the stream.",
            valueName: "time"
        )
    )
    var keep: String?

    @Flag(help: "With --keep: no collector has an index, all are started with --no-index.")
    var noIndex = false

    /// Sees that a time is one.
    func validate() throws {
        _ = try time()
        if noIndex, keep == nil { throw ValidationError("--no-index is for --keep 7d") }
    }

    private func time() throws -> KeptTime? { try keep.map { try KeptTime($0, option: "--keep") } }

    /// Removes what is old, again and again until the task is cancelled; nothing without a time.
    func run(
        _ forwarding: StreamForwarding,
        _ engine: Engine,
        _ store: ClickHouseStore,
        _ report: ForwardReport
    ) async {
        // Validated before.
        guard let age = try? time()?.duration else { return }
        var told: [String] = []
        while !Task.isCancelled {
            let now = SystemClock().now().wall
            let wishes = StreamPurge.Wishes(cutoff: now.advanced(by: .zero - age), allowsNoIndex: noIndex)
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
    /// Records were removed from the stream, or something new stands in the way.
    ///
    /// - Parameter trouble: What that is, a sentence each.
    func purged(_ report: PurgeReport, trouble: [String]) {
        if report.removed > 0 { logger.info("\(report.removed) old records were removed from the stream.") }
        for line in trouble { logger.warning("\(line)") }
        guard isJSON, report.removed > 0 || !trouble.isEmpty else { return }
        Console.standard.write(json: .members(("purge", PurgeText.json(report))))
    }
}
