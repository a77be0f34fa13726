// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorJetStream
internal import CollectorStore
internal import Foundation
internal import Logging
internal import TrackwayCommand
internal import TrackwayEvents

/// How far this collector's index has read the stream.
extension ClusterStorage {
    /// Interval between reports.
    private static let interval: Duration = .seconds(10)

    /// The name of this collector, for the purge of the stream.
    private var readerName: String { "\(Self.machine):\(host.folder.path)" }

    private static var machine: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Checks that the stream still has the records that follow those of the index.
    ///
    /// - Throws: ``CommandFailure`` when it does not: no record is skipped.
    func check(_ index: SQLiteEventStore, _ facts: StreamFacts) async throws(CommandFailure) {
        let next = Self.next(of: index)
        var first = facts.firstSequence
        // Of several streams the order says what is there; and of those in front that are missing some may have been erased.
        if engine.order.standing != .single || first > next {
            do throws(UpkeepFailure) {
                first = try await engine.keeping.extent().first
            } catch {
                throw CommandFailure(.temporary, error.description)
            }
        }
        guard let words = Self.loss(next: next, first: first, facts.name, host.folder.index)
        else { return discardFormer(of: index) }
        let former = index.former.map {
            "what an older version made of the records that are gone is in \($0), and that version can go on with it under the name "
                + "\(host.folder.index); or "
        }
        throw CommandFailure(
            .cannotCreate,
            words,
            remedy: (former ?? "")
                + "copy index.sqlite and stream.json of another collector, ended meanwhile, into a new folder, and name that with --data; "
                + "or start with --analysis and --no-index"
        )
    }

    /// The stream has all that an index of an older version was made of, so that is not needed any more.
    private func discardFormer(of index: SQLiteEventStore) {
        do {
            try index.discardFormer()
        } catch {
            host.logger.warning("\(error.message)")
        }
    }

    /// What is lost to an index; nil for nothing.
    ///
    /// - Parameters:
    ///   - next: The sequence of the first record that it does not have.
    ///   - first: The sequence of the first record that the stream has still.
    static func loss(next: UInt64, first: UInt64, _ stream: String, _ path: String) -> String? {
        guard first > next else { return nil }
        return
            "the stream \(stream) begins with record \(first), since those before were purged, and the index \(path) "
            + (next == 1 ? "has none of them" : "has those up to \(next - 1)") + ": it cannot go on from there"
    }

    private static func next(of index: SQLiteEventStore) -> UInt64 { max(1, index.indexed.streamSequence) }

    /// Reports the index's position to the engine until the task is canceled. Does nothing without an index.
    func reportPlace() async {
        guard let index else { return }
        var news = PlaceNews()
        while !Task.isCancelled {
            do throws(UpkeepFailure) {
                try await engine.keeping.tell(readerName, next: Self.next(of: index))
                if let relief = news.reported() { host.logger.notice("\(relief)") }
            } catch {
                if let warning = news.failed(error), !Task.isCancelled { host.logger.warning("\(warning)") }
            }
            await CollectorHost.sleep(Self.interval)
        }
    }
}

/// Decides when to log that the position of an index could not be reported to the engine.
///
/// One lost connection is no reason: the position that was reported before stays with the engine.
struct PlaceNews {
    /// The number of failures in a row that are logged.
    private static let lasting = 3
    private var failures = 0

    /// The position was reported.
    ///
    /// - Returns: A sentence to log; nil for none.
    mutating func reported() -> String? {
        defer { failures = 0 }
        return failures >= Self.lasting ? "The position of this index was reported to the engine again." : nil
    }

    /// The position could not be reported.
    ///
    /// - Returns: A sentence to log; nil for none.
    mutating func failed(_ error: UpkeepFailure) -> String? {
        failures += 1
        guard failures == Self.lasting else { return nil }
        return
            "The position of this index could not be reported to the engine \(failures) times in a row, so a purge may remove records that it "
            + "needs: \(error)"
    }
}
