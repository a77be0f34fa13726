// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayDelivery
import TrackwayTesting

@Suite("Retry state across restarts")
struct RetryFileTests {
    private let state = RetryState(
        failures: 3,
        notBefore: MonotonicTime(milliseconds: 5_000),
        attempts: Attempts(refusals: 2, failures: 1)
    )

    @Test
    func `a state is restored in the same boot and discarded in the next`() {
        let disk = MemoryStorage()
        disk.makeFolder("/app")
        RetryFile(folder: "/app", storage: disk, boot: "one").store(state, for: "collector")
        #expect(RetryFile(folder: "/app", storage: disk, boot: "one").recall("collector") == state)
        #expect(RetryFile(folder: "/app", storage: disk, boot: "one").recall("other") == nil)
        #expect(RetryFile(folder: "/app", storage: disk, boot: "two").recall("collector") == nil)
    }

    @Test(arguments: [nil, MonotonicTime(milliseconds: 4_000)], [false, true])
    func `the reason for a failure is restored`(since: MonotonicTime?, isNamed: Bool) {
        let disk = MemoryStorage()
        disk.makeFolder("/app")
        let state = RetryState(
            failures: 3,
            notBefore: MonotonicTime(milliseconds: 5_000),
            since: since,
            reason: "refused: \"no\"",
            isNamedByBackEnd: isNamed
        )
        RetryFile(folder: "/app", storage: disk, boot: "one").store(state, for: "collector")
        #expect(RetryFile(folder: "/app", storage: disk, boot: "one").recall("collector") == state)
    }

    @Test
    func `a removed state stays removed, and the other states remain`() {
        let disk = MemoryStorage()
        disk.makeFolder("/app")
        let file = RetryFile(folder: "/app", storage: disk, boot: "one")
        file.store(state, for: "collector")
        file.store(state, for: "audit")
        file.store(nil, for: "collector")
        let next = RetryFile(folder: "/app", storage: disk, boot: "one")
        #expect(next.recall("collector") == nil)
        #expect(next.recall("audit") == state)
    }

    @Test
    func `a file written before attempts were counted is still readable`() throws {
        let disk = MemoryStorage()
        disk.makeFolder("/app")
        let content = #"{"boot":"one","destinations":{"collector":[3,5000]}}"#
        try disk.replace("/app/retry", with: Array(content.utf8), durably: true)
        let expected = RetryState(failures: 3, notBefore: MonotonicTime(milliseconds: 5_000))
        #expect(RetryFile(folder: "/app", storage: disk, boot: "one").recall("collector") == expected)
    }

    @Test(arguments: ["", "[]", #"{"boot":"one"}"#, #"{"boot":"one","destinations":{"collector":[1],"A B":[1,2]}}"#])
    func `a damaged file counts as missing`(content: String) throws {
        let disk = MemoryStorage()
        disk.makeFolder("/app")
        try disk.replace("/app/retry", with: Array(content.utf8), durably: true)
        #expect(RetryFile(folder: "/app", storage: disk, boot: "one").recall("collector") == nil)
    }

    @Test
    func `a restarted app does not contact a failing back end before the retry time`() async throws {
        let clock = ManualClock()
        let memory = try InMemoryAnalytics(clock: clock)
        memory.transport.always(.status(503, headers: ["retry-after": "600"]))
        memory.analytics.record("waiting")
        _ = await memory.analytics.flush()
        #expect(memory.transport.requests.count == 1)
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill(), clock: clock)
        next.analytics.record("more")
        _ = await next.analytics.flush()
        #expect(next.transport.requests.isEmpty)
        clock.advance(by: .seconds(601))
        _ = await next.analytics.flush()
        #expect(next.transport.delivered.count == 2)
    }
}
