// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorJetStream
internal import Logging
internal import TrackwayCommand
internal import TrackwayCore

/// Erases users, and deletes records of erased installations from the stream, while a forwarder writes.
struct RecordDeletionRunner: Sendable {
    /// The interval between searches.
    private static let pause: Duration = .seconds(5)
    /// The interval between searches while something blocks the deletion.
    private static let longPause: Duration = .seconds(60)

    private let engine: Engine
    private let store: ClickHouseStore
    private let reporter: ForwardReporter
    private let forwarding: ForwardingRunner
    private let erasures: (stream: ErasureStream, runner: ErasureRunner)?

    /// Creates a runner for the erasures in the tables with this origin.
    ///
    /// - Parameters:
    ///   - erasures: The erasures of users; nil without a key.
    ///   - advance: Writes new records into the tables, if no other task does.
    init(
        _ engine: Engine,
        _ origin: ColumnOrigin,
        _ store: ClickHouseStore,
        _ reporter: ForwardReporter,
        _ erasures: ErasureStream? = nil,
        advance: @escaping @Sendable () async -> Void = {}
    ) {
        self.engine = engine
        self.store = store
        self.reporter = reporter
        forwarding = ForwardingRunner(
            engine.source(of: origin, isSecondary: true),
            store: store,
            clock: SystemClock(),
            sleep: CollectorHost.sleep
        )
        self.erasures = erasures.map { stream in
            let source = ErasureRunner.Source(
                records: engine.scanRecords,
                stream: engine.maintenance,
                rewriter: engine.deletionIndexes,
                append: { kind, record, route throws(StreamMaintenanceError) in
                    try await engine.append(kind, record, route)
                },
                advance: advance
            )
            return (
                stream,
                ErasureRunner(
                    source,
                    journal: stream,
                    store: store,
                    clock: SystemClock(),
                    sleep: CollectorHost.sleep
                )
            )
        }
    }

    /// Searches and deletes until the task is canceled.
    ///
    /// A forwarder on standby leaves this work to the one that writes.
    func run() async {
        var lastReason: String?
        while !Task.isCancelled {
            var pause = Self.pause
            if reporter.isWriting {
                guard await eraseUsers() else {
                    await CollectorHost.sleep(.seconds(1))
                    continue
                }
                let report = await forwarding.eraseRecords(engine.deletionIndexes, engine.maintenance, store)
                if Task.isCancelled { return }
                let reason = RecordDeletionText.reason(report)
                reporter.reportDeletion(report, problem: reason == lastReason ? nil : reason)
                lastReason = reason
                if reason != nil { pause = Self.longPause }
            }
            await rest(pause)
        }
    }

    /// Waits, or returns early when the erasure of a user is requested.
    private func rest(_ pause: Duration) async {
        guard let erasures else { return await CollectorHost.sleep(pause) }
        for _ in 0..<pause.components.seconds where !Task.isCancelled {
            await CollectorHost.sleep(.seconds(1))
            try? await erasures.stream.refresh()  // The next attempt follows.
            if erasures.runner.isPending { return }
        }
    }

    /// Erases users.
    ///
    /// - Returns: Whether no erasure is pending. Until then, records are only replaced, so that all are counted.
    private func eraseUsers() async -> Bool {
        guard let erasures else { return true }
        let report = await erasures.runner.run()
        if Task.isCancelled { return false }
        reporter.reportErasures(report)
        return !erasures.runner.isPending
    }

    /// Searches and deletes once.
    func runOnce() async {
        guard await eraseUsers() else { return }
        let report = await forwarding.eraseRecords(engine.deletionIndexes, engine.maintenance, store)
        reporter.reportDeletion(report, problem: RecordDeletionText.reason(report))
    }
}

/// Formats the result of deleting erased records.
enum RecordDeletionText {
    /// Returns why records of erased installations remain.
    ///
    /// Returns nil if none remain, or if they remain only temporarily.
    static func reason(_ report: DeletionReport) -> String? {
        if let failure = report.failure { return failure }
        guard case .outdatedReader(let reader)? = report.stopReason else { return nil }
        return
            "Records of erased installations stay in the stream: the collector \(reader.name) runs an earlier version, "
            + "whose index would stop at a missing record. Upgrade the collector, or, if it has been decommissioned, "
            + "run `trackway-cluster cluster purge` with --forget."
    }

    /// Returns the line about deletions for `trackway-cluster cluster check`.
    ///
    /// - Parameters:
    ///   - listed: The number of records that were deleted or are about to be deleted.
    ///   - remainingBlocks: The number of blocks still to search or delete from.
    static func line(listed: UInt64, remainingBlocks: Int) -> String {
        "Records of erased installations listed for deletion: \(listed.grouped); blocks still to search or delete "
            + "from: \(remainingBlocks.grouped)."
    }
}

extension ForwardReporter {
    /// Reports the result of erasing users.
    func reportErasures(_ report: ErasureRunner.Report) {
        for id in report.completed { logger.info("The erasure \(id) is complete.") }
        if let problem = report.problem { logger.warning("Erasures of users are not complete: \(problem)") }
        guard isJSON, !report.completed.isEmpty || report.problem != nil else { return }
        Console.standard.write(
            json: .members(
                ("erasures", .array(report.completed.map { .string($0) })),
                ("trouble", report.problem.map { .string($0) } ?? .null)
            )
        )
    }

    /// Reports the result of deleting records of erased installations.
    ///
    /// - Parameter problem: A new problem, as a sentence; nil for none.
    func reportDeletion(_ report: DeletionReport, problem: String?) {
        health?.record(report)
        if report.deleted > 0 {
            logger.info("\(report.deleted) records of erased installations were deleted from the stream.")
        }
        if let problem { logger.warning("\(problem)") }
        guard isJSON, report.deleted > 0 || problem != nil else { return }
        Console.standard.write(
            json: .members(
                (
                    "erased",
                    .members(
                        ("records", .integer(Int64(report.deleted))),
                        ("blocks_left", report.remainingBlocks.map { .integer(Int64($0)) } ?? .null),
                        ("trouble", problem.map { .string($0) } ?? .null)
                    )
                )
            )
        )
    }
}
