// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@testable import TrackwayDestinations

@Suite("Sensors Analytics track IDs")
struct SensorsTrackIDTests {
    @Test(arguments: [1, 7, 40])
    func `processes and devices that start counting at the same time number their events differently`(count: UInt64) {
        let generators = (0..<count).map { EventIDGenerator(randomBits: $0 &* 0x9E37_79B9_7F4A_7C15) }
        var numbers: Set<UInt32> = []
        for millisecond in 0..<300 {
            for generator in generators {
                let id = generator.next(at: Timestamp(milliseconds: 1_750_000_000_000 + Int64(millisecond)))
                numbers.insert(SensorsAnalyticsRecord.trackID(of: id))
            }
        }
        // The collector distinguishes records by this number and the millisecond. By chance alone, two of a few
        // thousand numbers are equal.
        #expect(numbers.count >= 300 * Int(count) - 1)
    }

    @Test
    func `an event always has the same number, and similar IDs have different ones`() {
        let id = EventID(high: 0x0197_79A3_3B07_7000, low: 0x8000_0000_0000_0000)
        #expect(SensorsAnalyticsRecord.trackID(of: id) == SensorsAnalyticsRecord.trackID(of: id))
        for bit in 0..<64 as Range<UInt64> {
            let high = EventID(high: id.high ^ 1 << bit, low: id.low)
            let low = EventID(high: id.high, low: id.low ^ 1 << bit)
            #expect(SensorsAnalyticsRecord.trackID(of: high) != SensorsAnalyticsRecord.trackID(of: id))
            #expect(SensorsAnalyticsRecord.trackID(of: low) != SensorsAnalyticsRecord.trackID(of: id))
        }
    }
}
