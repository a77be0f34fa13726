// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Sampling")
struct SampleTests {
    private static func people(_ share: Double, salt: String = "audit") -> Set<Int> {
        Set((0..<2_000).filter { Sample.holds("person-\($0)", share: share, salt: salt) })
    }

    @Test("sample membership is the same in every version, on every platform and after every launch")
    func golden() {
        let held = (0..<40).filter { Sample.holds("person-\($0)", share: 0.25, salt: "audit") }
        #expect(held == [14, 17, 18, 19, 20, 23, 24, 26, 31, 38])
    }

    @Test(
        "an out-of-range share is clamped, and NaN includes everyone",
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
        "the smallest positive share includes almost no one, and the largest share below one includes almost everyone"
    )
    func edges() {
        #expect(Self.people(.leastNonzeroMagnitude).count == 0)
        #expect(Self.people(1.0.nextDown).count == 2_000)
    }

    @Test("a sample's size is close to the requested share", arguments: [0.01, 0.1, 0.5, 0.9])
    func size(_ share: Double) {
        let count = Double(Self.people(share).count)
        // Five standard deviations.
        #expect(abs(count - 2_000 * share) < 5 * (2_000 * share * (1 - share)).squareRoot())
    }

    @Test("with the same salt a larger sample contains the smaller one, and another salt gives a different sample")
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

    @Test("sampling by person includes all of a person's events or none")
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
