// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Concurrent capture")
struct CaptureConcurrencyTests {
    @Test
    func `concurrent changes of screens, users, lifecycle and settings neither lose nor reorder events, nor deadlock`()
        async throws
    {
        let memory = try InMemoryAnalytics.capturing()
        let analytics = memory.analytics
        analytics.setGlobalAttributesProvider { [weak analytics] in
            ["installation": .string(analytics?.installationID.description ?? "")]
        }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<200 {
                        analytics.record(
                            "event",
                            ["thread": .integer(Int64(thread)), "number": .integer(Int64(number))]
                        )
                    }
                }
            }
            group.addTask { for number in 0..<60 { analytics.screen("Screen \(number)") } }
            group.addTask {
                for number in 0..<60 {
                    analytics.identify("user-\(number)")
                    analytics.setGlobalAttributes(["round": .integer(Int64(number))])
                    if number % 7 == 0 { analytics.signOut() }
                }
            }
            group.addTask {
                for _ in 0..<30 {
                    memory.goToBackground()
                    memory.returnToForeground()
                }
            }
            group.addTask {
                for round in 0..<20 {
                    if round % 5 == 4 { analytics.setConsent(.pending) } else { analytics.setConsent(.granted) }
                    analytics.options.sessions.timeout = .seconds(60 + Int64(round))
                    _ = analytics.consent
                    await Task.yield()
                }
            }
            group.addTask { for _ in 0..<5 { _ = await analytics.flush(timeout: .zero) } }
        }
        let recorded = memory.recorded
        let events = recorded.filter { $0.name == "event" }
        #expect(events.count == 800)
        for thread in 0..<4 as Range<Int64> {
            let numbers = events.filter { $0.attributes["thread"] == .integer(thread) }.map { $0.attributes["number"] }
            #expect(numbers == (0..<200).map { .integer($0) })
        }
        #expect(events.allSatisfy { $0.attributes["installation"] != nil && $0.session != nil })
        #expect(recorded.filter { $0.name == "_first_open" }.count == 1)
        // Starts and exits alternate, no matter what else happens concurrently.
        let turns = recorded.map(\.event.name).filter { ["_app_start", "_app_end"].contains($0) }
        for (earlier, later) in zip(turns, turns.dropFirst()) { #expect(earlier != later) }
        // A screen view is recorded with the context that it sets.
        for view in recorded where view.name == "_screen_view" {
            #expect(view.screen == view.attributes["_screen_name"]?.string)
        }
        #expect(analytics.ledger().isBalanced)
    }

    @Test
    func `concurrent first events record the start once, before all of them`() async throws {
        for _ in 0..<20 {
            let memory = try InMemoryAnalytics.capturing()
            let analytics = memory.analytics
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { analytics.record("event") } }
            }
            #expect(
                memory.names == ["_first_open", "_app_start", "_session_start"] + Array(repeating: "event", count: 8)
            )
            #expect(memory.recorded.suffix(8).allSatisfy { $0.session != nil })
        }
    }

    @Test
    func `a diagnostics handler may call the SDK, no matter which call reported the diagnostic`() throws {
        let calls = Locked<[Analytics]>([])
        let memory = try InMemoryAnalytics.capturing { configuration in
            configuration.onDiagnostic = { diagnostic in
                guard diagnostic.code != .screenInvalid, let analytics = calls.withLock({ $0.last }) else { return }
                analytics.screen("")
                analytics.record("told")
                analytics.identify("told")
                analytics.lifecycleChanged(to: .didBecomeActive)
            }
        }
        calls.withLock { $0.append(memory.analytics) }
        defer { calls.withLock { $0 = [] } }
        memory.storage.fail(.replace, with: .noSpace, paths: "/behavior")
        memory.analytics.screen("Home", ["bad": .double(.nan)])
        memory.goToBackground()
        #expect(memory.events(named: "told").isEmpty == false)
    }
}
