// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Sampling")
struct SampleTests {
    private static func sample(_ share: Double, salt: String = "audit") -> Set<Int> {
        Set((0..<2_000).filter { Sample.contains("person-\($0)", share: share, salt: salt) })
    }

    @Test
    func `sample membership is the same in every version, on every platform and after every launch`() {
        let held = (0..<40).filter { Sample.contains("person-\($0)", share: 0.25, salt: "audit") }
        #expect(held == [14, 17, 18, 19, 20, 23, 24, 26, 31, 38])
    }

    @Test(arguments: [
        (0.0, 0), (-0.0, 0), (-1, 0), (-.infinity, 0), (1, 2_000), (1.5, 2_000), (.infinity, 2_000),
        (.nan, 2_000),
    ])
    func `an out-of-range share is clamped, and NaN includes everyone`(_ share: Double, _ count: Int) {
        #expect(Self.sample(DestinationRule.bounded(share: share)).count == count)
        let rules: DestinationRules = [.sample(share)]
        #expect((rules.outcome(of: "tap") == .sent("tap")) == (count > 0))
    }

    @Test
    func
        `the smallest positive share includes almost no one, and the largest share below one includes almost everyone`()
    {
        #expect(Self.sample(.leastNonzeroMagnitude).count == 0)
        #expect(Self.sample(1.0.nextDown).count == 2_000)
    }

    @Test(arguments: [0.01, 0.1, 0.5, 0.9])
    func `a sample's size is close to the requested share`(_ share: Double) {
        let count = Double(Self.sample(share).count)
        // Five standard deviations.
        #expect(abs(count - 2_000 * share) < 5 * (2_000 * share * (1 - share)).squareRoot())
    }

    @Test
    func `with the same salt, a larger sample contains the smaller one, and another salt gives a different sample`() {
        #expect(Self.sample(0.1).isSubset(of: Self.sample(0.3)))
        #expect(Self.sample(0.1) != Self.sample(0.1, salt: "collector"))
        let (one, other): (DestinationRules, DestinationRules) = ([.sample(0.3, salt: "s")], [.sample(0.3)])
        func held(_ rules: DestinationRules, at destination: DestinationID) -> [Int] {
            (0..<200).filter { rules.outcome(of: "tap", person: "\($0)", to: destination) == .sent("tap") }
        }
        #expect(held(one, at: "audit") == held(one, at: "collector"))
        #expect(held(other, at: "audit") != held(other, at: "collector"))
    }

    @Test
    func `sampling by person includes all of a person's events or none`() {
        let rules: DestinationRules = [.sample(0.5)]
        for number in 0..<100 {
            let outcomes = ["tap", "buy", "_session_start"].map { name in
                rules.outcome(of: name, person: "\(number)") == .sent(name)
            }
            #expect(Set(outcomes).count == 1)
        }
    }
}
