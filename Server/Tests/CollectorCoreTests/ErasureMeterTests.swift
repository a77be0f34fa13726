// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Erasure rate limits")
struct ErasureMeterTests {
    private static func meter(_ clock: ManualClock) -> ErasureMeter {
        ErasureMeter(
            keyLimit: RateLimit(10, per: .seconds(1), burst: 100),
            addressLimit: RateLimit(1, per: .seconds(1), burst: 10),
            clock: clock
        )
    }

    private static func wait(_ meter: ErasureMeter, _ count: Int, _ key: String, _ address: IPAddress?) -> Duration? {
        do throws(AdmissionError) {
            try meter.admit(count, key: key, from: address)
            return nil
        } catch {
            #expect(error.code == "erasure_rate")
            guard case .limited(let wait) = error.kind else { return .seconds(-1) }
            return wait
        }
    }

    @Test
    func `a key that exceeds its erasure limit waits until its budget is positive again; others do not wait`() {
        let clock = ManualClock()
        let meter = Self.meter(clock)
        #expect(Self.wait(meter, 200, "public", nil) == nil)
        let wait = Self.wait(meter, 1, "public", nil) ?? .zero
        #expect(wait > .zero && wait <= .seconds(11))
        #expect(Self.wait(meter, 1, "other", nil) == nil)
        clock.advance(by: wait)
        #expect(Self.wait(meter, 1, "public", nil) == nil)
    }

    @Test
    func `an address that exceeds its erasure limit waits; others with the same key do not`() {
        let meter = Self.meter(ManualClock())
        #expect(Self.wait(meter, 20, "public", .v4(1)) == nil)
        #expect(Self.wait(meter, 1, "public", .v4(1)) != nil)
        #expect(Self.wait(meter, 1, "public", .v4(2)) == nil)
    }

    @Test
    func `a batch without erasures does not count`() {
        let meter = Self.meter(ManualClock())
        #expect(Self.wait(meter, 200, "public", .v4(1)) == nil)
        #expect(Self.wait(meter, 0, "public", .v4(1)) == nil)
    }
}
