// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayJournal
import TrackwayLifecycle
import TrackwayTesting

@testable import Trackway

/// Tests that every app callback may call the SDK and is not called because of its own calls.
@Suite("Callbacks")
struct CallbackTests {
    /// Holds the analytics for a callback that is configured before they exist.
    private final class Host: Sendable {
        private struct State: Sendable {
            weak var analytics: Analytics?
            /// Keyed by thread: the storage thread may call a handler at the same time as the recording thread.
            var depths: [ObjectIdentifier: Int] = [:]
            var deepest = 0
            var calls = 0
        }

        private let state = Locked(State())

        var deepest: Int { state.withLock { $0.deepest } }
        var calls: Int { state.withLock { $0.calls } }

        func attach(_ analytics: Analytics) {
            state.withLock { $0.analytics = analytics }
        }

        /// Calls everything that a callback may call, and measures the nesting depth.
        func call() {
            let thread = ObjectIdentifier(Thread.current)
            let (analytics, depth) = state.withLock { state -> (Analytics?, Int) in
                let depth = (state.depths[thread] ?? 0) + 1
                state.depths[thread] = depth
                state.calls += 1
                state.deepest = max(state.deepest, depth)
                return (state.analytics, depth)
            }
            defer { state.withLock { $0.depths[thread] = depth - 1 } }
            // Unbounded recursion would crash the process; stopping here lets the test report it.
            guard let analytics, depth < 5 else { return }
            Self.callEverything(analytics)
        }

        static func callEverything(_ analytics: Analytics) {
            analytics.record("inside", ["invalid": .double(.nan)])
            analytics.record("inside_routed", to: ["collector"])
            analytics.record("inside_nowhere", to: ["unknown"])
            analytics.screen("Inside")
            analytics.screen("")
            analytics.identify("inside")
            analytics.identify("")
            analytics.setUserAttributes(["inside": 1])
            analytics.signOut()
            analytics.setGlobalAttributes(["inside": 1, "": 2])
            analytics.startTimer("inside_timer")
            analytics.endTimer("inside_timer")
            analytics.endTimer("inside_unknown")
            analytics.setConsent(.granted)
            analytics.setCollectionPolicy(nil)
            analytics.isEnabled = true
            analytics.requestUpload()
            _ = analytics.ledger()
            _ = analytics.pendingCount(for: "collector")
            analytics.options.logEvents = false
        }
    }

    private enum Callback: String, CaseIterable, Sendable {
        case diagnostics, interceptor, dynamicAttributes
    }

    /// One storage fault, or none.
    private struct Fault: Sendable, CustomTestStringConvertible {
        let operation: StorageOperation?
        let fault: StorageFault

        var testDescription: String { operation.map { "\($0.rawValue): \(fault.code)" } ?? "none" }

        static let all =
            [Fault(operation: nil, fault: .noSpace)]
            + StorageOperation.allCases.flatMap { operation in
                [StorageFault.noSpace].map { Fault(operation: operation, fault: $0) }
            }
    }

    private static func analytics(_ callback: Callback, _ host: Host) throws -> InMemoryAnalytics {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = .standard
        switch callback {
        case .diagnostics:
            configuration.onDiagnostic = { _ in host.call() }
        case .interceptor:
            configuration.interceptors = [
                Interceptor("calls") { event in
                    if !event.name.hasPrefix("inside") { host.call() }
                    return .keep
                }
            ]
        case .dynamicAttributes:
            break
        }
        let memory = try InMemoryAnalytics(configuration)
        host.attach(memory.analytics)
        if callback == .dynamicAttributes {
            memory.analytics.setGlobalAttributesProvider {
                host.call()
                return ["dynamic": 1]
            }
        }
        return memory
    }

    @Test(
        arguments: Callback.allCases,
        Fault.all
    )
    private func `a callback may call the SDK under every storage fault, and is not called because of its own calls`(
        _ callback: Callback,
        _ fault: Fault
    ) throws {
        let host = Host()
        let memory = try Self.analytics(callback, host)
        if let operation = fault.operation { memory.storage.fail(operation, with: fault.fault) }
        let analytics = memory.analytics
        for number in 0..<3 {
            analytics.record("outside", ["number": .integer(Int64(number)), "invalid": .double(.nan)])
        }
        analytics.screen("Outside")
        analytics.identify("outside")
        memory.storage.clearFaults()
        #expect(host.calls > 0)
        #expect(host.deepest == 1)
        let receipt = analytics.record("afterwards")
        #expect(receipt.dropped == nil)
        #expect(memory.events(named: "afterwards").count == 1)
    }

    @Test
    func `a diagnostic caused by the diagnostics handler is counted but not reported`() async throws {
        let host = Locked<(analytics: Analytics?, codes: [Diagnostic.Code])>((nil, []))
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.onDiagnostic = { diagnostic in
            let analytics = host.withLock { host in
                host.codes.append(diagnostic.code)
                return host.analytics
            }
            analytics?.record("sdk_problem", ["code": .string(diagnostic.code.rawValue)])
        }
        let memory = try InMemoryAnalytics(configuration)
        defer { host.withLock { $0.analytics = nil } }
        host.withLock { [analytics = memory.analytics] in $0.analytics = analytics }
        await memory.analytics.shutdown(timeout: .zero)
        memory.analytics.record("goodbye")
        #expect(host.withLock { $0.codes } == [.recordedAfterShutdown])
        #expect(memory.analytics.unreportedDiagnostics == 1)
        #expect(memory.recorded.map(\.event.name) == ["sdk_problem", "goodbye"])
    }

    @Test
    func `on a full disk 500 events cause at most 501 calls of the handler`() throws {
        let host = Host()
        var configuration = InMemoryAnalytics.usualConfiguration
        let count = Locked(0)
        configuration.onDiagnostic = { _ in
            count.withLock { $0 += 1 }
            host.call()
        }
        let memory = try InMemoryAnalytics(configuration)
        memory.storage.fail(.makeSegment, with: .noSpace)
        memory.storage.fail(.replace, with: .noSpace)
        host.attach(memory.analytics)
        for _ in 0..<500 { memory.analytics.record("event", ["text": .string(String(repeating: "x", count: 500))]) }
        #expect(host.deepest == 1)
        #expect(count.withLock { $0 } <= 501)
        #expect(memory.analytics.unreportedDiagnostics > 0)
    }

    @Test
    func `a task started by the handler counts as part of the handler`() async throws {
        let host = Locked<(analytics: Analytics?, tasks: [Task<Void, Never>])>((nil, []))
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.onDiagnostic = { _ in
            host.withLock { host in
                let analytics = host.analytics
                host.tasks.append(Task { analytics?.record("") })
            }
        }
        let memory = try InMemoryAnalytics(configuration)
        defer { host.withLock { $0.analytics = nil } }
        host.withLock { [analytics = memory.analytics] in $0.analytics = analytics }
        memory.analytics.record("")
        for task in host.withLock({ $0.tasks }) { await task.value }
        #expect(host.withLock { $0.tasks.count } == 1)
        #expect(memory.analytics.unreportedDiagnostics == 1)
    }

    @Test
    func `handlers of two instances that record into each other do not recurse`() throws {
        let hosts = Locked<[Analytics]>([])
        let calls = Locked(0)
        func configuration(_ other: Int) -> Configuration {
            var configuration = InMemoryAnalytics.usualConfiguration
            configuration.onDiagnostic = { _ in
                calls.withLock { $0 += 1 }
                let analytics = hosts.withLock { $0.count > other ? $0[other] : nil }
                analytics?.record("")
            }
            return configuration
        }
        let one = try InMemoryAnalytics(configuration(1))
        let two = try InMemoryAnalytics(configuration(0))
        defer { hosts.withLock { $0 = [] } }
        hosts.withLock { [one = one.analytics, two = two.analytics] in $0 = [one, two] }
        one.analytics.record("")
        #expect(calls.withLock { $0 } == 2)
        #expect(one.analytics.unreportedDiagnostics == 1)
        #expect(two.analytics.unreportedDiagnostics == 0)
    }

    // MARK: Custom destinations

    /// A destination whose code calls the SDK.
    private struct CallingDestination: Destination {
        let base = CollectorDestination(url: "http://collector.test", writeKey: "test")
        let host: Host
        var id: DestinationID { base.id }

        func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
            if host.calls < 4 { host.call() }
            return try base.request(for: batch, sentAt: sentAt)
        }

        func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
            if host.calls < 4 { host.call() }
            return base.verdict(on: response, for: batch)
        }
    }

    @Test
    func `a destination may call the SDK, and everything is delivered`() async throws {
        let host = Host()
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.destinations = [DestinationConfiguration(CallingDestination(host: host))]
        let memory = try InMemoryAnalytics(configuration)
        host.attach(memory.analytics)
        memory.analytics.record("outside")
        for _ in 0..<6 { _ = await memory.analytics.flush() }
        #expect(host.calls == 4)
        #expect(memory.analytics.pendingCount(for: "collector") == 0)
        #expect(Set(memory.transport.delivered.map(\.event.id)) == Set(memory.recorded.map(\.event.id)))
    }

    @Test
    func `damaged settings that are found late are reported without holding a lock`() throws {
        let storage = FaultyStorage()
        try storage.makeFolder("/app")
        try storage.replace("/app/settings", with: Array("damaged".utf8), durably: false)
        storage.fail(.contents, with: .denied, times: 1, paths: "settings")
        let settings = Locked<SettingsFile?>(nil)
        let reporter = DiagnosticReporter(
            { _ in settings.withLock { $0 }?.change { $0.isEnabled = true } },
            log: { _ in }
        )
        let file = try SettingsFile(
            ConsentRules(),
            folder: "/app",
            storage: storage,
            queue: StorageQueue(label: "test"),
            reporter: reporter,
            isTemporary: { _ in true }
        )
        settings.withLock { $0 = file }
        try file.load { _ in }
        #expect(file.current.isEnabled == true)
        settings.withLock { $0 = nil }
    }

    @Test
    func `the handler may record a screen while another process captures and threads must not wait for files`() throws {
        let environment = InMemoryEnvironment()
        let host = Locked<Analytics?>(nil)
        func analytics(_ handler: @escaping @Sendable (Diagnostic) -> Void) throws -> Analytics {
            var configuration = InMemoryAnalytics.usualConfiguration
            configuration.capture = .standard
            configuration.onDiagnostic = handler
            configuration.run(in: environment)
            var dependencies = try environment.dependencies(for: configuration)
            dependencies.lifecycleQueue = StorageQueue(label: "test.lifecycle")
            let analytics = try Analytics(configuration, in: dependencies)
            analytics.lifecycle.controller.begin()
            return analytics
        }
        let first = try analytics { _ in }
        let second = try analytics { _ in host.withLock { $0 }?.screen("Inside") }
        defer { host.withLock { $0 = nil } }
        host.withLock { [second] in $0 = second }
        second.screen("Outside", ["invalid": .double(.nan)])
        let screens = environment.recorded.filter { $0.event.name == "_screen_view" }
        #expect(screens.map { $0.event.attributes["_screen_name"] } == ["Outside", "Inside"])
        withExtendedLifetime(first) {}
    }

    /// A custom value that calls the SDK when it is converted.
    private struct CallingValue: AttributeConvertible {
        let analytics: Analytics

        var attributeValue: AttributeValue? {
            analytics.record("inside")
            analytics.setGlobalAttributes(["inside": 1])
            _ = analytics.ledger()
            return "converted"
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `values at any depth are converted without holding a lock`() throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = .standard
        let memory = try InMemoryAnalytics(configuration)
        let analytics = memory.analytics
        let value = CallingValue(analytics: analytics)
        let nested: Attributes = ["outer": ["middle": ["inner": value] as Attributes] as Attributes, "direct": value]
        let listed: Attributes = ["list": AttributeValue.array([.object(["inner": value])])]
        for attributes in [nested, listed] {
            analytics.setGlobalAttributes(attributes)
            analytics.screen("Screen", attributes)
            analytics.setUserAttributes(attributes)
            analytics.record("after", attributes)
            analytics.setGlobalAttributesProvider { attributes }
            analytics.record("dynamic")
            analytics.setGlobalAttributesProvider(nil)
        }
        let converted: AttributeValue = ["middle": ["inner": "converted"]]
        let after = memory.events(named: "after").map(\.attributes)
        #expect(after.first?["outer"] == converted)
        #expect(after.last?["list"] == .array([["inner": "converted"]]))
        #expect(memory.events(named: "dynamic").first?.attributes["outer"] == converted)
    }
}
