// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable import CollectorCore

@Suite("Quota for storing rejected bodies")
struct QuarantineQuotaTests {
    private static func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: seconds * 1_000) }

    @Test
    func
        `a sender's bodies are stored up to a quarter of the quota, then truncated or counted; others' are stored`()
    {
        var quota = QuarantineQuota(bytesPerDay: 1 << 20)
        let now = Self.time(5)
        #expect(quota.reserve(200 << 10, by: "a", at: now) == .whole)
        #expect(quota.reserve(100 << 10, by: "a", at: now) == .excerpt(QuarantineQuota.excerptBytes))
        #expect(quota.reserve(10, by: "a", at: now) == .whole)
        #expect(quota.reserve(100 << 10, by: "b", at: now) == .whole)
        var verdicts: Set<QuarantineQuota.Verdict> = []
        for _ in 0..<1_000 { verdicts.insert(quota.reserve(100 << 10, by: "a", at: now)) }
        #expect(verdicts == [.excerpt(QuarantineQuota.excerptBytes), .nothing])
        #expect(quota.reserve(100 << 10, by: "c", at: now) == .whole)
    }

    @Test
    func `the total of all senders is limited`() {
        var quota = QuarantineQuota(bytesPerDay: 1 << 20)
        let kept = (0..<100).filter { quota.reserve(100 << 10, by: "s\($0)", at: Self.time(5)) == .whole }.count
        #expect(kept == 10)
    }

    @Test
    func `the quota refills with time, and a clock that is set back adds nothing`() {
        var quota = QuarantineQuota(bytesPerDay: 1 << 20)
        #expect(quota.reserve(256 << 10, by: "a", at: Self.time(90_000)) == .whole)
        #expect(quota.reserve(100 << 10, by: "a", at: Self.time(90_000)) != .whole)
        #expect(quota.reserve(100 << 10, by: "a", at: Self.time(0)) != .whole)
        #expect(quota.reserve(100 << 10, by: "a", at: Self.time(90_000 + 43_200)) == .whole)
        #expect(quota.reserve(.max, by: "a", at: Self.time(.max / 1_000)) != .whole)
    }
}
