// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

/// SparkChamber is not included: its module runs the app's actions and records nothing itself.
///
/// If an action calls `Analytics.record`, the event is the app's.
@Suite("Interceptors and rules for events of compatibility modules")
struct CompatibilityRulesTests {
    @Test(arguments: Module.allCases)
    func `interceptors get each event by its own name and attributes, and may change or drop it`(_ module: Module)
        throws
    {
        let interceptedEvents = Locked<[InterceptedEvent]>([])
        let app = try module.app { configuration in
            configuration.interceptors = [
                Interceptor("no e-mail") { event in
                    interceptedEvents.withLock { $0.append(event) }
                    guard event.name != "debug_tap" else { return .drop }
                    event.attributes[module.key] = nil
                    if event.name == "search" { event.name = "find" }
                    return .keep
                }
            ]
        }
        app.record("debug_tap")
        app.record("search")
        #expect(interceptedEvents.withLock { $0 }.map(\.name) == ["debug_tap", "search"])
        #expect(interceptedEvents.withLock { $0 }.allSatisfy { $0.attributes[module.key] == module.value })
        #expect(interceptedEvents.withLock { $0 }.allSatisfy { $0.route == .all || $0.route == [module.destination] })
        let stored = app.stored()
        #expect(stored.map(\.name) == ["find"])
        #expect(stored.allSatisfy { $0.attributes[module.key] == nil })
        #expect(!app.files().contains("ann@example.com"))
        #expect(app.ledger().intercepted == ["no e-mail": 1])
    }

    @Test(arguments: Module.allCases)
    func `rules deny, redact and rename each event by its own name and attributes`(_ module: Module) async throws {
        let app = try module.app { configuration in
            configuration.setRules(
                [
                    .deny("debug_*"), .redact(module.key), .rename("search", to: "find"),
                ],
                for: module.destination
            )
        }
        app.record("debug_tap")
        app.record("search")
        #expect(try await app.outcome() == Outcome(denied: 1, changed: 1))
        #expect(app.environment.diagnostics.filter { $0.code == .ruleInvalid }.isEmpty)
    }

    @Test(arguments: Module.allCases)
    func `rules for a destination that the module does not have cause an error or a diagnostic`(_ module: Module) throws
    {
        let environment = InMemoryEnvironment()
        var failure: String?
        do {
            let app = try module.app(in: environment) { $0.setRules([.deny("*")], for: "elsewhere") }
            app.record("search")
        } catch {
            failure = "\(error)"
        }
        let diagnostics = environment.diagnostics.filter {
            $0.value.contains("elsewhere") || $0.message.contains("elsewhere")
        }
        let texts = [failure].compactMap { $0 } + diagnostics.map { "\($0.code.rawValue) \($0.value)" }
        // One text contains both the key and the problem.
        #expect(texts.contains { $0.contains("elsewhere") && $0.contains("unknown_destination") }, "\(texts)")
    }
}
