// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable import CollectorJetStream

@Suite("Reading a stream whose erased records were deleted", .timeLimit(.minutes(5)))
struct DeletionIndexTests {
    private let engine = SimulatedEngine()

    private var list: DeletionIndex {
        DeletionIndex(engine, system: engine, names: StreamNames(), created: { SimulatedDeletionIndex.created })
    }

    private func follower(records: Int = 256) -> StreamFollower {
        var limits = StreamFollower.Limits()
        limits.records = records
        return StreamFollower(
            engine,
            names: StreamNames(),
            limits: limits,
            deletionIndex: list,
            sleep: { _ in await Task.yield() },
            highest: { 0 },
            onReach: { _ in }
        )
    }

    private func fill(_ count: Int, without deleted: some Sequence<Int>, listed: some Sequence<Int>) {
        let (deleted, listed) = (Set(deleted), Array(listed))
        engine.change { state in
            state.records = (1...count).map { ("\($0)", ["Trackway-Kind": "intake"], [UInt8(truncatingIfNeeded: $0)]) }
            state.deleted = deleted
            state.list.list(listed)
        }
    }

    private static func position(_ sequence: Int) -> LogPosition { LogPosition(stream: 0, sequence: UInt64(sequence)) }

    /// Returns all records up to `last`, as an index reads them, and the fault that ended reading.
    private func read(_ follower: StreamFollower, upTo last: Int) async -> (
        records: [StreamedRecord], fault: StreamFault?
    ) {
        var (next, all) = (1, [StreamedRecord]())
        while next <= last {
            do {
                all += try await follower.records(from: Self.position(next), upTo: Self.position(last + 1))
                next = Int(all.last?.end.streamSequence ?? .max)
            } catch {
                return (all, error as? StreamFault)
            }
        }
        return (all, nil)
    }

    @Test(arguments: [
        [1], [1, 2, 3], [4], [3, 5, 7], [2, 3, 4, 5, 6, 7, 8], [9], [8, 9], [1, 9], Array(1...8), Array(1...9),
    ])
    func `listed gaps are skipped anywhere in the stream, and every sequence keeps its position`(gaps: [Int]) async {
        for window in [1, 3, 256] {
            fill(9, without: gaps, listed: gaps)
            let (records, fault) = await read(follower(records: window), upTo: 9)
            #expect(fault == nil)
            #expect(records.map(\.start) == (1...9).map { Self.position($0) })
            #expect(records.map(\.end) == (2...10).map { Self.position($0) })
            for (record, sequence) in zip(records, 1...9) {
                #expect(record.kind == (gaps.contains(sequence) ? .erasedEvents : .intake))
            }
        }
    }

    @Test(arguments: [1, 4, 7, 8])
    func `a gap that is not listed stops the reader, even next to listed gaps`(gap: Int) async {
        fill(9, without: [1, 2, 4, 7, 8], listed: [1, 2, 4, 7, 8].filter { $0 != gap })
        let (records, fault) = await read(follower(), upTo: 9)
        #expect(records.count == gap - 1)
        let next = gap == 1 ? 3 : gap == 7 ? 9 : gap + 1
        // The server knows where the gap ends, and the list covers the records after its first one.
        #expect(fault == .gap(stream: "INTAKE_0", sequence: UInt64(gap), next: UInt64(next)))
    }

    @Test
    func `many gaps are looked up together`() async {
        fill(3_000, without: 2...2_999, listed: 2...2_999)
        let (records, fault) = await read(follower(), upTo: 3_000)
        #expect(fault == nil && records.count == 3_000)
        let requests = engine.state.withLock { $0.list.requestsToCopies }
        #expect((12...13).contains(requests), "\(requests)")
    }

    @Test(arguments: [SimulatedDeletionIndex.Availability.unresponsive, .leaderless, .lagging])
    func `while the list cannot be read, no gap is skipped or treated as a loss`(
        availability: SimulatedDeletionIndex.Availability
    ) async {
        fill(5, without: [3], listed: [3])
        engine.change { $0.list.availability = availability }
        let follower = follower()
        let (records, fault) = await read(follower, upTo: 5)
        #expect(records.count == 2)
        guard case .unavailable("INTAKE_0", 3, _)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        engine.change { $0.list.availability = .complete }
        #expect(await read(follower, upTo: 5).records.count == 5)
    }

    @Test
    func `entries for a different stream of the same name, or a missing list, do not justify a gap`() async {
        fill(5, without: [3], listed: [])
        let gap = StreamFault.gap(stream: "INTAKE_0", sequence: 3, next: 4)
        engine.change { $0.list.availability = .missing }
        #expect(await read(follower(), upTo: 5).fault == gap)
        engine.change { $0.list.list([3], of: "2025-01-01T00:00:00Z") }
        let (records, fault) = await read(follower(), upTo: 5)
        #expect(records.count == 2 && fault?.isGap != nil && fault != nil)
        engine.change { $0.list.entries["erased.0.3"] = Array("{}".utf8) }
        #expect(await read(follower(), upTo: 5).records.count == 2)
    }

    @Test
    func `a record that is listed but not deleted yet is read normally`() async {
        fill(5, without: [], listed: [3])
        let (records, fault) = await read(follower(), upTo: 5)
        #expect(fault == nil && records.map(\.kind) == Array(repeating: .intake, count: 5))
    }

    @Test
    func `a stream's start includes deleted erased records at the front, but not purged records`() async throws {
        engine.change { $0.list.list([4, 6, 7, 8]) }
        #expect(try await list.startOfListedRun(before: 9) == 6)
        #expect(try await list.startOfListedRun(before: 5) == 4)
        #expect(try await list.startOfListedRun(before: 4) == 4)
        #expect(try await list.startOfListedRun(before: 1) == 1)
        engine.change { $0.list.list(1...2_000) }
        #expect(try await list.startOfListedRun(before: 2_001) == 1)
        for availability in [SimulatedDeletionIndex.Availability.unresponsive, .leaderless, .lagging] {
            engine.change { $0.list.availability = availability }
            await #expect(throws: StreamMaintenanceError.self) { try await list.startOfListedRun(before: 9) }
        }
        engine.change { $0.list.availability = .missing }
        #expect(try await list.startOfListedRun(before: 9) == 9)
    }

    @Test
    func `listed records are counted, progress is stored, and deleting a deleted record succeeds`() async throws {
        let list = list
        #expect(try await list.count() == 0)
        #expect(try await list.progress() == ErasureProgress())
        try await list.prepare()
        let record = DeletedRecordEntry(sequence: 7, installation: InstallationID(high: 1, low: 2), events: 3)
        try await list.append(record)
        try await list.append(record)
        let progress = ErasureProgress(done: 1, goal: 4, next: 3)
        try await list.save(progress)
        #expect(try await list.count() == 1)
        #expect(try await list.progress() == progress)
        for answer in [nil, #"{"error":{"code":400,"err_code":10043,"description":"sequence 7 not found"}}"#] {
            engine.change { $0.list.deletionError = answer }
            try await list.delete(7)
        }
        engine.change {
            $0.list.deletionError =
                #"{"error":{"code":500,"err_code":10057,"description":"message delete not permitted"}}"#
        }
        let failure = await #expect(throws: StreamMaintenanceError.self) { try await list.delete(7) }
        #expect(failure?.description.contains("“message delete not permitted”") == true)
        #expect(failure?.description.contains("$JS.API.STREAM.MSG.DELETE.INTAKE_0") == true)
    }

    @Test
    func `a list on a server that does not sync every write is not used`() async {
        engine.change { $0.reports = [[MemberReport(name: "n0"), MemberReport(name: "n1", syncsAlways: false)]] }
        let failure = await #expect(throws: StreamMaintenanceError.self) { try await list.prepare() }
        #expect(failure?.description.contains("could not be listed safely") == true)
    }

    @Test
    func `the list's stream keeps the last entry of each record permanently`() throws {
        let json = try JSONValue.parse(StreamSetup(erasedOf: StreamNames(number: 3)).configuration)
        #expect(json["name"]?.string == "ERASED_3" && json["subjects"]?.array?.first?.string == "erased.3.*")
        #expect(json["num_replicas"]?.integer == 3 && json["storage"]?.string == "file")
        #expect(json["deny_delete"]?.boolean == true && json["deny_purge"]?.boolean == true)
        #expect(json["max_msgs_per_subject"]?.integer == 1 && json["max_age"]?.integer == 0)
        // Streams of records must allow deletion.
        let intake = try JSONValue.parse(StreamSetup(StreamNames(), bytes: 1 << 30).configuration)
        #expect(intake["deny_delete"] == nil)
    }
}
