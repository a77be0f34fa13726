// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Token bucket")
struct TokenBucketTests {
    /// Requests tokens at these times in milliseconds; returns which requests succeeded.
    private func admitted(_ bucket: TokenBucket, at times: [Int]) throws -> [Bool] {
        let device = TestDevice()
        var bucket = bucket
        return try times.map { time in
            bucket = try reloaded(bucket)
            return bucket.take(at: device.now.advanced(by: .milliseconds(time)))
        }
    }

    @Test
    func `one token per ten seconds: the first immediately, the next ten seconds later; failed requests cost nothing`()
        throws
    {
        let times = [0, 0, 1, 5000, 9999, 10_000, 10_001, 19_999, 20_000, 50_000, 50_000, 59_999, 60_000]
        let answers = try admitted(TokenBucket(capacity: 1, per: .seconds(10)), at: times)
        #expect(
            answers == [true, false, false, false, false, true, false, false, true, true, false, false, true]
        )
    }

    @Test
    func `two tokens per ten seconds: two immediately, then one every five seconds, and never more than two stored`()
        throws
    {
        let times = [0, 0, 0, 4999, 5000, 5000, 10_000, 10_000, 19_999, 20_000, 20_000, 100_000, 100_000, 100_000]
        let answers = try admitted(TokenBucket(capacity: 2, per: .seconds(10)), at: times)
        #expect(
            answers == [
                true, true, false, false, true, false, true, false, true, true, false, true, true, false,
            ]
        )
    }

    @Test
    func `thirty tokens per minute: thirty immediately, then one every two seconds`() throws {
        let burst = try admitted(
            TokenBucket(capacity: 30, per: .seconds(60)),
            at: Array(repeating: 0, count: 31) + [1999, 2000, 2001]
        )
        #expect(burst == Array(repeating: true, count: 30) + [false, false, true, false])
    }

    @Test(
        arguments: [
            (0, .seconds(1), false), (-1, .seconds(1), false), (.min, .zero, false), (1, .zero, true),
            (1, .seconds(-5), true),
            (.max, .seconds(Int64.max), true),
        ] as [(Int, Duration, Bool)]
    )
    func
        `a bucket without capacity gives no tokens, one without an interval always gives one, and extremes do not trap`(
            capacity: Int,
            interval: Duration,
            gives: Bool
        ) throws
    {
        let answers = try admitted(TokenBucket(capacity: capacity, per: interval), at: [0, 0, 1])
        #expect(answers == [gives, gives, gives])
    }

    @Test
    func `clock changes neither add nor remove tokens; a restart adds some only if the clock advanced`() {
        var device = TestDevice()
        var bucket = TokenBucket(capacity: 1, per: .seconds(10))
        expect(bucket.take(at: device.now), is: true)
        device.wall = device.wall.advanced(by: .seconds(3600))
        expect(bucket.take(at: device.now), is: false)
        device.wall = device.wall.advanced(by: .seconds(-7200))
        expect(bucket.take(at: device.now), is: false)
        device.restart(takes: .seconds(-100))
        expect(bucket.take(at: device.now), is: false)
        device.restart(takes: .seconds(10))
        expect(bucket.take(at: device.now), is: true)
    }

    @Test(arguments: [
        (#"{"capacity":2,"interval":10}"#, true), (#"{"capacity":2,"interval":10,"parts":20}"#, true),
        (#"{"capacity":2,"interval":10,"parts":21}"#, false), (#"{"capacity":2,"interval":10,"parts":-1}"#, false),
        (#"{"capacity":1000000,"interval":1000000000000}"#, true),
        (#"{"capacity":1000001,"interval":1}"#, false), (#"{"capacity":-1,"interval":1}"#, false),
        (#"{"capacity":1,"interval":1000000000001}"#, false),
        (#"{"capacity":9223372036854775807,"interval":9223372036854775807}"#, false),
    ])
    func `a stored bucket with impossible numbers is rejected as damaged`(json: String, isBucket: Bool) {
        let bucket = try? JSONDecoder().decode(TokenBucket.self, from: Data(json.utf8))
        #expect((bucket != nil) == isBucket)
    }

    @Test
    func `a bucket matches the documented formula, without its rounding`() {
        var generator = SeededGenerator(seed: 81)
        for _ in 0..<200 {
            let capacity = 1 + generator.next(below: 40)
            let interval = 1 + generator.next(below: 100_000)
            var bucket = TokenBucket(capacity: capacity, per: .milliseconds(interval))
            var device = TestDevice()
            var allowance = Double(capacity)
            for _ in 0..<200 {
                let elapsed = generator.next(below: 1 + 3 * interval / capacity)
                device.pass(.milliseconds(elapsed))
                allowance += Double(elapsed) * Double(capacity) / Double(interval)
                allowance = min(allowance, Double(capacity))
                let expected = allowance - 1 > -1e-5
                if expected { allowance -= 1 }
                expect(bucket.take(at: device.now), is: expected)
            }
        }
    }
}
