// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorJetStream
internal import Logging
internal import TrackwayCommand
internal import TrackwayCore

/// Deletes records of erased installations from the stream, while a forwarder writes.
struct RecordDeletionRunner: Sendable {
    /// The interval between searches.
    private static let pause: Duration = .seconds(5)
    /// The interval between searches while something blocks the deletion.
    private static let longPause: Duration = .seconds(60)

    private let engine: Engine
    private let store: ClickHouseStore
    private let reporter: ForwardReporter
    private let forwarding: ForwardingRunner

    /// Creates a runner for the erasures in the tables with this origin.
    init(_ engine: Engine, _ origin: ColumnOrigin, _ store: ClickHouseStore, _ reporter: ForwardReporter) {
        self.engine = engine
        self.store = store
        self.reporter = reporter
        forwarding = ForwardingRunner(
            engine.source(of: origin, isSecondary: true),
            store: store,
            clock: SystemClock(),
            sleep: CollectorHost.sleep
        )
    }

    /// Searches and deletes until the task is canceled.
    ///
    /// A forwarder on standby leaves this work to the one that writes.
    func run() async {
        var lastReason: String?
        while !Task.isCancelled {
            var pause = Self.pause
            if reporter.isWriting {
                let report = await forwarding.eraseRecords(engine.deletionIndexes, engine.maintenance, store)
                if Task.isCancelled { return }
                let reason = RecordDeletionText.reason(report)
                reporter.reportDeletion(report, problem: reason == lastReason ? nil : reason)
                lastReason = reason
                if reason != nil { pause = Self.longPause }
            }
            await CollectorHost.sleep(pause)
        }
    }

    /// Searches and deletes once.
    func runOnce() async {
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
