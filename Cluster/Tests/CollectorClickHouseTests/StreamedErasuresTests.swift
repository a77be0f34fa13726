// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorTesting
internal import Testing
internal import TrackwayEvents
internal import TrackwayJournal

@testable internal import CollectorClickHouse

@Suite("Erasures read from the stream before the tables have them")
struct StreamedErasuresTests {
    /// Erasures found, pauses, and notices.
    private final class Seen: Sendable {
        let found = Locked<[UInt64: InstallationID]>([:])
        let tables = Locked<UInt64?>(nil)
        let pauses = Locked<[Duration]>([])
        let notices = Locked<[String]>([])
    }

    private static func erasures(_ stream: StreamMemory, _ seen: Seen) -> StreamedErasures {
        StreamedErasures(
            records: stream,
            highest: { stream.highest },
            tables: { seen.tables.withLock { $0 } },
            isGone: { ($0 as? StreamMemory.Failure)?.description.contains("gone") ?? false },
            found: { installation, sequence in seen.found.withLock { $0[sequence] = installation } },
            notice: { sentence in seen.notices.withLock { $0.append(sentence) } },
            sleep: { pause in seen.pauses.withLock { $0.append(pause) } }
        )
    }

    private static func order(_ installation: UInt64) -> [UInt8] {
        ErasureRecord(
            received: Timestamp(milliseconds: 1),
            key: "ops",
            installation: SentBatch.installation(installation)
        ).bytes
    }

    /// Steps until there is nothing more to read.
    private static func read(_ erasures: StreamedErasures, _ place: inout StreamedErasures.Place, _ seen: Seen) async {
        let pauses = seen.pauses.withLock { $0.count }
        for _ in 0..<100 where seen.pauses.withLock({ $0.count }) == pauses { await erasures.step(&place) }
        #expect(seen.pauses.withLock { $0.count } == pauses + 1, "It never stops reading.")
    }

    @Test("erasures by operators or with a proof are found; other records, formats and unproven claims are not")
    func kinds() async {
        let (stream, seen) = (StreamMemory(), Seen())
        seen.tables.withLock { $0 = 0 }
        stream.append(SentBatch(1, 1...3).record)
        stream.append(Self.order(2), kind: .erasure)
        var own = SentBatch(3, 1...2)
        own.more = [SentBatch.tombstone(3)]
        stream.append(own.record)
        var claim = SentBatch(4, 1...1)
        claim.more = [#"{"name":"_installation_erased","time":1,"attributes":{"proof":"no"}}"#]
        stream.append(claim.record)
        stream.append(Self.order(5), kind: .erasedEvents)
        stream.append(Array("?".utf8), kind: .erasure)
        stream.append(Array("?".utf8))
        stream.append(own.record, kind: nil)
        var place = StreamedErasures.Place()
        await Self.read(Self.erasures(stream, seen), &place, seen)
        #expect(seen.found.withLock { $0 } == [2: SentBatch.installation(2), 3: SentBatch.installation(3)])
        #expect(place.next == 9)
    }

    @Test(
        "records in the tables are skipped; while the tables are unavailable, new records are read, and the rest later"
    )
    func beginning() async {
        let (stream, seen) = (StreamMemory(), Seen())
        for installation in 1...4 as ClosedRange<UInt64> { stream.append(Self.order(installation), kind: .erasure) }
        let erasures = Self.erasures(stream, seen)
        var place = StreamedErasures.Place()
        await Self.read(erasures, &place, seen)
        #expect(seen.found.withLock { $0.isEmpty } && place.next == 5)
        stream.append(Self.order(5), kind: .erasure)
        await Self.read(erasures, &place, seen)
        #expect(seen.found.withLock { $0.keys.sorted() } == [5])
        seen.tables.withLock { $0 = 2 }
        await Self.read(erasures, &place, seen)
        #expect(seen.found.withLock { $0.keys.sorted() } == [3, 4, 5] && place.next == 6)
        // If the tables' end is known at the start, reading begins there.
        let other = Seen()
        other.tables.withLock { $0 = 4 }
        var second = StreamedErasures.Place()
        await Self.read(Self.erasures(stream, other), &second, other)
        #expect(other.found.withLock { $0.keys.sorted() } == [5])
    }

    @Test("an unreadable stream is reported once and read later, and purged records are skipped")
    func failures() async {
        let (stream, seen) = (StreamMemory(), Seen())
        seen.tables.withLock { $0 = 0 }
        for installation in 1...3 as ClosedRange<UInt64> { stream.append(Self.order(installation), kind: .erasure) }
        stream.state.withLock { $0.trouble = "no server answers" }
        let erasures = Self.erasures(stream, seen)
        var place = StreamedErasures.Place()
        for _ in 0..<3 { await erasures.step(&place) }
        #expect(
            seen.notices.withLock { $0.count } == 1
                && seen.pauses.withLock { $0 } == Array(repeating: .seconds(1), count: 3)
        )
        #expect(seen.notices.withLock { $0[0].contains("no server answers") })
        stream.state.withLock { state in
            state.trouble = nil
            state.first = 3
        }
        seen.tables.withLock { $0 = 2 }
        await Self.read(erasures, &place, seen)
        #expect(seen.found.withLock { $0.keys.sorted() } == [3])
    }

    @Test("an installation is considered erased from its record onward, until the tables report it")
    func store() throws {
        let client = ClickHouseClient(try #require(ClickHouseAddress("http://127.0.0.1:1/t")))
        let store = ClickHouseEventStore(client)
        let (one, other) = (SentBatch.installation(1), SentBatch.installation(2))
        #expect(!store.isErased(one) && store.written == nil)
        store.ordered(one, at: 7)
        #expect(store.isErased(one) && !store.isErased(other))
        store.state.withLock { $0.last = 9 }
        // The tables already have that record, and so the erasures that it contains.
        store.ordered(other, at: 9)
        #expect(!store.isErased(other) && store.written == 9)
        store.ordered(other, at: 10)
        #expect(store.isErased(other))
    }
}
