// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayTriggers

@Suite("Associated storage")
struct AssociatedStorageTests {
    private final class Owner {}

    private final class StoredValue {
        let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void = {}) {
            self.end = end
        }

        deinit {
            end()
        }
    }

    @Test
    func `each object has a separate value in each storage`() {
        let (first, second) = (AssociatedStorage<String>(), AssociatedStorage<String>())
        let (one, other) = (Owner(), Owner())
        first[one] = "one"
        second[one] = "second"
        #expect(first[one] == "one")
        #expect(first[other] == nil)
        first[one] = nil
        #expect(first[one] == nil)
        #expect(second[one] == "second")
    }

    #if !canImport(ObjectiveC)
    @Test
    func `values of 10,000 objects are released with their objects, and the table with the values`() {
        let storage = AssociatedStorage<StoredValue>()
        let endedCount = Locked(0)
        var owners: [Owner] = []
        for _ in 0..<10_000 {
            let owner = Owner()
            storage[owner] = StoredValue { endedCount.withLock { $0 += 1 } }
            owners.append(owner)
        }
        #expect(storage.count == 10_000)
        #expect(owners.allSatisfy { storage[$0] != nil })
        owners.removeFirst(9000)
        #expect(storage.count == 1000)
        #expect(endedCount.withLock { $0 } == 9000)
    }

    @Test
    func `values of released objects are removed automatically as new ones are added`() {
        let storage = AssociatedStorage<StoredValue>()
        let liveCount = Locked(0)
        for _ in 0..<10_000 {
            let owner = Owner()
            liveCount.withLock { $0 += 1 }
            storage[owner] = StoredValue { liveCount.withLock { $0 -= 1 } }
        }
        #expect(liveCount.withLock { $0 } <= 64)
    }
    #endif

    @Test
    func `a value's deinit may read the storage`() {
        let storage = AssociatedStorage<StoredValue>()
        let owner = Owner()
        let readCount = Locked(0)
        for _ in 0..<2 {
            storage[owner] = StoredValue { [weak storage] in
                _ = storage?[readCount]
                readCount.withLock { $0 += 1 }
            }
        }
        storage[owner] = nil
        #expect(readCount.withLock { $0 } == 2)
    }
}
