// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import CollectorJetStream
internal import Logging
internal import TrackwayCommand
internal import TrackwayEvents

/// Deletes the records of erased installations from the stream, again and again, beside a forwarding that writes.
struct RecordErasing: Sendable {
    /// Between two looks whether somebody was erased.
    private static let pause: Duration = .seconds(5)
    /// Between two looks while something stands in the way.
    private static let longPause: Duration = .seconds(60)

    private let engine: Engine
    private let store: ClickHouseStore
    private let report: ForwardReport
    private let forwarding: StreamForwarding

    /// Deletes what the tables of this origin say was erased.
    init(_ engine: Engine, _ origin: ColumnOrigin, _ store: ClickHouseStore, _ report: ForwardReport) {
        self.engine = engine
        self.store = store
        self.report = report
        forwarding = StreamForwarding(
            engine.source(of: origin, isBeside: true),
            store: store,
            clock: SystemClock(),
            sleep: CollectorHost.sleep
        )
    }

    /// Looks and deletes until the task is cancelled. One that stands by leaves it to the one that writes.
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

    /// Looks and deletes once.
    func once() async {
        let found = await forwarding.eraseRecords(engine.erased, engine.keeping, store)
        report.erased(found, trouble: ErasingText.words(found))
    }
}

/// What is told of records that are deleted.
enum ErasingText {
    /// Why records of erased installations stay, in a sentence; nil when none do, or only for now.
    static func words(_ report: ErasingReport) -> String? {
        if let trouble = report.trouble { return trouble }
        guard case .reader(let reader)? = report.hold else { return nil }
        return
            "Records of erased installations stay in the stream: the collector \(reader.name) is of an earlier version, whose index would stop "
            + "where one is missing. Install this version there, too; or, when it is gone for good, forget it with `trackway-cluster engine purge` "
            + "and --forget."
    }

    /// What `trackway-cluster engine check` tells of them.
    ///
    /// - Parameters:
    ///   - listed: How many were deleted, or are about to be.
    ///   - left: In how many blocks some are still to be looked for, or to be deleted.
    static func line(listed: UInt64, left: Int) -> String {
        "Records of erased installations that are listed for deletion: \(listed.grouped); blocks in which some are still to be looked for or "
            + "deleted: \(left.grouped)."
    }
}

extension ForwardReport {
    /// Records of erased installations were looked for.
    ///
    /// - Parameter trouble: What new stands in the way, in a sentence; nil for nothing.
    func erased(_ found: ErasingReport, trouble: String?) {
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
