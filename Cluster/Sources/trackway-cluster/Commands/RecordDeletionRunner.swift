// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import CollectorJetStream
internal import Logging
internal import TrackwayCommand
internal import TrackwayEvents

/// Deletes records of erased installations from the stream, while a forwarder writes.
struct RecordDeletionRunner: Sendable {
    /// The interval of searches.
    private static let pause: Duration = .seconds(5)
    /// The interval while something blocks the deletion.
    private static let longPause: Duration = .seconds(60)

    private let engine: Engine
    private let store: ClickHouseStore
    private let report: ForwardReport
    private let forwarding: ForwardingRunner

    /// Creates a task for the erasures in the tables of this origin.
    init(_ engine: Engine, _ origin: ColumnOrigin, _ store: ClickHouseStore, _ report: ForwardReport) {
        self.engine = engine
        self.store = store
        self.report = report
        forwarding = ForwardingRunner(
            engine.source(of: origin, isBeside: true),
            store: store,
            clock: SystemClock(),
            sleep: CollectorHost.sleep
        )
    }

    /// Searches and deletes until the task is canceled.
    ///
    /// A forwarder on stand-by leaves it to the writing one.
    func run() async {
        var told: String?
        while !Task.isCancelled {
            var pause = Self.pause
            if report.isWriting {
                let found = await forwarding.eraseRecords(engine.erased, engine.keeping, store)
                if Task.isCancelled { return }
                let words = ErasingText.words(found)
                report.erased(found, trouble: words == told ? nil : words)
                told = words
                if words != nil { pause = Self.longPause }
            }
            await CollectorHost.sleep(pause)
        }
    }

    /// Searches and deletes once.
    func once() async {
        let found = await forwarding.eraseRecords(engine.erased, engine.keeping, store)
        report.erased(found, trouble: ErasingText.words(found))
    }
}

/// Formats the deletion of erased records.
enum ErasingText {
    /// Returns why records of erased installations stay.
    ///
    /// Nil if none do, or only temporarily.
    static func words(_ report: DeletionReport) -> String? {
        if let trouble = report.trouble { return trouble }
        guard case .reader(let reader)? = report.hold else { return nil }
        return
            "Records of erased installations stay in the stream: the collector \(reader.name) has an earlier version, "
            + "whose index would stop at a missing record. Upgrade it, or, if it is gone for good, forget it with "
            + "`trackway-cluster engine purge` and --forget."
    }

    /// Returns the line in `trackway-cluster engine check`.
    ///
    /// - Parameters:
    ///   - listed: The number of records that are deleted or about to be.
    ///   - left: The number of blocks still to search or delete from.
    static func line(listed: UInt64, left: Int) -> String {
        "Records of erased installations listed for deletion: \(listed.grouped); blocks still to search or delete "
            + "from: \(left.grouped)."
    }
}

extension ForwardReport {
    /// Reports a search for records of erased installations.
    ///
    /// - Parameter trouble: A new problem, as a sentence; nil for none.
    func erased(_ found: DeletionReport, trouble: String?) {
        health?.erased(found)
        if found.deleted > 0 {
            logger.info("\(found.deleted) records of erased installations were deleted from the stream.")
        }
        if let trouble { logger.warning("\(trouble)") }
        guard isJSON, found.deleted > 0 || trouble != nil else { return }
        Console.standard.write(
            json: .members(
                (
                    "erased",
                    .members(
                        ("records", .integer(Int64(found.deleted))),
                        ("blocks_left", found.left.map { .integer(Int64($0)) } ?? .null),
                        ("trouble", trouble.map { .string($0) } ?? .null)
                    )
                )
            )
        )
    }
}
