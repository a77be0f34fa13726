// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayJournal
import TrackwayLifecycle
import TrackwayTesting

@testable import Trackway

@Suite("Interceptors")
struct InterceptorTests {
    private struct Search: TypedEvent {
        static let name = "search"
        var words: String
        var email: String
    }

    private static func analytics(
        _ interceptors: [Interceptor],
        storage: FaultyStorage? = nil,
        clock: ManualClock = ManualClock(),
        change: (inout Configuration) -> Void = { _ in }
    ) throws -> InMemoryAnalytics {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.interceptors = interceptors
        change(&configuration)
        return try InMemoryAnalytics(configuration, storage: storage, clock: clock)
    }

    private static let noEmail = Interceptor("no e-mail in searches") { event in
        event.attributes["email"] = nil
        return .keep
    }

    private static let noDebug = Interceptor("no debugging") { event in
        event.name.hasPrefix("debug_") ? .drop : .keep
    }

    @Test
    func `interceptors run in order on the recording thread, and each sees the changes of those before it`() throws {
        let thread = Locked<[Bool]>([])
        let recording = ObjectIdentifier(Thread.current)
        let memory = try Self.analytics([
            Self.noEmail,
            Interceptor("count") { event in
                thread.withLock { $0.append(ObjectIdentifier(Thread.current) == recording) }
                event.attributes["seen"] = .integer(Int64(event.attributes.count))
                event.items.append(Item(id: "added"))
                return .keep
            },
            Interceptor("rename") { event in
                event.name += "_\(event.items.count)"
                return .keep
            },
        ])
        let receipt = memory.analytics.record("search", ["email": "a@b.c", "words": "shoes"], items: [Item(id: "1")])
        #expect(receipt.durability == .kernel)
        let event = try #require(memory.recorded.first)
        #expect(event.name == "search_2")
        #expect(event.id == receipt.id)
        #expect(event.attributes == ["words": "shoes", "seen": 1])
        #expect(event.items.map(\.id) == ["1", "added"])
        #expect(thread.withLock { $0 } == [true])
        #expect(memory.diagnostics == [])
    }

    @Test
    func `interceptors process every event that a call records: typed and durable events, timers, dynamic attributes`()
        async throws
    {
        let memory = try Self.analytics([Self.noEmail, Self.noDebug])
        let analytics = memory.analytics
        analytics.setGlobalAttributesProvider { ["email": "dynamic", "network": "wifi"] }
        analytics.record(Search(words: "shoes", email: "a@b.c"))
        try await analytics.recordDurably("durable", ["email": "a@b.c"])
        analytics.startTimer("checkout")
        analytics.endTimer("checkout", ["email": "a@b.c"])
        #expect(memory.recorded.map(\.name) == ["search", "durable", "checkout"])
        #expect(memory.recorded.allSatisfy { $0.attributes["email"] == nil && $0.attributes["network"] == "wifi" })
        await #expect(throws: TrackwayError.self) { try await analytics.recordDurably("debug_tap") }
    }

    @Test
    func `interceptors see neither the SDK's own events nor profile events`() async throws {
        let seen = Locked<[String]>([])
        let everything = Interceptor("everything") { event in
            seen.withLock { $0.append(event.name) }
            return .drop
        }
        let memory = try Self.analytics([everything]) { $0.capture = .standard }
        let analytics = memory.analytics
        analytics.screen("Home")
        analytics.identify("ann")
        analytics.setUserAttributes(["age": 3])
        analytics.record("_profile_increment", ["age": 1])
        analytics.record("tap")
        try await analytics.erase()
        #expect(seen.withLock { $0 } == ["tap"])
        #expect(memory.events(named: "_installation_erased").count == 1)
        #expect(memory.recorded.contains { $0.name == "_profile_increment" })
        #expect(!memory.recorded.contains { $0.name == "tap" })
    }

    @Test
    func `interceptors do not see events that may not be recorded, and renaming an event to a blocked name drops it`()
        async throws
    {
        let seen = Locked(0)
        let rename = Interceptor("rename") { event in
            seen.withLock { $0 += 1 }
            if event.name == "tap" { event.name = "secret" }
            return .keep
        }
        let memory = try Self.analytics([rename])
        memory.analytics.setCollectionPolicy(CollectionPolicy(blockedEvents: ["secret"]))
        #expect(memory.analytics.record("secret").dropped == .notCollected)
        #expect(seen.withLock { $0 } == 0)
        #expect(memory.analytics.record("tap").dropped == .notCollected)
        memory.analytics.setConsent(.denied)
        #expect(memory.analytics.record("buy").dropped == .consentDenied)
        #expect(memory.analytics.record("buy", to: ["nobody"]).durability == .none)
        #expect(seen.withLock { $0 } == 1)
        #expect(memory.recorded.isEmpty)
    }

    @Test(arguments: ["", "_session_start", "_installation_erased", "_"])
    func `an invalid name from an interceptor is rejected with a diagnostic, and its other changes are kept`(
        _ name: String
    ) throws {
        let memory = try Self.analytics([
            Interceptor("bad") { event in
                event.name = name
                event.attributes["changed"] = true
                return .keep
            }
        ])
        memory.analytics.record("tap")
        // Names with the SDK's prefix are kept, too.
        memory.analytics.record("_my_event")
        #expect(memory.recorded.map(\.name) == ["tap", "_my_event"])
        #expect(memory.recorded.allSatisfy { $0.attributes["changed"] == true })
        #expect(memory.diagnostics.map(\.code) == [.interceptorNameRefused, .interceptorNameRefused])
        #expect(memory.diagnostics.first?.field == "interceptors.bad")
        #expect(memory.diagnostics.first?.message.hasSuffix("The event was kept as \"tap\".") == true)
    }

    @Test
    func `limits apply to the event after interception, and violations are reported`() throws {
        let memory = try Self.analytics([
            Interceptor("too much") { event in
                event.name = String(repeating: "n", count: 300)
                for number in 0..<300 { event.attributes["k\(number)"] = .integer(Int64(number)) }
                event.attributes["nan"] = .double(.nan)
                return .keep
            }
        ])
        #expect(memory.analytics.record("tap", ["nan": 1]).durability == .kernel)
        let event = try #require(memory.recorded.first)
        #expect(event.name.utf8.count == 128)
        #expect(event.attributes["_error_code"] != nil)
        #expect(
            Set(memory.diagnostics.map(\.code)).isSuperset(of: [.nameTooLong, .tooManyAttributes, .numberNotFinite])
        )
    }

    @Test
    func `dropped events are counted, reported once per interceptor, and get neither a sequence number nor an account`()
        async throws
    {
        let memory = try Self.analytics([Self.noDebug, Interceptor("nothing") { _ in .drop }])
        for _ in 0..<5 { memory.analytics.record("debug_tap") }
        let receipt = memory.analytics.record("tap")
        #expect(receipt.dropped == .intercepted)
        #expect(receipt.sequence == 0)
        let ledger = memory.analytics.ledger()
        #expect(ledger.intercepted == ["no debugging": 5, "nothing": 1])
        #expect(ledger.recorded == 0)
        #expect(ledger.isBalanced)
        #expect(memory.diagnostics.map(\.code) == [.intercepted, .intercepted])
        #expect(memory.diagnostics.map(\.value) == ["debug_tap", "tap"])
        _ = await memory.analytics.flush()
        #expect(memory.transport.requests.isEmpty)
    }

    @Test
    func `interception counts survive a kill once they are written, and are removed by erasing`() async throws {
        let memory = try Self.analytics([Self.noDebug])
        for _ in 0..<5 { memory.analytics.record("debug_tap") }
        await memory.analytics.storage.queue.run {}
        let next = try Self.analytics([], storage: memory.storageAfterKill())
        #expect(next.analytics.ledger().intercepted == ["no debugging": 5])
        let third = try Self.analytics([Self.noDebug], storage: next.storageAfterKill())
        third.analytics.record("debug_tap")
        await third.analytics.storage.queue.run {}
        #expect(third.analytics.ledger().intercepted == ["no debugging": 6])
        try await third.analytics.erase()
        #expect(third.analytics.ledger().intercepted == [:])
    }

    @Test
    func `a damaged count file is replaced, and a full disk loses no counts while the process runs`() async throws {
        let memory = try Self.analytics([Self.noDebug])
        try memory.storage.replace(memory.folder + "/intercepted", with: Array("no JSON".utf8), durably: true)
        memory.analytics.record("debug_tap")
        await memory.analytics.storage.queue.run {}
        #expect(memory.analytics.ledger().intercepted == ["no debugging": 1])
        memory.storage.fail(.replace, with: .noSpace)
        for _ in 0..<3 { memory.analytics.record("debug_tap") }
        await memory.analytics.storage.queue.run {}
        #expect(memory.analytics.ledger().intercepted == ["no debugging": 4])
        memory.storage.clearFaults()
        memory.analytics.record("debug_tap")
        await memory.analytics.storage.queue.run {}
        let next = try Self.analytics([], storage: memory.storageAfterKill())
        #expect(next.analytics.ledger().intercepted == ["no debugging": 5])
    }

    @Test
    func `many interceptor names do not grow the counts without bound`() async throws {
        let counts = InterceptedCounts(folder: "/app", storage: MemoryStorage(), queue: StorageQueue(label: "test"))
        for number in 0..<1_000 { counts.add("name \(number)") }
        #expect(counts.all.count <= 257)
        #expect(counts.all.values.reduce(0, +) == 1_000)
    }

    // MARK: Reentrant calls

    @Test
    func `an interceptor does not see the events that it records, but the others do`() throws {
        let box = Locked<Analytics?>(nil)
        let calls = Locked<[String]>([])
        func echo(_ name: String) -> Interceptor {
            Interceptor(name) { event in
                calls.withLock { $0.append("\(name): \(event.name)") }
                box.withLock { $0 }?.record("\(name) saw \(event.name)", ["email": "a@b.c"])
                return .keep
            }
        }
        let memory = try Self.analytics([echo("one"), echo("two"), Self.noEmail])
        box.withLock { $0 = memory.analytics }
        memory.analytics.record("tap")
        box.withLock { $0 = nil }
        #expect(
            calls.withLock { $0 } == [
                "one: tap", "two: one saw tap", "two: tap", "one: two saw tap",
            ]
        )
        #expect(
            memory.recorded.map(\.name) == [
                "two saw one saw tap", "one saw tap", "one saw two saw tap", "two saw tap", "tap",
            ]
        )
        // Interceptors redact the events of other interceptors, too.
        #expect(memory.recorded.allSatisfy { $0.attributes["email"] == nil })
    }

    @Test(.timeLimit(.minutes(30)))
    func `an interceptor that records in a new task does not recurse indefinitely`() async throws {
        let box = Locked<Analytics?>(nil)
        let calls = Locked(0)
        let done = Locked<Task<Void, Never>?>(nil)
        let memory = try Self.analytics([
            Interceptor("later") { event in
                calls.withLock { $0 += 1 }
                let task = Task { _ = box.withLock { $0 }?.record("later") }
                done.withLock { $0 = task }
                return .keep
            }
        ])
        box.withLock { $0 = memory.analytics }
        memory.analytics.record("tap")
        await done.withLock { $0 }?.value
        box.withLock { $0 = nil }
        #expect(calls.withLock { $0 } == 1)
        #expect(memory.recorded.map(\.name) == ["tap", "later"])
    }

    @Test(.timeLimit(.minutes(30)))
    func `an interceptor may call any other function, and may disable recording before the event is recorded`() throws {
        let box = Locked<Analytics?>(nil)
        let memory = try Self.analytics([
            Interceptor("calls") { event in
                guard let analytics = box.withLock({ $0 }) else { return .keep }
                analytics.identify("ann")
                analytics.screen("Home")
                analytics.setGlobalAttributes(["channel": "store"])
                _ = analytics.ledger()
                analytics.options.logEvents = true
                if event.name == "last" { analytics.isEnabled = false }
                return .keep
            }
        ]) { $0.capture = .standard }
        box.withLock { $0 = memory.analytics }
        #expect(memory.analytics.record("tap").durability == .kernel)
        #expect(memory.analytics.record("last").dropped == .disabled)
        box.withLock { $0 = nil }
        let tap = try #require(memory.events(named: "tap").first)
        #expect(tap.user == "ann")
        #expect(tap.global("channel") == .string("store"))
    }

    @Test
    func `a slow interceptor is reported once`() throws {
        let clock = ManualClock()
        let memory = try Self.analytics(
            [
                Interceptor("slow") { event in
                    clock.advance(by: event.name == "slow" ? .milliseconds(150) : .milliseconds(100))
                    return .keep
                }
            ],
            clock: clock
        )
        memory.analytics.record("quick")
        #expect(memory.diagnostics == [])
        for _ in 0..<3 { memory.analytics.record("slow") }
        #expect(memory.diagnostics.map(\.code) == [.interceptorSlow])
        #expect(memory.events(named: "slow").count == 3)
    }

    @Test
    func `of several interceptors, the slow one is reported`() throws {
        let clock = ManualClock()
        let memory = try Self.analytics(
            [
                Interceptor("quick") { _ in .keep },
                Interceptor("slow") { _ in
                    clock.advance(by: .milliseconds(150))
                    return .keep
                },
                Interceptor("last") { _ in .keep },
            ],
            clock: clock
        )
        memory.analytics.record("held_up")
        #expect(memory.diagnostics.map(\.field) == ["interceptors.slow"])
    }

    @Test
    func `an event whose interceptor disables the SDK is not recorded`() throws {
        let host = Locked<Analytics?>(nil)
        let memory = try Self.analytics([
            Interceptor("disable") { _ in
                host.withLock { $0 }?.isEnabled = false
                return .keep
            }
        ])
        defer { host.withLock { $0 = nil } }
        #expect(memory.analytics.record("before").durability == .kernel)
        host.withLock { [analytics = memory.analytics] in $0 = analytics }
        #expect(memory.analytics.record("inside").dropped == .disabled)
        #expect(memory.recorded.map(\.name) == ["before"])
    }

    @Test
    func `interceptors run on eight threads at the same time, and every event is recorded or counted`() async throws {
        let memory = try Self.analytics([Self.noEmail, Self.noDebug])
        let analytics = memory.analytics
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<500 {
                        analytics.record(
                            number % 5 == 0 ? "debug_tap" : "tap",
                            ["thread": .integer(Int64(thread)), "email": "a"]
                        )
                    }
                }
            }
        }
        #expect(analytics.ledger().intercepted == ["no debugging": 800])
        #expect(analytics.ledger().recorded == 3_200)
        await analytics.storage.queue.run {}
        #expect(analytics.ledger().intercepted == ["no debugging": 800])
        #expect(memory.recorded.count == 3_200)
        #expect(memory.recorded.allSatisfy { $0.attributes["email"] == nil })
    }

    @Test
    func `a queue recognizes repeats after interception, and the log shows the event after interception`() throws {
        let memory = try Self.analytics([Self.noEmail]) { $0.logEvents = true }
        try memory.analytics.addDestination(
            QueueFixture.destination("queue").configured(delivery: QueueFixture.policy(same: .seconds(3_600)))
        )
        #expect(memory.analytics.record("state", ["email": "a"], to: ["queue"]).durability == .kernel)
        #expect(memory.analytics.record("state", ["email": "b"], to: ["queue"]).dropped == .duplicate)
        #expect(memory.log.count == 1)
        #expect(!memory.log.joined().contains("email"))
    }

    @Test
    func `without interceptors, recording takes the fast path`() throws {
        let memory = try Self.analytics([])
        #expect(memory.analytics.delivery.control.gate.state == .isOpen)
        #expect(try Self.analytics([Self.noEmail]).analytics.delivery.control.gate.state == [.isOpen, .intercepts])
    }

    @Test
    func `an app's tests can check its interceptors in one line`() {
        let interceptors = [Self.noEmail, Self.noDebug]
        #expect(interceptors.outcome(of: "search", ["email": "ann@example.com", "n": 1]) == .kept("search", ["n": 1]))
        #expect(interceptors.outcome(of: "debug_tap") == .dropped(by: "no debugging"))
    }
}
