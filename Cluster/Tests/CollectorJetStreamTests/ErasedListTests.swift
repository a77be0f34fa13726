// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Testing
internal import TrackwayEvents
internal import TrackwayJournal

@testable import CollectorJetStream

@Suite("Reading a stream of which records were deleted since they were erased", .timeLimit(.minutes(5)))
struct ErasedListTests {
    private let engine = SimulatedEngine()

    private var list: ErasedList {
        ErasedList(engine, system: engine, place: StreamPlace(), created: { SimulatedList.created })
    }

    private func follower(records: Int = 256) -> StreamFollower {
        var limits = StreamFollower.Limits()
        limits.records = records
        return StreamFollower(
            engine,
            place: StreamPlace(),
            limits: limits,
            erased: list,
            sleep: { _ in await Task.yield() },
            highest: { 0 },
            reached: { _ in }
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

    private static func place(_ sequence: Int) -> LogPosition { LogPosition(stream: 0, sequence: UInt64(sequence)) }

    /// Everything up to a record, as an index reads it, and the fault that ends it.
    private func read(_ follower: StreamFollower, upTo last: Int) async -> (
        records: [StreamedRecord], fault: StreamFault?
    ) {
        var (next, all) = (1, [StreamedRecord]())
        while next <= last {
            do {
                all += try await follower.records(from: Self.place(next), upTo: Self.place(last + 1))
                next = Int(all.last?.end.streamSequence ?? .max)
            } catch {
                return (all, error as? StreamFault)
            }
        }
        return (all, nil)
    }

    @Test(
        "listed holes are passed over wherever they are, and every sequence has its place",
        arguments: [
            [1], [1, 2, 3], [4], [3, 5, 7], [2, 3, 4, 5, 6, 7, 8], [9], [8, 9], [1, 9], Array(1...8), Array(1...9),
        ]
    )
    func listed(holes: [Int]) async {
        for window in [1, 3, 256] {
            fill(9, without: holes, listed: holes)
            let (records, fault) = await read(follower(records: window), upTo: 9)
            #expect(fault == nil)
            #expect(records.map(\.start) == (1...9).map { Self.place($0) })
            #expect(records.map(\.end) == (2...10).map { Self.place($0) })
            for (record, sequence) in zip(records, 1...9) {
                #expect(record.kind == (holes.contains(sequence) ? .erasedEvents : .intake))
            }
        }
    }

    @Test("a hole that is not listed stops the reader, beside those that are", arguments: [1, 4, 7, 8])
    func unlisted(hole: Int) async {
        fill(9, without: [1, 2, 4, 7, 8], listed: [1, 2, 4, 7, 8].filter { $0 != hole })
        let (records, fault) = await read(follower(), upTo: 9)
        #expect(records.count == hole - 1)
        let next = hole == 1 ? 3 : hole == 7 ? 9 : hole + 1
        // The engine knows where the hole ends, and the list knows of what is behind the first of it.
        #expect(fault == .gap(stream: "INTAKE_0", sequence: UInt64(hole), next: UInt64(next)))
    }

    @Test("many holes are asked about together")
    func many() async {
        fill(3_000, without: 2...2_999, listed: 2...2_999)
        let (records, fault) = await read(follower(), upTo: 3_000)
        #expect(fault == nil && records.count == 3_000)
        let asked = engine.state.withLock { $0.list.asked }
        #expect((12...13).contains(asked), "\(asked)")
    }

    @Test(
        "while the list cannot be read nothing is passed over, and nothing counts as lost",
        arguments: [SimulatedList.Reach.silent, .leaderless, .lagging]
    )
    func unavailable(reach: SimulatedList.Reach) async {
        fill(5, without: [3], listed: [3])
        engine.change { $0.list.reach = reach }
        let follower = follower()
        let (records, fault) = await read(follower, upTo: 5)
        #expect(records.count == 2)
        guard case .unavailable("INTAKE_0", 3, _)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        engine.change { $0.list.reach = .whole }
        #expect(await read(follower, upTo: 5).records.count == 5)
    }

    @Test("what was listed of another stream of the name, or where there is no list, excuses no hole")
    func others() async {
        fill(5, without: [3], listed: [])
        let gap = StreamFault.gap(stream: "INTAKE_0", sequence: 3, next: 4)
        engine.change { $0.list.reach = .missing }
        #expect(await read(follower(), upTo: 5).fault == gap)
        engine.change { $0.list.list([3], of: "2025-01-01T00:00:00Z") }
        let (records, fault) = await read(follower(), upTo: 5)
        #expect(records.count == 2 && fault?.isGap != nil && fault != nil)
        engine.change { $0.list.entries["erased.0.3"] = Array("{}".utf8) }
        #expect(await read(follower(), upTo: 5).records.count == 2)
    }

    @Test("a record that is listed and not deleted yet is read as it is")
    func early() async {
        fill(5, without: [], listed: [3])
        let (records, fault) = await read(follower(), upTo: 5)
        #expect(fault == nil && records.map(\.kind) == Array(repeating: .intake, count: 5))
    }

    @Test("a stream begins with the records in front that were erased, and not with those that were purged")
    func beginning() async throws {
        engine.change { $0.list.list([4, 6, 7, 8]) }
        #expect(try await list.beginning(before: 9) == 6)
        #expect(try await list.beginning(before: 5) == 4)
        #expect(try await list.beginning(before: 4) == 4)
        #expect(try await list.beginning(before: 1) == 1)
        engine.change { $0.list.list(1...2_000) }
        #expect(try await list.beginning(before: 2_001) == 1)
        for reach in [SimulatedList.Reach.silent, .leaderless, .lagging] {
            engine.change { $0.list.reach = reach }
            await #expect(throws: UpkeepFailure.self) { try await list.beginning(before: 9) }
        }
        engine.change { $0.list.reach = .missing }
        #expect(try await list.beginning(before: 9) == 9)
    }

    @Test("what is listed is counted, progress is kept, and a record that is gone already is no failure")
    func keeping() async throws {
        let list = list
        #expect(try await list.count() == 0)
        #expect(try await list.progress() == ErasureProgress())
        try await list.prepare()
        let record = ErasedRecord(sequence: 7, installation: InstallationID(high: 1, low: 2), events: 3)
        try await list.list(record)
        try await list.list(record)
        let progress = ErasureProgress(done: 1, goal: 4, next: 3)
        try await list.note(progress)
        #expect(try await list.count() == 1)
        #expect(try await list.progress() == progress)
        for answer in [nil, #"{"error":{"code":400,"err_code":10043,"description":"sequence 7 not found"}}"#] {
            engine.change { $0.list.refusal = answer }
            try await list.delete(7)
        }
        engine.change {
            $0.list.refusal = #"{"error":{"code":500,"err_code":10057,"description":"message delete not permitted"}}"#
        }
        let failure = await #expect(throws: UpkeepFailure.self) { try await list.delete(7) }
        #expect(failure?.description.contains("“message delete not permitted”") == true)
        #expect(failure?.description.contains("$JS.API.STREAM.MSG.DELETE.INTAKE_0") == true)
    }

    @Test("a list on a server that may forget is not relied on")
    func unsafe() async {
        engine.change { $0.reports = [[MemberReport(name: "n0"), MemberReport(name: "n1", syncsAlways: false)]] }
        let failure = await #expect(throws: UpkeepFailure.self) { try await list.prepare() }
        #expect(failure?.description.contains("could not be listed safely") == true)
    }

    @Test("the list's stream is made for ever, and keeps the last entry of each record")
    func setup() throws {
        let json = try JSONValue.parse(StreamSetup(erasedOf: StreamPlace(number: 3)).configuration)
        #expect(json["name"]?.string == "ERASED_3" && json["subjects"]?.array?.first?.string == "erased.3.*")
        #expect(json["num_replicas"]?.integer == 3 && json["storage"]?.string == "file")
        #expect(json["deny_delete"]?.boolean == true && json["deny_purge"]?.boolean == true)
        #expect(json["max_msgs_per_subject"]?.integer == 1 && json["max_age"]?.integer == 0)
        // Whose records are deleted has to allow it.
        let intake = try JSONValue.parse(StreamSetup(StreamPlace(), bytes: 1 << 30).configuration)
        #expect(intake["deny_delete"] == nil)
    }
}
