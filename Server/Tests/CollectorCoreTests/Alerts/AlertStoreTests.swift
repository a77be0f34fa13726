// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import CollectorCore

@Suite("Alerts")
struct AlertStoreTests {
    static let path = "/data/alerts.json"
    static let statusPath = "/data/alert-states.json"

    static func folder() throws -> MemoryStorage {
        let storage = MemoryStorage()
        storage.makeFolder("/data")
        try storage.synchronizeFolder("/")
        return storage
    }

    static func store(
        _ storage: any JournalStorage,
        _ clock: ManualClock = ManualClock(),
        _ notes: Locked<[String]> = Locked([]),
        seed: UInt64 = 7
    ) -> AlertStore {
        let random = Locked(SplitMix(state: seed))
        return AlertStore(
            path: path,
            statusPath: statusPath,
            storage: storage,
            policy: WebhookPolicy(allowsLoopback: true),
            at: clock.now(),
            randomUInt64: { random.withLock { $0.next() } },
            onWarning: { note in notes.withLock { $0.append(note) } }
        )
    }

    static func draft(_ more: String = "") throws -> AlertDraft {
        let json =
            #"{"title":"Missing","condition":{"kind":"missing","threshold":3},"webhook":"https://hooks.example.com/secret"\#(more)}"#
        return try AlertDraft(try JSONValue.parse(Array(json.utf8)))
    }

    /// Records a check of the only alert with a value.
    ///
    /// The alert must be due.
    static func evaluate(_ store: AlertStore, _ value: Double, _ clock: ManualClock) async throws {
        guard case .now(let alert) = await store.nextEvaluation(at: clock.now().monotonic) else {
            throw NotDue()
        }
        let outcome = AlertOutcome.measured(value: value, holds: alert.settings.condition.holds(for: value))
        try await store.evaluationFinished(
            of: alert,
            outcome,
            at: clock.now(),
            link: "http://here" + alert.settings.condition.page
        )
    }

    static func nextDelivery(_ store: AlertStore, _ clock: ManualClock) async throws -> WebhookDelivery {
        guard case .now(let job) = await store.nextDelivery(at: clock.now()) else { throw NotDue() }
        return job
    }

    struct NotDue: Error {}

    @Test
    func `a saved alert survives power loss, and is read back as written`() async throws {
        let storage = try Self.folder()
        let made = try await Self.store(storage).add(
            try Self.draft(#","every":"5m","for":"10m","keep_firing_for":"90s","repeat":"4h""#),
            at: ManualClock().now().wall
        )
        let restored = try await Self.store(storage.afterPowerLoss()).alert(made.stored.alert.id)
        #expect(restored.stored == made.stored)
        let settings = restored.stored.alert.settings
        #expect(
            settings.interval == .seconds(300) && settings.pendingFor == .seconds(600)
                && settings.resolveAfter == .seconds(90)
        )
        #expect(settings.repeatInterval == .seconds(14_400) && settings.webhook == "https://hooks.example.com/secret")
        var writer = JSONWriter()
        restored.write(to: &writer)
        let shown = String(decoding: writer.bytes, as: UTF8.self)
        #expect(
            shown.contains("https://hooks.example.com/…") && !shown.contains("whsec_") && !shown.contains("/secret")
        )
    }

    @Test
    func `a change to an outdated version is rejected; sending back a masked URL keeps the URL`() async throws {
        let store = Self.store(try Self.folder())
        let id = try await store.add(try Self.draft(), at: ManualClock().now().wall).stored.alert.id
        let now = ManualClock().now().wall
        let json = #"{"title":"b","condition":{"kind":"missing"},"webhook":"https://hooks.example.com/…"}"#
        let draft = try AlertDraft(try JSONValue.parse(Array(json.utf8)))
        let second = try await store.replace(id, with: draft, basedOn: 1, at: now)
        #expect(second.stored.alert.settings.webhook == "https://hooks.example.com/secret")
        let error = await #expect(throws: SavedError.self) {
            try await store.replace(id, with: draft, basedOn: 1, at: now)
        }
        #expect(error?.kind == .changed)
        let removal = await #expect(throws: SavedError.self) { try await store.remove(id, basedOn: 1) }
        #expect(removal?.kind == .changed)
        for address in ["http://hooks.example.com/", "https://10.0.0.1/", "https://other.example.com/…"] {
            var other = draft
            other.settings.webhook = address
            let error = await #expect(throws: SavedError.self) {
                try await store.replace(id, with: other, basedOn: 2, at: now)
            }
            #expect(error?.field == "webhook")
        }
        try await store.remove(id, basedOn: 2)
        #expect(try await store.all().isEmpty)
    }

    @Test
    func `without alerts, nothing is due, and a paused alert is not checked`() async throws {
        let (store, clock) = (Self.store(try Self.folder()), ManualClock())
        guard case .nothing = await store.nextEvaluation(at: clock.now().monotonic) else { throw NotDue() }
        _ = try await store.add(try Self.draft(#","paused":true"#), at: clock.now().wall)
        guard case .nothing = await store.nextEvaluation(at: clock.now().monotonic) else { throw NotDue() }
        guard case .nothing = await store.nextDelivery(at: clock.now()) else { throw NotDue() }
    }

    @Test
    func `an alert fires once, and a restart neither repeats nor forgets it`() async throws {
        let clock = ManualClock()
        var storage = try Self.folder()
        var store = Self.store(storage, clock)
        let id = try await store.add(try Self.draft(), at: clock.now().wall).stored.alert.id
        try await Self.evaluate(store, 5, clock)
        let job = try await Self.nextDelivery(store, clock)
        #expect(job.address == "https://hooks.example.com/secret" && job.id.hasPrefix("msg_"))
        let body = try JSONValue.parse(job.body)
        #expect(body["type"]?.string == "alert.firing" && body["data"]?["value"]?.double == 5)
        #expect(body["data"]?["threshold"]?.double == 3 && body["data"]?["link"]?.string == "http://here/?tab=ledger")
        // Killed between sending and recording the delivery: the same message is sent again.
        storage = storage.afterPowerLoss()
        store = Self.store(storage, clock, seed: 8)
        let second = try await Self.nextDelivery(store, clock)
        #expect(second.id == job.id && second.body == job.body && second.secrets == job.secrets)
        await store.attemptFinished(
            second,
            .answered(status: 204, retryAfter: nil),
            at: clock.now(),
            duration: .milliseconds(12)
        )
        for seed in 9..<12 {
            storage = storage.afterPowerLoss()
            store = Self.store(storage, clock, seed: UInt64(seed))
            try await Self.evaluate(store, 5, clock)
            guard case .nothing = await store.nextDelivery(at: clock.now()) else { throw NotDue() }
        }
        let view = try await store.alert(id)
        #expect(view.status.machine.state == .firing && view.status.attempts.map(\.outcome) == [.delivered])
        clock.advance(by: .seconds(60))
        try await Self.evaluate(store, 0, clock)
        let over = try JSONValue.parse(try await Self.nextDelivery(store, clock).body)
        #expect(over["type"]?.string == "alert.resolved" && over["data"]?["state"]?.string == "resolved")
    }

    @Test
    func `delivery of a message is attempted seven times within a day, with growing delays, and then abandoned`()
        async throws
    {
        let (storage, clock) = (try Self.folder(), ManualClock())
        let store = Self.store(storage, clock)
        let id = try await store.add(try Self.draft(#","every":"24h""#), at: clock.now().wall).stored.alert.id
        try await Self.evaluate(store, 5, clock)
        let began = clock.now().monotonic
        var (waits, ids): ([Duration], Set<String>) = ([], [])
        for attempt in 1...7 {
            let job = try await Self.nextDelivery(store, clock)
            ids.insert(job.id)
            #expect(job.delivery?.failures == attempt - 1)
            await store.attemptFinished(job, .answered(status: 500, retryAfter: nil), at: clock.now(), duration: .zero)
            guard case .later(let wait) = await store.nextDelivery(at: clock.now()) else { break }
            waits.append(wait)
            // Setting the clock changes nothing.
            clock.jumpWall(by: .seconds(attempt % 2 == 0 ? 100_000_000 : -100_000_000))
            clock.advance(by: wait)
        }
        #expect(ids.count == 1 && waits.count == 6)
        for (wait, usual) in zip(waits, [5, 300, 1_800, 7_200, 18_000, 36_000]) {
            #expect(wait >= .seconds(usual) && wait <= .seconds(usual) * 1.25)
        }
        #expect(began.duration(to: clock.now().monotonic) < .seconds(86_400))
        let status = try await store.alert(id).status
        #expect(status.pendingDelivery == nil && status.attempts.last?.outcome == .givenUp)
        #expect(status.attempts.dropLast().allSatisfy { $0.outcome == .failed })
    }

    @Test
    func `the delay before the next attempt survives a restart, and is at most a day regardless of the wall clock`()
        async throws
    {
        let (storage, clock) = (try Self.folder(), ManualClock())
        let store = Self.store(storage, clock)
        _ = try await store.add(try Self.draft(), at: clock.now().wall)
        try await Self.evaluate(store, 5, clock)
        for _ in 0..<2 {
            let job = try await Self.nextDelivery(store, clock)
            await store.attemptFinished(job, .failed("refused"), at: clock.now(), duration: .zero)
            clock.advance(by: .seconds(7))
        }
        for (jump, least, most) in [(0, 290, 380), (-1_000_000, 86_400, 86_400), (1_000_000, 0, 0)] {
            let later = ManualClock(wall: clock.now().wall.advanced(by: .seconds(jump)))
            switch await Self.store(storage, later).nextDelivery(at: later.now()) {
            case .now: #expect(most == 0)
            case .later(let wait): #expect(wait >= .seconds(least) && wait <= .seconds(most))
            case .nothing: Issue.record("The attempt was lost.")
            }
        }
    }

    @Test
    func `a later state replaces an undelivered one, but a reminder does not`() async throws {
        let (storage, clock) = (try Self.folder(), ManualClock())
        let store = Self.store(storage, clock)
        let id = try await store.add(try Self.draft(#","repeat":"5m""#), at: clock.now().wall).stored.alert.id
        try await Self.evaluate(store, 5, clock)
        let first = try await Self.nextDelivery(store, clock)
        await store.attemptFinished(
            first,
            .answered(status: 503, retryAfter: .seconds(3_600)),
            at: clock.now(),
            duration: .zero
        )
        for _ in 0..<6 {
            clock.advance(by: .seconds(60))
            try await Self.evaluate(store, 5, clock)
        }
        #expect(try await store.alert(id).status.pendingDelivery?.id == first.id)
        clock.advance(by: .seconds(60))
        try await Self.evaluate(store, 0, clock)
        // Immediately, although the previous message had to wait for an hour.
        let second = try await Self.nextDelivery(store, clock)
        #expect(second.delivery?.kind == .resolve && second.id != first.id)
        // The alert fires again during the delivery: messages are sent one after the other.
        clock.advance(by: .seconds(60))
        try await Self.evaluate(store, 9, clock)
        guard case .nothing = await store.nextDelivery(at: clock.now()) else { throw NotDue() }
        await store.attemptFinished(second, .failed("timed out"), at: clock.now(), duration: .zero)
        let third = try await Self.nextDelivery(store, clock)
        #expect(third.delivery?.kind == .fire && third.delivery?.failures == 0)
        await store.attemptFinished(third, .answered(status: 200, retryAfter: nil), at: clock.now(), duration: .zero)
        let outcomes = try await store.alert(id).status.attempts.map(\.outcome)
        #expect(outcomes == [.failed, .superseded, .superseded, .superseded, .delivered])
    }

    @Test
    func `a receiver that responds 410 gets no more messages until the alert is changed`() async throws {
        let (storage, clock) = (try Self.folder(), ManualClock())
        var store = Self.store(storage, clock)
        let id = try await store.add(try Self.draft(), at: clock.now().wall).stored.alert.id
        try await Self.evaluate(store, 5, clock)
        await store.attemptFinished(
            try await Self.nextDelivery(store, clock),
            .answered(status: 410, retryAfter: nil),
            at: clock.now(),
            duration: .zero
        )
        store = Self.store(storage.afterPowerLoss(), clock)
        #expect(try await store.alert(id).status.goneSince != nil)
        try await Self.evaluate(store, 0, clock)
        guard case .nothing = await store.nextDelivery(at: clock.now()) else { throw NotDue() }
        _ = try await store.replace(id, with: try Self.draft(), basedOn: 1, at: clock.now().wall)
        try await Self.evaluate(store, 5, clock)
        #expect(try await Self.nextDelivery(store, clock).delivery?.kind == .fire)
    }

    @Test
    func `an alert on a full disk does not fire, and fires once there is space`() async throws {
        let (storage, clock) = (FaultyStorage(try Self.folder()), ManualClock())
        let store = Self.store(storage, clock)
        let id = try await store.add(try Self.draft(), at: clock.now().wall).stored.alert.id
        storage.fail(.replace, with: .noSpace)
        for _ in 0..<3 {
            let error = await #expect(throws: SavedError.self) { try await Self.evaluate(store, 5, clock) }
            #expect(error?.kind == .unavailable)
            guard case .nothing = await store.nextDelivery(at: clock.now()) else { throw NotDue() }
            clock.advance(by: .seconds(60))
        }
        #expect(try await store.alert(id).status.machine.state == .unknown)
        let change = await #expect(throws: SavedError.self) {
            try await store.replace(id, with: try Self.draft(), basedOn: 1, at: clock.now().wall)
        }
        #expect(change?.kind == .unavailable)
        storage.clearFaults()
        try await Self.evaluate(store, 5, clock)
        let job = try await Self.nextDelivery(store, clock)
        // The delivery cannot be recorded: this collector does not send the message again.
        storage.fail(.replace, with: .noSpace)
        await store.attemptFinished(job, .answered(status: 200, retryAfter: nil), at: clock.now(), duration: .zero)
        guard case .nothing = await store.nextDelivery(at: clock.now()) else { throw NotDue() }
    }

    @Test(arguments: 0..<60)
    func `after a kill at any write, a new collector sends messages in order, and never returns to an earlier one`(
        _ seed: Int
    ) async throws {
        var random = SplitMix(state: UInt64(seed))
        let (memory, clock) = (try Self.folder(), ManualClock())
        _ = try await Self.store(memory, clock).add(try Self.draft(), at: clock.now().wall)
        var (storage, received): (MemoryStorage, [(id: String, kind: String)]) = (memory, [])
        var faulty = FaultyStorage(storage)
        var store = Self.store(faulty, clock, seed: UInt64(seed) + 100)
        var number: UInt64 = 1
        for _ in 0..<120 {
            clock.advance(by: .seconds(60))
            if random.next() % 4 == 0 { faulty.fail(.replace, with: .inputOutput, after: Int(random.next() % 2)) }
            do {
                try await Self.evaluate(store, random.next() % 3 == 0 ? 5 : 0, clock)
            } catch is SavedError {
                // The write failed, so the transition did not happen.
            }
            if case .now(let job) = await store.nextDelivery(at: clock.now()) {
                let kind = job.delivery?.kind.rawValue ?? ""
                if random.next() % 3 > 0 { received.append((job.id, kind)) }
                // Killed between sending and recording, or not.
                if random.next() % 2 == 0 {
                    let isAccepted = received.last?.id == job.id
                    await store.attemptFinished(
                        job,
                        isAccepted ? .answered(status: 200, retryAfter: nil) : .failed("lost"),
                        at: clock.now(),
                        duration: .zero
                    )
                }
            }
            guard random.next() % 5 == 0 else { continue }
            storage = storage.afterPowerLoss()
            faulty = FaultyStorage(storage)
            number += 1
            store = Self.store(faulty, clock, seed: UInt64(seed) * 1_000 + number)
        }
        #expect(received.count > 3)
        // Messages with the same id are consecutive.
        var seen: [String] = []
        for (index, message) in received.enumerated() where seen.last != message.id {
            #expect(!seen.contains(message.id), "message \(index) was sent again later")
            seen.append(message.id)
        }
    }

    @Test
    func `for a while, messages are signed with both the replaced secret and the new one`() async throws {
        let (storage, clock) = (try Self.folder(), ManualClock())
        var store = Self.store(storage, clock)
        let made = try await store.add(try Self.draft(), at: clock.now().wall)
        let id = made.stored.alert.id
        let rotated = try await store.rotate(id, overlap: .seconds(3_600), at: clock.now().wall)
        #expect(rotated.stored.secret != made.stored.secret)
        store = Self.store(storage.afterPowerLoss(), clock)
        let message = try await store.testDelivery(for: id, at: clock.now().wall, link: "")
        #expect(message.secrets == [rotated.stored.secret, made.stored.secret] && message.delivery == nil)
        let later = clock.now().wall.advanced(by: .seconds(3_600))
        #expect(try await store.testDelivery(for: id, at: later, link: "").secrets == [rotated.stored.secret])
        let now = try await store.rotate(id, overlap: .zero, at: clock.now().wall)
        #expect(now.stored.secrets(at: clock.now().wall).count == 1)
    }

    @Test
    func `there are at most a hundred alerts, and at most fifty stored attempts for each`() async throws {
        let (storage, clock) = (try Self.folder(), ManualClock())
        let store = Self.store(storage, clock)
        for _ in 0..<AlertLimits.alerts { _ = try await store.add(try Self.draft(), at: clock.now().wall) }
        let error = await #expect(throws: SavedError.self) {
            try await store.add(try Self.draft(), at: clock.now().wall)
        }
        #expect(error?.kind == .full)
        let id = try #require(try await store.all().first?.stored.alert.id)
        for _ in 0..<70 {
            let message = try await store.testDelivery(for: id, at: clock.now().wall, link: "")
            await store.attemptFinished(
                message,
                .failed(String(repeating: "x", count: 5_000)),
                at: clock.now(),
                duration: .zero
            )
        }
        let attempts = try await store.alert(id).status.attempts
        #expect(attempts.count == 50 && attempts.allSatisfy { ($0.message?.count ?? 0) <= 200 })
    }

    @Test(arguments: [AlertStoreTests.path, AlertStoreTests.statusPath])
    func `a damaged file is moved aside and reported; a newer one is not changed, and alerts are unavailable`(
        _ path: String
    ) async throws {
        for content in [#"{"version":1}"#, "", #"{"version":1,"alerts":[{"id":"a"}]}"#, #"{"version":2,"alerts":[]}"#] {
            let (storage, notes) = (try Self.folder(), Locked<[String]>([]))
            _ = try await Self.store(storage).add(try Self.draft(), at: ManualClock().now().wall)
            try storage.replace(path, with: Array(content.utf8), durably: true)
            let store = Self.store(storage, ManualClock(), notes)
            #expect(notes.withLock { $0.count } == 1)
            if content.contains(#""version":2"#) {
                let error = await #expect(throws: SavedError.self) { try await store.all() }
                #expect(error?.kind == .unavailable)
                #expect(storage.contents(of: path) == Array(content.utf8))
            } else {
                #expect(try await store.all().count == (path == Self.path ? 0 : 1))
                #expect(storage.names(in: "/data").contains { $0.contains(".damaged-") })
            }
        }
    }

    @Test
    func `a deleted alert sends nothing more, even if it fires during its query`() async throws {
        let (storage, clock) = (try Self.folder(), ManualClock())
        let store = Self.store(storage, clock)
        let id = try await store.add(try Self.draft(), at: clock.now().wall).stored.alert.id
        guard case .now(let alert) = await store.nextEvaluation(at: clock.now().monotonic) else { throw NotDue() }
        try await store.remove(id, basedOn: 1)
        try await store.evaluationFinished(of: alert, .measured(value: 9, holds: true), at: clock.now(), link: "")
        guard case .nothing = await store.nextDelivery(at: clock.now()) else { throw NotDue() }
        #expect(
            storage.contents(of: Self.statusPath).map { !String(decoding: $0, as: UTF8.self).contains(id) } ?? true
        )
    }
}
