// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import CollectorCore

@Suite("Alerts that cannot be checked")
struct UncheckedAlertTests {
    /// Records a failed check of the only alert.
    ///
    /// The alert must be due.
    private static func recordFailedCheck(_ store: AlertStore, _ clock: ManualClock) async throws {
        guard case .now(let alert) = await store.nextEvaluation(at: clock.now().monotonic) else {
            throw AlertStoreTests.NotDue()
        }
        try await store.evaluationFinished(
            of: alert,
            .notEvaluated("It costs too much."),
            at: clock.now(),
            link: "http://here/"
        )
    }

    @Test
    func `the time without a check survives a restart, and is reported once with the reason, as is the recovery`()
        async throws
    {
        let clock = ManualClock()
        let storage = try AlertStoreTests.folder()
        let before = AlertStoreTests.store(storage, clock)
        let id = try await before.add(try AlertStoreTests.draft(#","every":"20m""#), at: clock.now().wall)
            .stored.alert.id
        // The time before the first of the three checks does not count, so together they count as forty minutes.
        for _ in 0..<3 {
            try await Self.recordFailedCheck(before, clock)
            clock.advance(by: .seconds(1_200))
        }
        guard case .nothing = await before.nextDelivery(at: clock.now()) else { throw AlertStoreTests.NotDue() }

        let store = AlertStoreTests.store(storage, clock)
        #expect(try await store.alert(id).status.machine.unevaluated?.duration == .seconds(2_400))
        for _ in 0..<2 {
            try await Self.recordFailedCheck(store, clock)
            clock.advance(by: .seconds(1_200))
        }
        let job = try await AlertStoreTests.nextDelivery(store, clock)
        let body = String(decoding: job.body, as: UTF8.self)
        #expect(body.contains(#""type":"alert.unknown""#) && body.contains(#""trouble":"It costs too much.""#))
        await store.attemptFinished(job, .answered(status: 200, retryAfter: nil), at: clock.now(), duration: .zero)
        try await Self.recordFailedCheck(store, clock)
        guard case .nothing = await store.nextDelivery(at: clock.now()) else { throw AlertStoreTests.NotDue() }

        // Reported before the collector ended, and withdrawn after its restart.
        let restored = AlertStoreTests.store(storage, clock)
        try await AlertStoreTests.evaluate(restored, 0, clock)
        let found = try await AlertStoreTests.nextDelivery(restored, clock)
        let recovery = String(decoding: found.body, as: UTF8.self)
        #expect(recovery.contains(#""type":"alert.known""#) && recovery.contains(#""state":"ok""#))
        #expect(try await restored.alert(id).status.machine.unevaluated == nil)
    }
}
