// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

/// An in-memory stream that a test can break.
final class ListedStream: RecordStream {
    struct Failure: Error, CustomStringConvertible { let description: String }

    struct State: Sendable {
        var records: [(kind: FrameKind?, payload: [UInt8])] = []
        /// The maximum number of records returned at once.
        var window = 2
        /// The number of a record that is missing.
        var gone: Int?
        var reads = 0
    }

    let state = Locked(State())

    func append(_ payload: [UInt8], kind: FrameKind? = .intake) {
        state.withLock { $0.records.append((kind, payload)) }
    }

    var end: LogPosition { Self.place(state.withLock { $0.records.count } + 1) }

    static func place(_ sequence: Int) -> LogPosition { LogPosition(stream: 0, sequence: UInt64(sequence)) }

    func records(from start: LogPosition, upTo limit: LogPosition) async throws -> [StreamedRecord] {
        let first = max(Int(start.streamSequence), 1)
        return try state.withLock { state in
            state.reads += 1
            guard state.gone != first, first <= state.records.count else {
                throw Failure(description: "the stream has no record \(first)")
            }
            let last = min(first + state.window - 1, state.records.count, (state.gone ?? .max) - 1)
            return (first...last).map { number in
                let (kind, payload) = state.records[number - 1]
                return StreamedRecord(
                    kind: kind,
                    start: Self.place(number),
                    end: Self.place(number + 1),
                    payload: payload
                )
            }
        }
    }
}

@Suite("An index of a stream")
struct StreamIndexTests {
    /// A folder with an index of a stream.
    private final class Environment {
        let folder = FileManager.default.temporaryDirectory.path + "/trackway-stream-" + UUID().uuidString
        let stream: ListedStream
        private(set) var store: SQLiteEventStore
        private(set) var indexer: Indexer

        init(_ stream: ListedStream, eventsPerStep: Int = Indexer.defaultEventsPerStep) throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            self.stream = stream
            store = try SQLiteEventStore(path: folder + "/index.sqlite", timeout: .zero)
            indexer = Indexer(stream: stream, store: store, eventsPerStep: eventsPerStep)
        }

        deinit {
            do {
                try store.close()
                try FileManager.default.removeItem(atPath: folder)
            } catch {
                // The system cleans the temporary folder.
            }
        }

        func restart() throws {
            try store.close()
            store = try SQLiteEventStore(path: folder + "/index.sqlite", timeout: .zero)
            indexer = Indexer(stream: stream, store: store)
        }

        func index() async throws {
            indexer.markDurable(upTo: stream.end)
            try await indexer.catchUp()
        }

        func ids() async throws -> [EventID] {
            try await store.events(matching: EventQuery(order: .oldestFirst, limit: 10_000)).map(\.id)
        }

        func failureReason() async -> String? {
            do throws(StoreError) {
                _ = try await indexer.step()
                return nil
            } catch {
                return error.message
            }
        }
    }

    private static func batch(_ number: UInt64, of installation: UInt64 = 1) -> Batch {
        var batch = Batch(installation, 1, (number * 3 - 2)...(number * 3))
        batch.lines = (1...3).map { line(installation * 1_000 + number * 10 + $0) }
        return batch
    }

    private static func stream(_ batches: ClosedRange<UInt64> = 1...7) -> ListedStream {
        let stream = ListedStream()
        for number in batches { stream.append(batch(number).record) }
        return stream
    }

    @Test
    func `an index of a stream contains the same events as one of a log with the same records, in the same order`()
        async throws
    {
        let stream = Self.stream()
        let log = try IndexEnvironment()
        for number in UInt64(1)...7 { try log.append(Self.batch(number)) }
        stream.append(Self.batch(3).record)
        try log.append(Self.batch(3))
        let index = try Environment(stream)
        try await index.index()
        try await log.index()
        #expect(try await index.ids() == log.all().map(\.id))
        #expect(try await index.store.totals() == log.store.totals())
        #expect(try await index.store.ledger(installation: nil) == log.store.ledger(installation: nil))
        #expect(index.store.progressNow.duplicates == 3)
        let position = try #require(try await index.store.events(matching: EventQuery(limit: 1)).first?.position)
        #expect(position.stream == 0 && position.streamSequence == 7 && position.ordinal == 2)
    }

    @Test(arguments: [1, 2, 5])
    func `two indexes of one stream are identical, regardless of the read batch size`(window: Int) async throws {
        let stream = Self.stream()
        let first = try Environment(stream, eventsPerStep: 4)
        try await first.index()
        stream.state.withLock { $0.window = window }
        let second = try Environment(stream)
        try await second.index()
        #expect(try await first.ids() == second.ids())
        #expect(try await first.ids().count == 21)
        #expect(first.store.indexed == second.store.indexed)
    }

    @Test
    func `an index continues from its position after a restart, and reads nothing twice`() async throws {
        let stream = Self.stream(1...3)
        let index = try Environment(stream)
        try await index.index()
        for number in UInt64(4)...9 { stream.append(Self.batch(number).record) }
        try index.restart()
        let reads = stream.state.withLock { $0.reads }
        try await index.index()
        #expect(try await index.ids().count == 27)
        #expect(index.store.progressNow.duplicates == 0)
        // Six records, two at a time.
        #expect(stream.state.withLock { $0.reads } == reads + 3)
    }

    @Test
    func `records that another indexer wrote between reading and committing are not written again`() async throws {
        let stream = Self.stream()
        let index = try Environment(stream, eventsPerStep: 3)
        index.indexer.markDurable(upTo: stream.end)
        // Reads the second chunk ahead; another indexer writes it first.
        #expect(try await index.indexer.step() == .advanced)
        let other = Indexer(stream: stream, store: index.store)
        other.markDurable(upTo: stream.end)
        try await other.catchUp()
        try await index.indexer.catchUp()
        #expect(try await index.ids().count == 21)
        #expect(index.store.progressNow.duplicates == 0)
    }

    @Test
    func `nothing beyond the durable position is indexed`() async throws {
        let stream = Self.stream()
        stream.state.withLock { $0.window = 100 }
        let index = try Environment(stream)
        index.indexer.markDurable(upTo: ListedStream.place(4))
        try await index.indexer.catchUp()
        #expect(try await index.ids().count == 9)
        #expect(index.store.progressNow.cursor == ListedStream.place(4))
    }

    @Test
    func `a gap stops the index with an error, and it continues when the record is available again`() async throws {
        let stream = Self.stream()
        stream.state.withLock { $0.gone = 4 }
        let index = try Environment(stream)
        // A new index first reads the whole stream, so nothing is indexed yet.
        index.indexer.markDurable(upTo: stream.end)
        let sentence = try #require(await index.failureReason())
        #expect(sentence.hasSuffix("cannot follow the engine's stream: the stream has no record 4"))
        #expect(await index.failureReason() == sentence)
        stream.state.withLock { $0.gone = nil }
        try await index.index()
        #expect(try await index.ids().count == 21)
    }

    @Test
    func `a stream that ends before the index's position stops the index with an error`() async throws {
        let index = try Environment(Self.stream())
        try await index.index()
        try index.restart()
        index.indexer.markDurable(upTo: ListedStream.place(5))
        let sentence = try #require(await index.failureReason())
        #expect(sentence.hasPrefix("The index is ahead of the engine's stream"))
    }

    @Test
    func `an erasure applies to a new index before its record is reached, and foreign records are counted`()
        async throws
    {
        let stream = Self.stream(1...4)
        stream.append(Array("not a collector record".utf8), kind: nil)
        stream.append(Self.batch(1, of: 2).record)
        let order = ErasureRecord(received: Timestamp(milliseconds: 5), key: "operator", installation: .numbered(1))
        stream.append(order.bytes, kind: .erasure)
        let index = try Environment(stream, eventsPerStep: 3)
        index.indexer.markDurable(upTo: stream.end)
        #expect(try await index.indexer.step() == .advanced)
        #expect(index.store.isErased(.numbered(1)))
        #expect(index.store.isBuilding && index.store.progressNow.events == 0)
        try await index.indexer.catchUp()
        #expect(try await index.ids().count == 3)
        #expect(index.store.progressNow.damaged == 1)
    }
}
