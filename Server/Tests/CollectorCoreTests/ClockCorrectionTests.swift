// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import CollectorCore

@Suite("Device clocks")
struct ClockCorrectionTests {
    private static let now: Int64 = 1_700_000_000_000
    private static let hour: Int64 = 3_600_000

    private typealias Event = ClockCorrection.Observation

    /// Returns the times of events, relative to the time of arrival.
    private static func times(_ events: [Event], sent: Int64?) -> [Int64?] {
        let clock = ClockCorrection(
            events,
            sent: sent.map { Timestamp(milliseconds: now + $0) },
            received: Timestamp(milliseconds: now)
        )
        return events.indices.map { event in clock.time(of: event).map { $0.milliseconds - now } }
    }

    private static func event(_ time: Int64, mono: Int64? = nil, boot: Int? = nil) -> Event {
        Event(time: now + time, monotonic: mono, boot: boot)
    }

    @Test(
        arguments: [
            // Sent, event, corrected.
            (nil, -5 * hour, -5 * hour), (0, -5 * hour, -5 * hour), (-60_000, -70_000, -70_000),
            (-60_001, -70_001, -10_000), (60_001, 50_001, -10_000),
            (-5 * hour, -5 * hour, 0), (40 * 24 * hour, 40 * 24 * hour - 1_000, -1_000),
            (-now, -now + 3, 3),
        ] as [(Int64?, Int64, Int64)]
    )
    func `a clock that is off by more than a minute at sending is corrected by that amount`(
        _ sent: Int64?,
        _ time: Int64,
        _ corrected: Int64
    ) {
        #expect(Self.times([Self.event(time)], sent: sent) == [corrected])
    }

    @Test
    func `an event without a time stays without one`() {
        #expect(Self.times([Event(), Self.event(-Self.hour)], sent: -Self.hour) == [nil, 0])
    }

    @Test(arguments: [Int64.min, .min + 1, .max])
    func `extreme times are left unchanged`(_ time: Int64) {
        let events = [Event(time: time, monotonic: .max, boot: 0), Event(time: time, monotonic: .min, boot: 0)]
        let clock = ClockCorrection(
            events,
            sent: Timestamp(milliseconds: .min),
            received: Timestamp(milliseconds: .max)
        )
        #expect(clock.time(of: 0)?.milliseconds == time)
    }

    @Test
    func `events before and after a clock change keep the order of the monotonic clock`() {
        let hour = Self.hour
        // The clock was an hour fast until a minute ago.
        let back = [Self.event(hour - 120_000, mono: 1_000, boot: 0), Self.event(-60_000, mono: 61_000, boot: 0)]
        #expect(Self.times(back, sent: 0) == [-120_000, -60_000])
        // The clock started in 2015.
        let forward = [
            Self.event(-80_000 * hour, mono: 1_000, boot: 0),
            Self.event(-80_000 * hour + 10_000, mono: 11_000, boot: 0),
            Self.event(-20_000, mono: 41_000, boot: 0),
        ]
        #expect(Self.times(forward, sent: nil) == [-60_000, -50_000, -20_000])
        // After the correction within the boot, all events move by the same amount, relative to the time of arrival.
        #expect(Self.times(back, sent: -2 * hour) == [2 * hour - 120_000, 2 * hour - 60_000])
    }

    @Test
    func `each boot is corrected separately, and small clock adjustments are ignored`() {
        let events = [
            Self.event(-3 * Self.hour, mono: 5_000, boot: 0), Self.event(-1_000, mono: 1_000, boot: 1),
            Self.event(-500, mono: 30_000, boot: 1), Self.event(-400, mono: 7, boot: nil),
        ]
        #expect(Self.times(events, sent: 0) == events.map { $0.time.map { $0 - Self.now } })
    }

    @Test
    func `a time set by the app is kept, and so is the time of an event without a monotonic time`() {
        let events = [
            Self.event(-30_000, mono: 1_000, boot: 0), Self.event(-9 * Self.hour, mono: 2_000, boot: 0),
            Self.event(-8 * Self.hour, mono: 0, boot: 0), Self.event(-7 * Self.hour, boot: 0),
            Self.event(-28_000, mono: 3_000, boot: 0),
        ]
        #expect(Self.times(events, sent: 0) == events.map { $0.time.map { $0 - Self.now } })
    }

    @Test
    func `a time in the context is corrected like the event closest to it`() {
        let clock = ClockCorrection(
            [Self.event(Self.hour, mono: 1_000, boot: 0), Self.event(61_000, mono: 62_000, boot: 0)],
            sent: nil,
            received: Timestamp(milliseconds: Self.now)
        )
        let begin = Timestamp(milliseconds: Self.now + Self.hour - 5_000)
        #expect(clock.corrected(begin).milliseconds == Self.now - 5_000)
        let later = Timestamp(milliseconds: Self.now + 60_000)
        #expect(clock.corrected(later) == later)
    }
}
