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
        var told: String?
        while !Task.isCancelled {
            do throws(UpkeepFailure) {
                try await engine.keeping.tell(readerName, next: Self.next(of: index))
                if told != nil { host.logger.notice("How far this index is could be told to the engine again.") }
                told = nil
            } catch {
                // While the engine cannot be reached that is told elsewhere; here it is what follows from it.
                if told == nil, !Task.isCancelled {
                    host.logger.warning(
                        "How far this index is cannot be told, and what it needs may be purged: \(error)"
                    )
                }
                told = error.description
            }
            await CollectorHost.sleep(Self.interval)
        }
    }
}
