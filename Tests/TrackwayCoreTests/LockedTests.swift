// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Locked values")
struct LockedTests {
    struct Refusal: Error, Equatable {}

    @Test
    func `only one thread at a time changes a value`() async {
        let locked = Locked([Int]())
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask { for index in 0..<1000 { locked.withLock { $0.append(task * 1000 + index) } } }
            }
        }
        #expect(locked.withLock { Set($0) } == Set(0..<4000))
    }

    @Test
    func `a thrown error releases the lock`() {
        let locked = Locked(1)
        #expect(throws: Refusal()) {
            try locked.withLock { (value) throws(Refusal) in
                value = 2
                throw Refusal()
            }
        }
        #expect(locked.withLock { $0 } == 2)
    }

    @Test
    func `the value is deallocated with the lock`() {
        final class LifetimeProbe: Sendable {}
        weak var seen: LifetimeProbe?
        do {
            let probe = LifetimeProbe()
            seen = probe
            let locked = Locked(probe)
            locked.withLock { #expect($0 === probe) }
        }
        #expect(seen == nil)
    }
}
