// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorClickHouse

@Suite("Erasures read from the stream before the tables have them")
struct ErasureFollowerTests {
    /// The observed erasures, pauses and warnings.
    private final class Observations: Sendable {
        let found = Locked<[UInt64: InstallationID]>([:])
        let tableEnd = Locked<UInt64?>(nil)
        let pauses = Locked<[Duration]>([])
        let warnings = Locked<[String]>([])
    }

    private static func follower(_ stream: InMemoryStream, _ observed: Observations) -> ErasureFollower {
        ErasureFollower(
            records: stream,
            streamEnd: { stream.highest },
            tableEnd: { observed.tableEnd.withLock { $0 } },
            isPermanentlyMissing: { ($0 as? InMemoryStream.Failure)?.description.contains("gone") ?? false },
            onErasure: { installation, sequence in observed.found.withLock { $0[sequence] = installation } },
            onWarning: { sentence in observed.warnings.withLock { $0.append(sentence) } },
            sleep: { pause in observed.pauses.withLock { $0.append(pause) } }
        )
    }

    private static func erasureRecord(_ installation: UInt64) -> [UInt8] {
        ErasureRecord(
            received: Timestamp(milliseconds: 1),
            key: "ops",
            installation: SentBatch.installation(installation)
        ).bytes
    }

    /// Steps until there is nothing more to read.
    private static func read(
        _ follower: ErasureFollower,
        _ state: inout ErasureFollower.ReadState,
        _ observed: Observations
    ) async {
        let pauses = observed.pauses.withLock { $0.count }
        for _ in 0..<100 where observed.pauses.withLock({ $0.count }) == pauses { await follower.step(&state) }
        #expect(observed.pauses.withLock { $0.count } == pauses + 1, "The follower never stops reading.")
    }

    @Test
    func `erasures by operators or with a proof are found; other records, formats and unproven claims are not`() async {
        let (stream, observed) = (InMemoryStream(), Observations())
        observed.tableEnd.withLock { $0 = 0 }
        stream.append(SentBatch(1, 1...3).record)
        stream.append(Self.erasureRecord(2), kind: .erasure)
        var ownErasure = SentBatch(3, 1...2)
        ownErasure.more = [SentBatch.tombstone(3)]
        stream.append(ownErasure.record)
        var claim = SentBatch(4, 1...1)
        claim.more = [#"{"name":"_installation_erased","time":1,"attributes":{"proof":"no"}}"#]
        stream.append(claim.record)
        stream.append(Self.erasureRecord(5), kind: .erasedEvents)
        stream.append(Array("?".utf8), kind: .erasure)
        stream.append(Array("?".utf8))
        stream.append(ownErasure.record, kind: nil)
        var state = ErasureFollower.ReadState()
        await Self.read(Self.follower(stream, observed), &state, observed)
        #expect(observed.found.withLock { $0 } == [2: SentBatch.installation(2), 3: SentBatch.installation(3)])
        #expect(state.next == 9)
    }

    @Test
    func
        `records in the tables are skipped; while the tables are unavailable, new records are read first`()
        async
    {
        let (stream, observed) = (InMemoryStream(), Observations())
        for installation in 1...4 as ClosedRange<UInt64> {
            stream.append(Self.erasureRecord(installation), kind: .erasure)
        }
        let follower = Self.follower(stream, observed)
        var state = ErasureFollower.ReadState()
        await Self.read(follower, &state, observed)
        #expect(observed.found.withLock { $0.isEmpty } && state.next == 5)
        stream.append(Self.erasureRecord(5), kind: .erasure)
        await Self.read(follower, &state, observed)
        #expect(observed.found.withLock { $0.keys.sorted() } == [5])
        observed.tableEnd.withLock { $0 = 2 }
        await Self.read(follower, &state, observed)
        #expect(observed.found.withLock { $0.keys.sorted() } == [3, 4, 5] && state.next == 6)
        // If the tables' end is known at the start, reading begins there.
        let other = Observations()
        other.tableEnd.withLock { $0 = 4 }
        var second = ErasureFollower.ReadState()
        await Self.read(Self.follower(stream, other), &second, other)
        #expect(other.found.withLock { $0.keys.sorted() } == [5])
    }

    @Test
    func `an unreadable stream is reported once and read later, and purged records are skipped`() async {
        let (stream, observed) = (InMemoryStream(), Observations())
        observed.tableEnd.withLock { $0 = 0 }
        for installation in 1...3 as ClosedRange<UInt64> {
            stream.append(Self.erasureRecord(installation), kind: .erasure)
        }
        stream.state.withLock { $0.unavailableReason = "no server answers" }
        let follower = Self.follower(stream, observed)
        var state = ErasureFollower.ReadState()
        for _ in 0..<3 { await follower.step(&state) }
        #expect(
            observed.warnings.withLock { $0.count } == 1
                && observed.pauses.withLock { $0 } == Array(repeating: .seconds(1), count: 3)
        )
        #expect(observed.warnings.withLock { $0[0].contains("no server answers") })
        stream.state.withLock { state in
            state.unavailableReason = nil
            state.first = 3
        }
        observed.tableEnd.withLock { $0 = 2 }
        await Self.read(follower, &state, observed)
        #expect(observed.found.withLock { $0.keys.sorted() } == [3])
    }

    @Test
    func `an installation is considered erased from its record onward, until the tables report it`() throws {
        let client = ClickHouseClient(try #require(ClickHouseAddress("http://127.0.0.1:1/t")))
        let store = ClickHouseEventStore(client)
        let (one, other) = (SentBatch.installation(1), SentBatch.installation(2))
        #expect(!store.isErased(one) && store.written == nil)
        store.addPendingErasure(of: one, at: 7)
        #expect(store.isErased(one) && !store.isErased(other))
        store.state.withLock { $0.last = 9 }
        // The tables already have that record, and therefore the erasures that it contains.
        store.addPendingErasure(of: other, at: 9)
        #expect(!store.isErased(other) && store.written == 9)
        store.addPendingErasure(of: other, at: 10)
        #expect(store.isErased(other))
    }
}
