// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting

@testable internal import Collector

@Suite("An alert that cannot be looked at")
struct AlertUnseenTests {
    /// Looks at the one alert, which is due, in vain.
    private static func lookInVain(_ store: AlertStore, _ clock: ManualClock) async throws {
        guard case .now(let alert) = await store.nextLook(at: clock.now().monotonic) else {
            throw AlertStoreTests.NotDue()
        }
        try await store.looked(at: alert, .unseen("It costs too much."), at: clock.now(), link: "http://here/")
    }

    @Test("how long it was not seen is kept over a new start, told once with why, and so is that it is seen again")
    func restart() async throws {
        let clock = ManualClock()
        let storage = try AlertStoreTests.folder()
        let before = AlertStoreTests.store(storage, clock)
        let id = try await before.add(try AlertStoreTests.draft(#","every":"20m""#), at: clock.now().wall)
            .stored.alert.id
        // Of the four looks the first says nothing about the time before: forty minutes are counted then.
        for _ in 0..<3 {
            try await Self.lookInVain(before, clock)
            clock.advance(by: .seconds(1_200))
        }
        guard case .nothing = await before.nextSending(at: clock.now()) else { throw AlertStoreTests.NotDue() }

        let store = AlertStoreTests.store(storage, clock)
        #expect(try await store.alert(id).status.machine.unseen?.lasted == .seconds(2_400))
        for _ in 0..<2 {
            try await Self.lookInVain(store, clock)
            clock.advance(by: .seconds(1_200))
        }
        let job = try await AlertStoreTests.sending(store, clock)
        let body = String(decoding: job.body, as: UTF8.self)
        #expect(body.contains(#""type":"alert.unknown""#) && body.contains(#""trouble":"It costs too much.""#))
        await store.sent(job, .answered(status: 200, asked: nil), at: clock.now(), took: .zero)
        try await Self.lookInVain(store, clock)
        guard case .nothing = await store.nextSending(at: clock.now()) else { throw AlertStoreTests.NotDue() }

        // It was told before the collector ended, and is taken back after it has begun again.
        let again = AlertStoreTests.store(storage, clock)
        try await AlertStoreTests.look(again, 0, clock)
        let found = try await AlertStoreTests.sending(again, clock)
        let told = String(decoding: found.body, as: UTF8.self)
        #expect(told.contains(#""type":"alert.known""#) && told.contains(#""state":"ok""#))
        #expect(try await again.alert(id).status.machine.unseen == nil)
    }
}
