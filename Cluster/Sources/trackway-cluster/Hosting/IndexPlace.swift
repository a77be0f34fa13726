// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorJetStream
internal import CollectorStore
internal import Foundation
internal import Logging
internal import TrackwayCommand
internal import TrackwayEvents

/// Reports how far this collector's index has read the stream.
extension ClusterStorage {
    /// The interval between reports.
    private static let interval: Duration = .seconds(10)

    /// The collector's name in reports, which a purge considers.
    private var readerName: String { "\(Self.machine):\(host.folder.path)" }

    private static var machine: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Checks that the stream still has the records after those in the index.
    ///
    /// - Throws: ``CommandFailure`` if it does not: no record is skipped.
    func check(_ index: SQLiteEventStore, _ facts: StreamFacts) async throws(CommandFailure) {
        let next = Self.next(of: index)
        var first = facts.firstSequence
        // With several streams, the order determines the first record. Missing records at the start may have been
        // erased.
        if engine.order.standing != .single || first > next {
            do throws(StreamMaintenanceError) {
                first = try await engine.keeping.extent().first
            } catch {
                throw CommandFailure(.temporary, error.description)
            }
        }
        guard let words = Self.loss(next: next, first: first, facts.name, host.folder.index)
        else { return discardFormer(of: index) }
        let former = index.former.map {
            "an older version's index with the missing records is at \($0), and that version can use it as "
                + "\(host.folder.index); or "
        }
        throw CommandFailure(
            .cannotCreate,
            words,
            remedy: (former ?? "")
                + "stop another collector, copy its index.sqlite and stream.json into a new folder, and pass that with "
                + "--data; or start with --analysis and --no-index"
        )
    }

    /// Deletes an older version's index.
    ///
    /// The stream has all of its records, so it is no longer needed.
    private func discardFormer(of index: SQLiteEventStore) {
        do {
            try index.discardFormer()
        } catch {
            host.logger.warning("\(error.message)")
        }
    }

    /// Describes the records an index cannot read anymore; nil for none.
    ///
    /// - Parameters:
    ///   - next: The sequence of the first record that it does not have.
    ///   - first: The sequence of the first record in the stream.
    static func loss(next: UInt64, first: UInt64, _ stream: String, _ path: String) -> String? {
        guard first > next else { return nil }
        return
            "the stream \(stream) starts with record \(first), because earlier ones were purged, but the index \(path) "
            + (next == 1 ? "has none of them" : "ends with record \(next - 1)") + ", so it cannot continue"
    }

    private static func next(of index: SQLiteEventStore) -> UInt64 { max(1, index.indexed.streamSequence) }

    /// Reports the index's position to NATS until the task is canceled.
    ///
    /// Does nothing without an index.
    func reportPlace() async {
        guard let index else { return }
        var news = PositionReportLog()
        while !Task.isCancelled {
            do throws(StreamMaintenanceError) {
                try await engine.keeping.tell(readerName, next: Self.next(of: index))
                if let relief = news.reported() { host.logger.notice("\(relief)") }
            } catch {
                if let warning = news.failed(error), !Task.isCancelled { host.logger.warning("\(warning)") }
            }
            await CollectorHost.sleep(Self.interval)
        }
    }
}

/// Decides when to log failed reports of an index's position.
///
/// A single failure is not logged, because NATS keeps the position reported before.
struct PositionReportLog {
    /// The number of consecutive failures to log.
    private static let lasting = 3
    private var failures = 0

    /// Handles a successful report.
    ///
    /// - Returns: A sentence to log; nil for none.
    mutating func reported() -> String? {
        defer { failures = 0 }
        return failures >= Self.lasting ? "The position of this index was reported to NATS again." : nil
    }

    /// Handles a failed report.
    ///
    /// - Returns: A sentence to log; nil for none.
    mutating func failed(_ error: StreamMaintenanceError) -> String? {
        failures += 1
        guard failures == Self.lasting else { return nil }
        return
            "The position of this index could not be reported to NATS \(failures) times in a row, so a purge may "
            + "remove records that it needs: \(error)"
    }
}
