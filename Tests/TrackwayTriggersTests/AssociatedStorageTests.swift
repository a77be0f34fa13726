// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents
internal import TrackwayTriggers

@Suite("Associated storage")
struct AssociatedStorageTests {
    private final class Owner {}

    private final class Kept {
        let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void = {}) {
            self.end = end
        }

        deinit {
            end()
        }
    }

    @Test("each object has a separate value in each storage")
    func own() {
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
    @Test("values of 10,000 objects are released with their objects, and the table with the values")
    func many() {
        let storage = AssociatedStorage<Kept>()
        let ended = Locked(0)
        var owners: [Owner] = []
        for _ in 0..<10_000 {
            let owner = Owner()
            storage[owner] = Kept { ended.withLock { $0 += 1 } }
            owners.append(owner)
        }
        #expect(storage.count == 10_000)
        #expect(owners.allSatisfy { storage[$0] != nil })
        owners.removeFirst(9000)
        #expect(storage.count == 1000)
        #expect(ended.withLock { $0 } == 9000)
    }

    @Test("values of released objects are removed automatically while new ones arrive")
    func churn() {
        let storage = AssociatedStorage<Kept>()
        let living = Locked(0)
        for _ in 0..<10_000 {
            let owner = Owner()
            living.withLock { $0 += 1 }
            storage[owner] = Kept { living.withLock { $0 -= 1 } }
        }
        #expect(living.withLock { $0 } <= 64)
    }
    #endif

    @Test("a value's deinit may read the storage")
    func reentrant() {
        let storage = AssociatedStorage<Kept>()
        let owner = Owner()
        let asked = Locked(0)
        for _ in 0..<2 {
            storage[owner] = Kept { [weak storage] in
                _ = storage?[asked]
                asked.withLock { $0 += 1 }
            }
        }
        storage[owner] = nil
        #expect(asked.withLock { $0 } == 2)
    }
}
