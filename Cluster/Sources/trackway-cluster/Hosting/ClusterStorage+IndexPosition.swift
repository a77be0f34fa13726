// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorJetStream
internal import CollectorSQLite
internal import Foundation
internal import Logging
internal import TrackwayCommand
internal import TrackwayCore

/// Reports how far this collector's index has read the stream.
extension ClusterStorage {
    /// The interval between reports.
    private static let interval: Duration = .seconds(10)

    /// The collector's name in reports, which purges take into account.
    private var readerName: String { "\(Self.machine):\(host.folder.path)" }

    private static var machine: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Checks that the stream still has the records after those in the index.
    ///
    /// - Throws: ``CommandFailure`` if the stream lacks some of them, because records must not be skipped.
    func check(_ index: SQLiteEventStore, _ facts: StreamFacts) async throws(CommandFailure) {
        let next = Self.nextSequence(of: index)
        var first = facts.firstSequence
        // With several streams, the order determines the first record. Records missing at the start may have been
        // erased.
        if engine.order.status != .single || first > next {
            do throws(StreamMaintenanceError) {
                first = try await engine.maintenance.extent().first
            } catch {
                throw CommandFailure(.temporary, error.description)
            }
        }
        guard let message = Self.lostRecordsMessage(next: next, first: first, facts.name, host.folder.index)
        else { return discardLegacyIndex(of: index) }
        let legacyIndexAdvice = index.legacyIndexPath.map {
            "run the older version, whose index at \($0) contains the missing records, after moving that index to "
                + "\(host.folder.index); or "
        }
        throw CommandFailure(
            .cannotCreate,
            message,
            remedy: (legacyIndexAdvice ?? "")
                + "stop another collector, copy its index.sqlite and stream.json into a new folder, and pass that "
                + "folder with --data; or start with --clickhouse and --no-index"
        )
    }

    /// Deletes the index of an older version.
    ///
    /// The stream has all records of that index, so it is no longer needed.
    private func discardLegacyIndex(of index: SQLiteEventStore) {
        do {
            try index.discardLegacyIndex()
        } catch {
            host.logger.warning("\(error.message)")
        }
    }

    /// Describes the records that an index can no longer read; nil for none.
    ///
    /// - Parameters:
    ///   - next: The sequence of the first record that the index does not have.
    ///   - first: The sequence of the first record in the stream.
    static func lostRecordsMessage(next: UInt64, first: UInt64, _ stream: String, _ path: String) -> String? {
        guard first > next else { return nil }
        return
            "the stream \(stream) starts with record \(first), because earlier ones were purged, but the index \(path) "
            + (next == 1 ? "has none of them" : "ends with record \(next - 1)") + ", so it cannot continue"
    }

    private static func nextSequence(of index: SQLiteEventStore) -> UInt64 { max(1, index.indexed.streamSequence) }

    /// Reports the index's position to NATS until the task is canceled.
    ///
    /// Does nothing without an index.
    func reportIndexPosition() async {
        guard let index else { return }
        var reportLog = PositionReportLog()
        while !Task.isCancelled {
            do throws(StreamMaintenanceError) {
                try await engine.maintenance.reportPosition(of: readerName, next: Self.nextSequence(of: index))
                if let recovery = reportLog.reportSucceeded() { host.logger.notice("\(recovery)") }
            } catch {
                if let warning = reportLog.reportFailed(error), !Task.isCancelled { host.logger.warning("\(warning)") }
            }
            await CollectorHost.sleep(Self.interval)
        }
    }
}

/// Decides when to log failed reports of an index's position.
///
/// A single failure is not logged, because NATS keeps the previously reported position.
struct PositionReportLog {
    /// The number of consecutive failures after which a failure is logged.
    private static let failuresToLog = 3
    private var failures = 0

    /// Handles a successful report.
    ///
    /// - Returns: A sentence to log; nil for none.
    mutating func reportSucceeded() -> String? {
        defer { failures = 0 }
        return failures >= Self.failuresToLog ? "The position of this index can be reported to NATS again." : nil
    }

    /// Handles a failed report.
    ///
    /// - Returns: A sentence to log; nil for none.
    mutating func reportFailed(_ error: StreamMaintenanceError) -> String? {
        failures += 1
        guard failures == Self.failuresToLog else { return nil }
        return
            "The position of this index could not be reported to NATS \(failures) times in a row, so a purge may "
            + "remove records that it needs: \(error)"
    }
}
