// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Samples")
struct SampleTests {
    private static func people(_ share: Double, salt: String = "audit") -> Set<Int> {
        Set((0..<2_000).filter { Sample.holds("person-\($0)", share: share, salt: salt) })
    }

    @Test("who is in a sample is written in stone: another version, platform or start finds the same")
    func golden() {
        let held = (0..<40).filter { Sample.holds("person-\($0)", share: 0.25, salt: "audit") }
        #expect(held == [14, 17, 18, 19, 20, 23, 24, 26, 31, 38])
    }

    @Test(
        "a share that means nothing counts as the nearest that does, and what is no number as everybody",
        arguments: [
            (0.0, 0), (-0.0, 0), (-1, 0), (-.infinity, 0), (1, 2_000), (1.5, 2_000), (.infinity, 2_000),
            (.nan, 2_000),
        ]
    )
    func bounds(_ share: Double, _ count: Int) {
        #expect(Self.people(DestinationRule.bounded(share: share)).count == count)
        let rules: DestinationRules = [.sample(share)]
        #expect((rules.outcome(of: "tap") == .leaves("tap")) == (count > 0))
    }

    @Test(
        "the smallest share that is more than nothing may hold somebody, and the largest below all leaves nearly nobody out"
    )
    func edges() {
        #expect(Self.people(.leastNonzeroMagnitude).count == 0)
        #expect(Self.people(1.0.nextDown).count == 2_000)
    }

    @Test("a sample is about as large as asked for", arguments: [0.01, 0.1, 0.5, 0.9])
    func size(_ share: Double) {
        let count = Double(Self.people(share).count)
        // Five standard deviations.
        #expect(abs(count - 2_000 * share) < 5 * (2_000 * share * (1 - share)).squareRoot())
    }

    @Test("a larger sample of one salt holds the smaller one, and another salt makes another sample")
    func salts() {
        #expect(Self.people(0.1).isSubset(of: Self.people(0.3)))
        #expect(Self.people(0.1) != Self.people(0.1, salt: "collector"))
        let (one, other): (DestinationRules, DestinationRules) = ([.sample(0.3, salt: "s")], [.sample(0.3)])
        func held(_ rules: DestinationRules, at destination: DestinationID) -> [Int] {
            (0..<200).filter { rules.outcome(of: "tap", person: "\($0)", to: destination) == .leaves("tap") }
        }
        #expect(held(one, at: "audit") == held(one, at: "collector"))
        #expect(held(other, at: "audit") != held(other, at: "collector"))
    }

    @Test("a sample by person holds all of a person's events or none")
    func wholePeople() {
        let rules: DestinationRules = [.sample(0.5)]
        for number in 0..<100 {
            let outcomes = ["tap", "buy", "_session_start"].map { name in
                rules.outcome(of: name, person: "\(number)") == .leaves(name)
            }
            #expect(Set(outcomes).count == 1)
        }
    }
}
