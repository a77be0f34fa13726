// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import CollectorClickHouse

@Suite("Lag of the tables")
struct TableLagTests {
    private static func time(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(milliseconds: 0).advanced(by: .seconds(seconds))
    }

    private static let address = "http://a:8123/t"

    @Test
    func `tables report that they are being filled until they have the records that existed at the start`() {
        var lag = TableLag()
        #expect(lag.message(for: Self.address) == nil)
        lag.update(last: 0, end: nil, at: Self.time(0))
        #expect(lag.message(for: Self.address) == nil)
        lag.update(last: 10, end: 100, at: Self.time(1))
        #expect(lag.message(for: Self.address)?.contains("90 records behind") ?? false)
        lag.update(last: 99, end: 150, at: Self.time(2))
        #expect(lag.message(for: Self.address)?.contains("being filled") ?? false)
        // Later records do not count.
        lag.update(last: 100, end: 200, at: Self.time(3))
        #expect(lag.message(for: Self.address) == nil && lag.behind == 100)
    }

    @Test
    func `tables that stop while records are pending are reported as stuck until they advance`() {
        var lag = TableLag()
        lag.update(last: 100, end: 100, at: Self.time(0))
        lag.update(last: 100, end: 101, at: Self.time(1_000))
        #expect(lag.message(for: Self.address) == nil)
        lag.update(last: 100, end: 105, at: Self.time(1_030))
        #expect(lag.message(for: Self.address) == nil)
        lag.update(last: 100, end: 109, at: Self.time(1_031))
        let sentence = lag.message(for: Self.address) ?? ""
        #expect(
            sentence.contains("9 records behind") && sentence.contains("trackway-cluster cluster forward"),
            "\(sentence)"
        )
        lag.update(last: 101, end: 110, at: Self.time(1_032))
        #expect(lag.message(for: Self.address) == nil)
        lag.update(last: 110, end: 110, at: Self.time(2_000))
        lag.update(last: 110, end: 110, at: Self.time(9_000))
        #expect(lag.message(for: Self.address) == nil && lag.behind == 0)
    }
}
