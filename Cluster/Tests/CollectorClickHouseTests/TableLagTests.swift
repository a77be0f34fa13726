// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents

@testable internal import CollectorClickHouse

@Suite("Lag of the tables")
struct TableLagTests {
    private static func moment(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(milliseconds: 0).advanced(by: .seconds(seconds))
    }

    private static let address = "http://a:8123/t"

    @Test("tables report that they are being filled until they have the records that existed at the start")
    func filling() {
        var lag = TableLag()
        #expect(lag.sentence(Self.address) == nil)
        lag.see(last: 0, end: nil, at: Self.moment(0))
        #expect(lag.sentence(Self.address) == nil)
        lag.see(last: 10, end: 100, at: Self.moment(1))
        #expect(lag.sentence(Self.address)?.contains("90 records behind") ?? false)
        lag.see(last: 99, end: 150, at: Self.moment(2))
        #expect(lag.sentence(Self.address)?.contains("being filled") ?? false)
        // Later records do not count.
        lag.see(last: 100, end: 200, at: Self.moment(3))
        #expect(lag.sentence(Self.address) == nil && lag.behind == 100)
    }

    @Test("tables that stop while records are pending are reported as stuck until they advance")
    func standstill() {
        var lag = TableLag()
        lag.see(last: 100, end: 100, at: Self.moment(0))
        lag.see(last: 100, end: 101, at: Self.moment(1_000))
        #expect(lag.sentence(Self.address) == nil)
        lag.see(last: 100, end: 105, at: Self.moment(1_030))
        #expect(lag.sentence(Self.address) == nil)
        lag.see(last: 100, end: 109, at: Self.moment(1_031))
        let sentence = lag.sentence(Self.address) ?? ""
        #expect(sentence.contains("9 records behind") && sentence.contains("trackway-cluster forward"), "\(sentence)")
        lag.see(last: 101, end: 110, at: Self.moment(1_032))
        #expect(lag.sentence(Self.address) == nil)
        lag.see(last: 110, end: 110, at: Self.moment(2_000))
        lag.see(last: 110, end: 110, at: Self.moment(9_000))
        #expect(lag.sentence(Self.address) == nil && lag.behind == 0)
    }
}
