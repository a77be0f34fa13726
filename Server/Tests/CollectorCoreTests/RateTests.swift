// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorCore

struct RateTests {
    private static func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    @Test
    func `a bucket grants its burst at once, then one token at a time, and returns the wait for the next one`() {
        let limit = RateLimit(10, per: .seconds(1), burst: 3)
        var bucket = RateBucket()
        for _ in 0..<3 { #expect(bucket.take(under: limit, at: Self.at(0)) == nil) }
        #expect(bucket.take(under: limit, at: Self.at(0)) == .milliseconds(100))
        #expect(bucket.take(under: limit, at: Self.at(40)) == .milliseconds(60))
        #expect(bucket.wait(under: limit, at: Self.at(100)) == nil)
        #expect(bucket.take(under: limit, at: Self.at(100)) == nil)
        #expect(bucket.take(under: limit, at: Self.at(100)) == .milliseconds(100))
        // After a pause, at most the burst is available.
        let later = Self.at(1_000_000)
        for _ in 0..<3 { #expect(bucket.take(under: limit, at: later) == nil) }
        #expect(bucket.take(under: limit, at: later) != nil)
    }

    @Test(arguments: [1, 3, 7, 1_000])
    func `over a long time, the bucket never grants more tokens than are added, and only slightly fewer`(count: Int) {
        let limit = RateLimit(count, per: .seconds(1), burst: 1)
        var bucket = RateBucket()
        var given = 0
        for millisecond in 0..<Int64(10_000) where bucket.take(under: limit, at: Self.at(millisecond)) == nil {
            given += 1
        }
        #expect(given <= 10 * count && given >= 10 * count - count / 100 - 1, "\(given)")
    }

    @Test
    func `accepted requests are charged, and the debt is limited`() {
        let limit = RateLimit.events(perDay: 100)
        var bucket = RateBucket()
        #expect(bucket.take(under: limit, at: Self.at(0)) == nil)
        bucket.charge(99, under: limit, at: Self.at(0))
        #expect(bucket.wait(under: limit, at: Self.at(0)) == .seconds(864))
        bucket.charge(.max, under: limit, at: Self.at(0))
        bucket.charge(-5, under: limit, at: Self.at(0))
        #expect(bucket.wait(under: limit, at: Self.at(0)) == .seconds(86_400 + 864))
        #expect(bucket.wait(under: limit, at: Self.at(86_400_000 + 864_000)) == nil)
    }

    @Test(arguments: [
        RateLimit(.max, per: .zero, burst: .max), RateLimit(.min, per: .seconds(Int64.max), burst: .min),
        RateLimit(0, per: .seconds(-1), burst: 0), .requests(perSecond: .max), .requests(perSecond: -1),
        .events(perDay: .max), .events(perDay: 0),
    ])
    func `extreme limits are clamped`(_ limit: RateLimit) {
        var bucket = RateBucket()
        for moment in [Int64.min, -1, 0, 1, .max, 0, .min] {
            _ = bucket.take(under: limit, at: Self.at(moment))
            bucket.charge(.max, under: limit, at: Self.at(moment))
        }
        var fresh = RateBucket()
        #expect(fresh.take(under: limit, at: Self.at(.min)) == nil)
    }

    @Test
    func `a clock that goes backward blocks no client for longer than it takes to fill the bucket`() {
        let limit = RateLimit(1, per: .seconds(1), burst: 2)
        var bucket = RateBucket()
        for _ in 0..<2 { #expect(bucket.take(under: limit, at: Self.at(1_000_000_000)) == nil) }
        let wait = bucket.take(under: limit, at: Self.at(0))
        #expect(wait.map { $0 <= .seconds(3) } == true)
    }

    @Test
    func `each address has a separate bucket, but those of one IPv6 network share one`() throws {
        var table = AddressTable(RateLimit(1, per: .seconds(1), burst: 1))
        func group(_ text: String) throws -> AddressGroup { AddressGroup(try #require(IPAddress(text))) }
        for text in ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1", "::ffff:192.0.2.3", "::c000:201"] {
            #expect(table.take(of: try group(text), at: Self.at(0)) == nil, "\(text)")
        }
        for text in ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::ffff:1", "2001:db8:0:1:2:3:4:5", "192.0.2.3"] {
            #expect(table.take(of: try group(text), at: Self.at(0)) != nil, "\(text)")
        }
    }

    @Test
    func `the table's size is limited, and busy addresses are not evicted`() {
        let limit = RateLimit(1, per: .seconds(1_000), burst: 1)
        var table = AddressTable(limit, capacity: 100)
        let busy = AddressGroup(.v4(1))
        #expect(table.take(of: busy, at: Self.at(0)) == nil)
        for number in 1...10_000 as ClosedRange<UInt32> {
            #expect(table.take(of: AddressGroup(.v6(network: UInt64(number), interface: 0)), at: Self.at(0)) == nil)
            if number % 20 == 0 { #expect(table.take(of: busy, at: Self.at(0)) != nil) }
            #expect(table.count <= 101)
        }
    }

    @Test
    func `addresses are limited separately, with an error that states the wait`() throws {
        let clock = ManualClock()
        let meter = AddressMeter(RateLimit(1, per: .seconds(5), burst: 1), clock: clock)
        try meter.admit(.v4(1))
        try meter.admit(.v4(2))
        let error = #expect(throws: AdmissionError.self) { try meter.admit(.v4(1)) }
        #expect(error?.code == "address_rate" && error?.kind == .limited(.seconds(5)))
        clock.advance(by: .seconds(5))
        try meter.admit(.v4(1))
        let open = AddressMeter(nil, clock: clock)
        for _ in 0..<1_000 { try open.admit(.v4(1)) }
    }

    @Test
    func `a key has its own limits, or the collector's if it has none`() throws {
        let clock = ManualClock()
        let meter = KeyMeter(defaults: KeyLimits(requestsPerSecond: 1), clock: clock)
        let usual = KeyGrant(name: "usual", scopes: [.write])
        let own = KeyGrant(name: "own", scopes: [.write], limits: KeyLimits(requestsPerSecond: 2, eventsPerDay: 10))
        for _ in 0..<10 { try meter.admit(usual, for: .write) }
        #expect(throws: AdmissionError.self) { try meter.admit(usual, for: .read) }
        for _ in 0..<20 { try meter.admit(own, for: .write) }
        var error = #expect(throws: AdmissionError.self) { try meter.admit(own, for: .write) }
        #expect(error?.code == "key_rate" && error?.kind == .limited(.milliseconds(500)))
        clock.advance(by: .seconds(10))
        meter.charge(own, events: 12)
        error = #expect(throws: AdmissionError.self) { try meter.admit(own, for: .write) }
        #expect(error?.code == "key_quota")
        // Reading does not count as sending.
        try meter.admit(own, for: .read)
        clock.advance(by: .seconds(3 * 8_640))
        try meter.admit(own, for: .write)
    }
}
