// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// Leases replace file locks in a process that may be suspended at any time.
@Suite("Leases instead of locks")
struct LeasedStorageTests {
    /// The ids of the processes that are alive.
    private let alive = Locked<Set<Int32>>([1, 2])

    private func storage(_ base: any JournalStorage, _ process: Int32, boot: String = "boot") -> LeasedStorage {
        LeasedStorage(base, root: "/app", holder: .init(process: process, boot: boot)) { [alive] number in
            alive.withLock { $0.contains(number) }
        }
    }

    private func disk() -> MemoryStorage {
        let disk = MemoryStorage()
        disk.makeFolder("/app")
        return disk
    }

    @Test
    func `a lease has one holder within and across processes, and is free once released`() throws {
        let disk = disk()
        let (one, other) = (storage(disk, 1), storage(disk, 2))
        let lease = try #require(try one.lock("/app/a.lock"))
        #expect(try one.lock("/app/a.lock") == nil)
        #expect(try storage(disk, 1).lock("/app/a.lock") == nil)
        #expect(try other.lock("/app/a.lock") == nil)
        let second = try #require(try other.lock("/app/b.lock"))
        lease.release()
        lease.release()
        let third = try #require(try other.lock("/app/a.lock"))
        #expect(try one.lock("/app/a.lock") == nil)
        second.release()
        third.release()
        #expect(disk.paths.filter { $0.hasSuffix(".lock") } == ["/app/turn.lock"])
    }

    @Test
    func `holding a lease holds no system lock`() throws {
        let disk = disk()
        let lease = try #require(try storage(disk, 1).lock("/app/a.lock"))
        for path in disk.paths {
            let lock = try disk.lock(path)
            #expect(lock != nil, "\(path)")
            lock?.release()
        }
        lease.release()
    }

    @Test
    func `a lease ends with its process and with the boot`() throws {
        let disk = disk()
        let first = try storage(disk, 1).lock("/app/a.lock")
        #expect(try storage(disk, 2).lock("/app/a.lock") == nil)
        alive.withLock { _ = $0.remove(1) }
        let second = try storage(disk, 2).lock("/app/a.lock")
        #expect(second != nil)
        // Releasing a lost lease does not affect its new holder.
        first?.release()
        #expect(try storage(disk, 1).lock("/app/a.lock") == nil)
        let third = try storage(disk, 1, boot: "next").lock("/app/a.lock")
        #expect(third != nil)
        withExtendedLifetime((first, second, third)) {}
    }

    @Test(arguments: ["1 1.1.1 boot\n", "1 1.1.1", "", "x y z w"])
    func `a lease left by an earlier process with the same id, or with invalid content, is free`(_ left: String) throws
    {
        let disk = disk()
        try disk.replace("/app/a.lock", with: Array(left.utf8), durably: false)
        #expect(try storage(disk, 1).lock("/app/a.lock") != nil)
    }

    @Test
    func `with leases, one process delivers, dead writers' events are delivered, and live writers are left alone`()
        throws
    {
        let disk = disk()
        func open(_ process: Int32) throws -> Journal {
            let configuration = JournalConfiguration(folder: "/app", destinations: ["collector"], segmentBytes: 4096)
            return try Journal(configuration, clock: SteppedClock(), bootID: "boot", storage: storage(disk, process))
        }
        let one = try open(1)
        one.append("one")
        let consumer = try #require(try one.tryElection())
        let two = try open(2)
        #expect(try two.tryElection() == nil)
        two.append("two")
        #expect(try Set(consumer.deliverAll("collector")) == ["one", "two"])
        consumer.close()
        one.append("three")
        alive.withLock { _ = $0.remove(1) }
        let next = try #require(try two.tryElection())
        #expect(try next.deliverAll("collector") == ["three"])
        #expect(try two.ledger().isBalanced)
    }

    @Test
    func `only one of many threads holds a lease at a time`() async throws {
        let disk = disk()
        let holders = Locked((now: 0, most: 0, total: 0))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let storage = storage(disk, Int32(number % 2 + 1))
                group.addTask {
                    for _ in 0..<100 {
                        guard let lease = try? storage.lock("/app/a.lock") else { continue }
                        holders.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.total + 1) }
                        holders.withLock { $0.now -= 1 }
                        lease.release()
                    }
                }
            }
        }
        #expect(holders.withLock { $0.most } == 1)
        #expect(holders.withLock { $0.total } > 0)
    }
}
