// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorJetStream
internal import Logging
internal import TrackwayCommand
internal import TrackwayCore

/// The time for which a forwarder keeps records in the stream.
struct StreamRetentionOptions: ParsableArguments {
    /// The interval between purges.
    private static let pause: Duration = .seconds(3_600)

    @Option(
        help: ArgumentHelp(
            """
            Age after which records are removed from the stream, such as 7d or 36h, once ClickHouse has them and \
            every index has read them. Default: never.
            """,
            valueName: "time"
        )
    )
    var streamRetention: String?

    @Flag(help: "With --stream-retention, assume that no collector has an index because all run with --no-index.")
    var noIndex = false

    /// Validates the options.
    func validate() throws {
        _ = try time()
        if noIndex, streamRetention == nil { throw ValidationError("--no-index requires --stream-retention 7d") }
    }

    private func time() throws -> RetentionTime? {
        try streamRetention.map { try RetentionTime($0, option: "--stream-retention") }
    }

    /// Purges repeatedly until the task is canceled.
    ///
    /// Does nothing without a retention time.
    func run(
        _ forwarding: ForwardingRunner,
        _ engine: Engine,
        _ store: ClickHouseStore,
        _ reporter: ForwardReporter
    ) async {
        // The option was validated earlier.
        guard let age = try? time()?.duration else { return }
        var lastReasons: [String] = []
        while !Task.isCancelled {
            let now = SystemClock().now().wall
            let options = PurgePlanner.Options(cutoff: now.advanced(by: .zero - age), allowsNoIndex: noIndex)
            let report = await forwarding.purge(engine.maintenance, store, options)
            if Task.isCancelled { return }
            let reasons = report.isSuccess(at: now) ? [] : PurgeText.reasons(report, at: now)
            reporter.reportPurge(report, problems: reasons == lastReasons ? [] : reasons)
            lastReasons = reasons
            await CollectorHost.sleep(Self.pause)
        }
    }
}

extension ForwardReporter {
    /// Reports removed records and new problems.
    ///
    /// - Parameter problems: The new problems, one sentence each.
    func reportPurge(_ report: PurgeReport, problems: [String]) {
        if report.removed > 0 { logger.info("\(report.removed) old records were removed from the stream.") }
        for problem in problems { logger.warning("\(problem)") }
        guard isJSON, report.removed > 0 || !problems.isEmpty else { return }
        Console.standard.write(json: .members(("purge", PurgeText.json(report))))
    }
}
