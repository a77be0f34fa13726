// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Collection policy")
struct CollectionPolicyTests {
    @Test
    func `merged policies forbid everything that either one forbids`() {
        let app = CollectionPolicy(blockedEvents: ["a"], capture: [.launches, .sessions])
        let backEnd = CollectionPolicy(blockedEvents: ["b"], capture: [.sessions, .screens])
        let both = app.merging(backEnd)
        #expect(both.allows("c") && !both.allows("a") && !both.allows("b"))
        #expect(both.capture == .sessions)
        #expect(both.blocksAnything)
        let off = app.merging(CollectionPolicy(isEnabled: false))
        #expect(!off.allows("c") && !off.isEnabled)
        #expect(!CollectionPolicy().blocksAnything)
    }

    @Test(arguments: 1...50)
    func `merging gives the same result in any order, and a policy that allows everything changes nothing`(seed: UInt64)
    {
        var random = SeededGenerator(seed: seed)
        func policy() -> CollectionPolicy {
            CollectionPolicy(
                isEnabled: random.next(below: 4) > 0,
                blockedEvents: Set((0..<random.next(below: 4)).map { _ in "e\(random.next(below: 5))" }),
                capture: CaptureOptions(rawValue: random.next(below: 64))
            )
        }
        let (a, b, c) = (policy(), policy(), policy())
        #expect(a.merging(b) == b.merging(a))
        #expect(a.merging(b).merging(c) == a.merging(b.merging(c)))
        #expect(a.merging(a) == a)
        #expect(a.merging(CollectionPolicy()) == a)
    }

    @Test
    func `the stored form reads back exactly, and allows everything by default`() throws {
        let policies = [
            CollectionPolicy(), CollectionPolicy(isEnabled: false),
            CollectionPolicy(blockedEvents: ["ü", "a"], capture: [.launches]),
            CollectionPolicy(capture: []),
        ]
        for policy in policies {
            #expect(try CollectionPolicy(json: policy.json) == policy)
        }
        #expect(try CollectionPolicy(json: .object(.init())) == CollectionPolicy())
        #expect(throws: JSONError.self) { try CollectionPolicy(json: .integer(1)) }
    }
}
