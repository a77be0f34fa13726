// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents

@Suite("Locked values")
struct LockedTests {
    struct Refusal: Error, Equatable {}

    @Test("only one thread at a time changes a value")
    func threads() async {
        let locked = Locked([Int]())
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask { for index in 0..<1000 { locked.withLock { $0.append(task * 1000 + index) } } }
            }
        }
        #expect(locked.withLock { Set($0) } == Set(0..<4000))
    }

    @Test("a thrown error releases the lock")
    func throwing() {
        let locked = Locked(1)
        #expect(throws: Refusal()) {
            try locked.withLock { (value) throws(Refusal) in
                value = 2
                throw Refusal()
            }
        }
        #expect(locked.withLock { $0 } == 2)
    }

    @Test("the value is deallocated with the lock")
    func lifetime() {
        final class Witness: Sendable {}
        weak var seen: Witness?
        do {
            let witness = Witness()
            seen = witness
            let locked = Locked(witness)
            locked.withLock { #expect($0 === witness) }
        }
        #expect(seen == nil)
    }
}
