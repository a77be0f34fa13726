// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Timestamps")
struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1_700_000_000_000, "2023-11-14T22:13:20.000Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (951_868_800_000, "2000-03-01T00:00:00.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (-11_644_473_600_000, "1601-01-01T00:00:00.000Z"),
    ])
    func `a timestamp has exactly one text form`(_ milliseconds: Int64, _ text: String) {
        #expect(Timestamp(milliseconds: milliseconds).iso8601 == text)
        #expect(Timestamp(iso8601: text) == Timestamp(milliseconds: milliseconds))
    }

    @Test
    func `random timestamps read back unchanged`() {
        var seed = SeededRandom(7)
        for _ in 0..<5000 {
            let time = Timestamp(milliseconds: Int64(seed.next() % 315_569_520_000_000) - 62_167_219_200_000)
            #expect(Timestamp(iso8601: time.iso8601) == time)
        }
    }

    @Test(arguments: [
        "", "2023-11-14", "2023-11-14T22:13:20Z", "2023-11-14T22:13:20.00Z", "2023-11-14T22:13:20.000+00:00",
        "2023-11-14 22:13:20.000Z", "2023-11-14t22:13:20.000z", "2023-13-14T22:13:20.000Z",
        "2023-00-14T22:13:20.000Z",
        "2023-02-29T22:13:20.000Z", "2100-02-29T22:13:20.000Z", "2023-04-31T22:13:20.000Z",
        "2023-11-00T22:13:20.000Z",
        "2023-11-14T24:13:20.000Z", "2023-11-14T22:60:20.000Z", "2023-11-14T22:13:60.000Z",
        "2023-11-14T22:13:20,000Z",
        "-023-11-14T22:13:20.000Z", "2O23-11-14T22:13:20.000Z", "２023-11-14T22:13:20.0Z",
        " 023-11-14T22:13:20.000Z",
    ])
    func `other texts are not valid timestamps`(_ text: String) {
        #expect(Timestamp(iso8601: text) == nil)
    }

    @Test
    func `timestamps outside the representable range are clamped to its ends`() {
        #expect(Timestamp(milliseconds: .min).iso8601 == "0000-01-01T00:00:00.000Z")
        #expect(Timestamp(milliseconds: .max).iso8601 == "9999-12-31T23:59:59.999Z")
    }

    @Test
    func `advancing saturates instead of overflowing`() {
        #expect(Timestamp(milliseconds: .max).advanced(by: .seconds(1)).milliseconds == .max)
        #expect(Timestamp(milliseconds: .min).advanced(by: .seconds(-1)).milliseconds == .min)
        #expect(MonotonicTime(milliseconds: 5).advanced(by: .seconds(Int64.max)).milliseconds == .max)
        #expect(MonotonicTime(milliseconds: -5).advanced(by: .seconds(Int64.min)).milliseconds == .min)
        #expect(Timestamp(milliseconds: .min).duration(to: Timestamp(milliseconds: .max)) == .milliseconds(Int64.max))
        #expect(Timestamp(milliseconds: 1000).advanced(by: .milliseconds(-1500)).milliseconds == -500)
        #expect(Timestamp(milliseconds: 1000).duration(to: Timestamp(milliseconds: 250)) == .milliseconds(-750))
        #expect(Duration.nanoseconds(1_999_999).wholeMilliseconds == 1)
    }

    @Test
    func `the system clock returns plausible wall times, and its monotonic time does not go back`() {
        let clock = SystemClock()
        let first = clock.now()
        let second = clock.now()
        #expect(first.monotonic <= second.monotonic)
        #expect(second.monotonic <= clock.monotonicTime() && clock.monotonicTime() <= clock.now().monotonic)
        #expect(first.wall.milliseconds > 1_600_000_000_000)
    }
}
