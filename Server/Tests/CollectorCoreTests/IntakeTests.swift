// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorCore

struct IntakeTests {
    private let storage = FaultyStorage()
    private let clock = ManualClock()
    private static let folder = "/data/intake"

    private func options() -> IntakeOptions {
        var options = IntakeOptions()
        options.segmentBytes = 16 << 10
        options.reserveBytes = 0
        return options
    }

    private func intake(_ options: IntakeOptions? = nil) throws -> Intake {
        try Intake(folder: Self.folder, storage: storage, options: options ?? self.options(), clock: clock)
    }

    private func records(_ storage: any JournalStorage) throws -> [[UInt8]] {
        var reader = LogReader(folder: Self.folder, storage: storage, isComplete: true)
        var records: [[UInt8]] = []
        while let entry = try reader.next() {
            if entry.kind == .intake { records.append(reader.payload(of: entry)) }
        }
        return records
    }

    private func refusal(_ commit: () async throws -> LogPosition) async -> IntakeError? {
        do {
            _ = try await commit()
            return nil
        } catch {
            return error as? IntakeError
        }
    }

    @Test
    func `an acknowledged record survives power loss`() async throws {
        let memory = try #require(storage.base as? MemoryStorage)
        let intake = try intake()
        for number in UInt8(0)..<20 {
            let position = try await intake.commit(kind: .intake, record: [UInt8](repeating: number, count: 2_000))
            #expect(position == intake.end)
            #expect(try records(memory.afterPowerLoss()).count == Int(number) + 1)
        }
        await intake.close()
        #expect(try records(memory.afterPowerLoss()) == (UInt8(0)..<20).map { [UInt8](repeating: $0, count: 2_000) })
    }

    @Test
    func `no record is acknowledged before its flush, and one flush acknowledges all waiting records`() async throws {
        let intake = try intake()
        _ = try await intake.commit(kind: .intake, record: [0])
        let flushes = storage.count(of: .synchronizeSegment)
        storage.hold(.synchronizeSegment)
        let answered = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            func commit(_ number: UInt8) {
                group.addTask {
                    _ = try await intake.commit(kind: .intake, record: [number])
                    answered.withLock { $0 += 1 }
                }
            }
            commit(1)
            try await Deadline.wait(while: storage.heldCalls == 0)
            // The first flush is held; the other records wait for the next one.
            for number in UInt8(2)...9 { commit(number) }
            try await Deadline.wait(while: intake.statistics.waiting < 8)
            #expect(answered.withLock { $0 } == 0)
            storage.release()
            try await group.waitForAll()
        }
        #expect(answered.withLock { $0 } == 9)
        #expect(storage.count(of: .synchronizeSegment) - flushes == 2)
        #expect(try records(storage.base).count == 10)
        await intake.close()
    }

    @Test
    func `on a full disk, records are rejected and not partially stored, and intake recovers automatically`()
        async throws
    {
        let memory = MemoryStorage(capacity: 40 << 10)
        let intake = try Intake(folder: Self.folder, storage: memory, options: options(), clock: clock)
        var kept = 0
        let error = await #expect(throws: IntakeError.self) {
            for _ in 0..<100 {
                _ = try await intake.commit(kind: .intake, record: [UInt8](repeating: 1, count: 3_000))
                kept += 1
            }
        }
        #expect(error?.code == .diskFull && (error?.retryAfter ?? .zero) > .zero)
        #expect(intake.failure?.code == .diskFull)
        #expect(kept > 5)
        #expect(try records(memory).count == kept)
        memory.capacity = 1 << 20
        #expect(intake.failure == nil)
        _ = try await intake.commit(kind: .intake, record: [UInt8](repeating: 2, count: 3_000))
        #expect(try records(memory).count == kept + 1)
        await intake.close()
    }

    @Test
    func `low free space causes rejections before the disk is full, until enough space is available again`()
        async throws
    {
        let memory = MemoryStorage(capacity: 100 << 10)
        var options = options()
        options.reserveBytes = 200 << 10
        let intake = try Intake(folder: Self.folder, storage: memory, options: options, clock: clock)
        let error = await #expect(throws: IntakeError.self) { try await intake.commit(kind: .intake, record: [1]) }
        #expect(error?.code == .diskLow)
        // Senders get the reason, but not the collector's paths.
        #expect(error?.message.isEmpty == false && error?.message.contains(Self.folder) == false)
        #expect(try records(memory).isEmpty)
        memory.capacity = 1 << 20
        clock.advance(by: .seconds(2))
        #expect(throws: Never.self) { try intake.failure.map { throw $0 } }
        _ = try await intake.commit(kind: .intake, record: [1])
        await intake.close()
    }

    @Test
    func `the space that the index still needs is also kept free, and is used once the index no longer needs it`()
        async throws
    {
        let memory = MemoryStorage(capacity: 1 << 20)
        var options = options()
        options.reserveBytes = 200 << 10
        let needed = Locked(0)
        let intake = try Intake(
            folder: Self.folder,
            storage: memory,
            options: options,
            clock: clock,
            bytesNeeded: { _ in needed.withLock { $0 } }
        )
        _ = try await intake.commit(kind: .intake, record: [1])
        needed.withLock { $0 = 900 << 10 }
        clock.advance(by: .seconds(2))
        let error = await #expect(throws: IntakeError.self) { try await intake.commit(kind: .intake, record: [2]) }
        #expect(error?.code == .diskLow && error?.message.contains("Less than 1 MiB") == true)
        #expect(intake.failure?.code == .diskLow)
        needed.withLock { $0 = 0 }
        #expect(intake.failure == nil)
        clock.advance(by: .seconds(2))
        _ = try await intake.commit(kind: .intake, record: [3])
        await intake.close()
    }

    @Test
    func `a failed flush acknowledges nothing, and nothing is accepted until the next start`() async throws {
        let intake = try intake()
        _ = try await intake.commit(kind: .intake, record: [1])
        storage.fail(.synchronizeSegment, with: .inputOutput, times: 1)
        for _ in 0..<3 {
            let error = await #expect(throws: IntakeError.self) {
                try await intake.commit(kind: .intake, record: [2])
            }
            #expect(error?.code == .stopped)
        }
        #expect(intake.failure?.code == .stopped)
        await intake.close()
        let again = try self.intake()
        #expect(again.failure == nil)
        _ = try await again.commit(kind: .intake, record: [3])
        let kept = try records(storage.base)
        #expect(kept.first == [1] && kept.last == [3])
        await again.close()
    }

    @Test
    func `a record that the disk rejects does not fail its group`() async throws {
        var options = options()
        options.segmentBytes = 64 << 10
        let memory = MemoryStorage(capacity: 100 << 10)
        let storage = FaultyStorage(memory)
        let intake = try Intake(folder: Self.folder, storage: storage, options: options, clock: clock)
        _ = try await intake.commit(kind: .intake, record: [1])
        storage.hold(.synchronizeSegment)
        async let first = intake.commit(kind: .intake, record: [2])
        try await Deadline.wait(while: storage.heldCalls == 0)
        // These two form one group: the large one needs a segment that does not fit on the disk.
        async let large = refusal {
            try await intake.commit(kind: .intake, record: [UInt8](repeating: 3, count: 80 << 10))
        }
        async let small = intake.commit(kind: .intake, record: [4])
        try await Deadline.wait(while: intake.statistics.waiting < 2)
        storage.release()
        _ = try await (first, small)
        #expect(await large?.code == .diskFull)
        #expect(Set(try records(memory)) == [[1], [2], [4]])
        await intake.close()
    }

    @Test
    func `the queue is limited, and a record beyond the limit gets a retry time`() async throws {
        var options = options()
        options.waitingBatches = 3
        let intake = try intake(options)
        storage.hold(.synchronizeSegment)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await intake.commit(kind: .intake, record: [0]) }
            try await Deadline.wait(while: storage.heldCalls == 0)
            for _ in 0..<3 { group.addTask { _ = try await intake.commit(kind: .intake, record: [1]) } }
            try await Deadline.wait(while: intake.statistics.waiting < 3)
            let error = await #expect(throws: IntakeError.self) {
                try await intake.commit(kind: .intake, record: [2])
            }
            #expect(error?.code == .busy && error?.retryAfter == .seconds(1))
            storage.release()
            try await group.waitForAll()
        }
        #expect(try records(storage.base).count == 4)
        await intake.close()
    }

    @Test
    func `closing commits the waiting records and rejects later ones`() async throws {
        let intake = try intake()
        storage.hold(.synchronizeSegment)
        async let waiting = intake.commit(kind: .intake, record: [1])
        try await Deadline.wait(while: storage.heldCalls == 0)
        async let closed: Void = intake.close()
        try await Deadline.wait(while: intake.failure == nil)
        let error = await #expect(throws: IntakeError.self) { try await intake.commit(kind: .intake, record: [2]) }
        #expect(error?.code == .closing)
        storage.release()
        _ = try await waiting
        await closed
        #expect(try records(storage.base) == [[1]])
    }

    @Test
    func `followers are notified at the start and after every flush, never of unflushed records`() async throws {
        let committed = Locked<[LogPosition]>([])
        let intake = try Intake(
            folder: Self.folder,
            storage: storage,
            options: options(),
            clock: clock,
            onCommit: { position in committed.withLock { $0.append(position) } }
        )
        #expect(committed.withLock { $0.count } == 1)
        let end = try await intake.commit(kind: .intake, record: [1])
        #expect(committed.withLock { $0.last } == end)
        storage.fail(.synchronizeSegment, with: .inputOutput)
        await #expect(throws: IntakeError.self) { try await intake.commit(kind: .intake, record: [2]) }
        #expect(committed.withLock { $0.last } == end)
        await intake.close()
    }
}
