// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayLifecycle
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

@Suite("Usage broker")
struct UsageBrokerTests {
    private let app = UsageApp()
    private let userID = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
    private let settings: SAPcpmsSettingsParameters
    private static let policyURL = "https://tenant.test/mobileservices/application/shop/settings"

    init() throws {
        settings = SAPcpmsSettingsParameters(
            backendURL: try #require(URL(string: "https://tenant.test")),
            applicationID: "shop",
            applicationVersion: "3.2.0"
        )
        app.memory.transport.always(.respond(WireResponse(status: 201, body: Array(#"{"report":"x"}"#.utf8))))
    }

    /// Returns the broker of a process whose user consented.
    private func broker(_ app: UsageApp, days: Int = 1, injects: Bool = false, consent: Bool = true) throws
        -> UsageBroker
    {
        let broker = app.usage.core.sharedBroker
        broker.onboardingID = userID
        broker.uploadInterval = days
        broker.injectOSlifecycleSession = injects
        if consent {
            app.usage.enableDataCollection()
            app.usage.consentForUser(try #require(userID), given: true)
        }
        return broker
    }

    private func policyResponse(days: Int, isOn: Bool = true) -> ScriptedResponse {
        let policy = #"{"dataCollectionEnabled":"\#(isOn)","uploadDataAfterDays":"\#(days)"}"#
        let body = #"{"mobileservices":{"settingsExchange":{"usagePolicy":\#(policy)}}}"#
        return .respond(WireResponse(status: 200, body: Array(body.utf8)))
    }

    /// Waits for this number of requests and for the end of the upload.
    private func waitForUploads(_ app: UsageApp, requests: Int) async throws {
        await app.memory.transport.untilRequested(requests)
        try await Deadline.wait(while: !app.usage.core.sharedBroker.isIdle)
    }

    private func uploads(_ app: UsageApp) -> Int {
        app.memory.transport.requests.count { $0.method == "POST" }
    }

    private func reportSession(_ app: UsageApp) throws {
        app.usage.reporter().report(app.environment.sessionStart(application: "shop", version: nil))
        app.usage.reporter().report(.event("a"))
        app.usage.reporter().report(.sessionEnd)
    }

    @Test
    func `uploads happen at the start and then at the interval in days, even across restarts`() async throws {
        var app = app
        let first = try broker(app, days: 2)
        try first.start(settingsParameters: settings)
        #expect(app.usage.userID == userID?.uuidString)
        // There is nothing to send.
        try await waitForUploads(app, requests: 0)
        try reportSession(app)
        first.lifecycleChanged(to: .didEnterBackground)
        first.lifecycleChanged(to: .willEnterForeground)
        try await waitForUploads(app, requests: 1)
        try reportSession(app)
        for (days, count) in [(1, 1), (1, 2), (1, 2), (1, 3)] {
            app.memory.clock.advance(by: .seconds(86_400 * days))
            app = app.restarted()
            let next = try broker(app, days: 2, consent: false)
            try next.start(settingsParameters: settings)
            try await waitForUploads(app, requests: count)
            #expect(uploads(app) == count)
            try reportSession(app)
        }
        // The clock is set back by a year, and the user returns.
        app.memory.clock.jumpWall(by: .seconds(-86_400 * 365))
        app = app.restarted()
        try broker(app, days: 2, consent: false).start(settingsParameters: settings)
        try await waitForUploads(app, requests: 4)
        #expect(app.memory.diagnostics.isEmpty)
    }

    @Test
    func `without a network, nothing is removed, and the upload is retried at the next opportunity`() async throws {
        let broker = try broker(app)
        app.memory.transport.script(.fail(TransportError(.offline, "no network")))
        app.usage.configure(with: try app.store(of: userID))
        try reportSession(app)
        try broker.start(settingsParameters: settings)
        try await waitForUploads(app, requests: 1)
        #expect(app.codes == ["usage_upload_failed"])
        let store = try app.store(of: userID)
        #expect(app.events(store) == ["SessionStart", "a", "SessionEnd"])
        broker.lifecycleChanged(to: .didEnterBackground)
        broker.lifecycleChanged(to: .didBecomeActive)
        try await waitForUploads(app, requests: 2)
        #expect(app.events(store).isEmpty)
    }

    @Test
    func `the back end's policy is requested before an upload and saved for times without a network`() async throws {
        let broker = try broker(app, days: 0, consent: false)
        broker.enableServerOverride = true
        app.usage.configure(with: try app.store(of: userID))
        try reportSession(app)
        try broker.start(settingsParameters: settings)
        // No policy is requested before consent.
        #expect(app.memory.transport.requests.isEmpty)
        app.memory.transport.script(policyResponse(days: 3))
        app.usage.consentForUser(try #require(userID), given: true)
        try await waitForUploads(app, requests: 2)
        #expect(app.memory.transport.requests.map(\.method) == ["GET", "POST"])
        #expect(app.memory.transport.requests.first?.url == Self.policyURL)
        #expect(app.usage.outputEnabled())

        try reportSession(app)
        app.memory.clock.advance(by: .seconds(86_400 * 2))
        let next = app.restarted()
        app.memory.transport.script(.fail(TransportError(.offline, "no network")))
        let brokerWithoutConsent = try self.broker(next, days: 1, consent: false)
        brokerWithoutConsent.enableServerOverride = true
        try brokerWithoutConsent.start(settingsParameters: settings)
        try await waitForUploads(next, requests: 3)
        #expect(uploads(next) == 1)
        // Data collection is off: nothing is stored or sent from now on.
        app.memory.transport.script(policyResponse(days: 1, isOn: false))
        brokerWithoutConsent.lifecycleChanged(to: .didEnterBackground)
        brokerWithoutConsent.lifecycleChanged(to: .willEnterForeground)
        try await waitForUploads(next, requests: 4)
        brokerWithoutConsent.lifecycleChanged(to: .didEnterBackground)
        app.memory.transport.script(.captivePortal)
        brokerWithoutConsent.lifecycleChanged(to: .willEnterForeground)
        try await waitForUploads(next, requests: 5)
        // A captive portal's page is not a policy.
        #expect(!next.usage.dataCollectionEnabled)
        #expect(uploads(next) == 1)
        var policy = SAPcpmsUsagePolicy()
        policy.dataCollectionEnabled = true
        policy.uploadDataAfterDays = 1
        brokerWithoutConsent.apply(policy)
        try await waitForUploads(next, requests: 6)
        #expect(uploads(next) == 2)
    }

    @Test
    func `turning a policy off first ends the session, and turning it on begins another`() async throws {
        let broker = try broker(app, days: 0, injects: true)
        broker.enableServerOverride = true
        app.memory.transport.script(policyResponse(days: 0))
        try broker.start(settingsParameters: settings, target: "t")
        try await waitForUploads(app, requests: 1)
        app.usage.reporter(for: "t").report(.event("a"))
        var policy = SAPcpmsUsagePolicy()
        broker.apply(policy)
        app.usage.reporter(for: "t").report(.event("refused"))
        policy.dataCollectionEnabled = true
        broker.apply(policy)
        app.usage.reporter(for: "t").report(.event("b"))
        try await waitForUploads(app, requests: 1)
        #expect(app.events(try app.store(of: userID), "t") == ["SessionStart", "a", "SessionEnd", "SessionStart", "b"])
        #expect(uploads(app) == 0)
    }

    @Test
    func `brokers still work after concurrent use on eight threads`() async throws {
        app.usage.configure(with: try app.store(of: userID))
        let core = app.usage.core
        let (settings, consenting) = (settings, try #require(userID))
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    let broker = UsageBroker(of: core)
                    broker.injectOSlifecycleSession = true
                    broker.uploadInterval = 1
                    for number in 0..<20 {
                        switch (thread + number) % 5 {
                        case 0: try? broker.start(settingsParameters: settings)  // Nothing prevents the start here.
                        case 1: broker.lifecycleChanged(to: .didEnterBackground)
                        case 2: broker.lifecycleChanged(to: .willEnterForeground)
                        case 3: core.setConsent(number.isMultiple(of: 2), of: consenting.uuidString, application: nil)
                        default: core.setCollection(true)
                        }
                    }
                    broker.stop()
                }
            }
        }
        core.setConsent(true, of: consenting.uuidString, application: nil)
        let store = try app.store(of: userID)
        app.usage.reporter().report(.event("after"))
        #expect(store.snapshot(for: "default").all.contains { $0.event == .event("after") })
    }

    @Test
    func `lifecycle notifications begin and end sessions`() throws {
        let watched = WatchedEnvironment(app.memory)
        let environment = UsageEnvironment { $0.dependencySource = watched }
        let usage = Usage(environment)
        let broker = usage.core.sharedBroker
        broker.onboardingID = userID
        broker.injectOSlifecycleSession = true
        try broker.start(settingsParameters: settings)
        let store = try #require(usage.store)
        watched.report([.willResignActive])
        usage.reporter().report(.event("a"))
        watched.report([.didEnterBackground, .willSuspend])
        watched.report([.didEnterBackground])
        watched.report([.willEnterForeground, .didBecomeActive])
        usage.reporter().report(.event("b"))
        watched.report([.willTerminate])
        #expect(
            store.snapshot(for: "default").all.map(\.event.description)
                == ["SessionStart", "a", "SessionEnd", "SessionStart", "b", "SessionEnd"]
        )
        #expect(store.snapshot(for: "default").all.first?.info["appVersion"] as? String == "3.2.0")
        broker.stop()
        watched.report([.willEnterForeground])
        #expect(store.snapshot(for: "default").recordCount() == 6)
    }

    @Test
    func `withdrawn consent ends the session and removes records, and new consent begins a session`() async throws {
        let broker = try broker(app, days: 0, injects: true)
        app.memory.transport.hold()
        try broker.start(settingsParameters: settings)
        app.usage.reporter().report(.event("a"))
        broker.upload { _ in }
        await app.memory.transport.untilRequested(1)
        app.usage.consentForUser(try #require(userID))
        app.memory.transport.release()
        try await waitForUploads(app, requests: 1)
        let store = try app.store(of: userID)
        #expect(app.events(store).isEmpty)
        broker.lifecycleChanged(to: .didEnterBackground)
        broker.lifecycleChanged(to: .willEnterForeground)
        #expect(app.events(store).isEmpty)
        app.usage.consentForUser(try #require(userID), given: true)
        app.usage.reporter().report(.event("b"))
        #expect(app.events(store).prefix(2) == ["SessionStart", "b"])
    }

    @Test
    func `of two brokers, only the one started last is active, and the replacement is reported`() throws {
        let first = try broker(app, days: 0, injects: true)
        try first.start(settingsParameters: settings)
        try first.start(settingsParameters: settings)
        let second = UsageBroker(of: app.usage.core)
        second.injectOSlifecycleSession = true
        try second.start(settingsParameters: settings, target: "other")
        first.lifecycleChanged(to: .didEnterBackground)
        first.lifecycleChanged(to: .willEnterForeground)
        first.stop()
        second.lifecycleChanged(to: .didEnterBackground)
        let store = try app.store(of: userID)
        #expect(app.events(store) == ["SessionStart", "SessionEnd", "SessionStart", "SessionEnd"])
        #expect(app.events(store, "other") == ["SessionStart", "SessionEnd"])
        #expect(app.codes == ["usage_broker_replaced"])
    }

    @Test
    func `each reason that prevents a start has a separate error`() throws {
        let broker = try broker(app, days: -1)
        #expect(broker.uploadInterval == 0)
        broker.uploadInterval = .max
        #expect(broker.uploadInterval == 36_500)
        #expect(app.codes == ["usage_interval_adjusted", "usage_interval_adjusted"])
        for (url, application) in [("ftp://tenant.test", "shop"), ("https://tenant.test", ""), ("nowhere", "shop")] {
            let wrong = SAPcpmsSettingsParameters(
                backendURL: try #require(URL(string: url)),
                applicationID: application
            )
            #expect(throws: UsageBroker.UsageBrokerError.invalidUploadUrl) {
                try broker.start(settingsParameters: wrong)
            }
        }
        #expect(app.usage.userID == nil)
        // The instance is already configured, with a different user.
        app.usage.configure(with: try app.store())
        #expect(throws: UsageBroker.UsageBrokerError.invalidUploadOnboardingID) {
            try broker.start(settingsParameters: settings)
        }
        let broken = UsageApp(InMemoryEnvironment())
        broken.memory.storage.fail(.makeFolder, with: .noSpace)
        let other = broken.usage.core.sharedBroker
        #expect(throws: UsageBroker.UsageBrokerError.usageStoreInit) { try other.start(settingsParameters: settings) }
        let otherBroker = UsageBroker(of: UsageApp().usage.core)
        #expect(throws: UsageBroker.UsageBrokerError.reporterInit) {
            try otherBroker.start(settingsParameters: settings)
        }
    }

    @Test
    func `a custom store without a known user stores sessions but sends nothing`() async throws {
        let broker = app.usage.core.sharedBroker
        let store = CustomStore(Usage.unattributedStorageID)
        broker.store = store
        broker.injectOSlifecycleSession = true
        broker.uploadInterval = 1
        app.usage.enableDataCollection()
        try broker.start(settingsParameters: settings)
        #expect(app.usage.store === store)
        #expect(store.storedRecords.map(\.record.event.description) == ["SessionStart"])
        let error = await withCheckedContinuation { over in broker.upload { over.resume(returning: $0) } }
        #expect(error as? UsageBroker.UsageBrokerError == .invalidUploadOnboardingID)
        #expect(app.memory.transport.requests.isEmpty)
    }
}

/// Calls on the shared instance, as in an app.
extension DocumentSampleTests {
    @Test
    func `every declaration of the broker exists with its labels and defaults`() async throws {
        let broker: UsageBroker = UsageBroker.shared
        #expect(broker === UsageBroker.shared)
        #expect(broker.store == nil && broker.onboardingID == nil)
        #expect(!broker.injectOSlifecycleSession && !broker.enableServerOverride && broker.uploadInterval == 0)
        broker.sapURLSession = SAPURLSession(headers: ["authorization": "Bearer x"])
        #expect(broker.sapURLSession.headers["authorization"] == "Bearer x")
        let settings = SAPcpmsSettingsParameters(
            backendURL: try #require(URL(string: "https://tenant.test")),
            applicationID: "shop"
        )
        let before = await withCheckedContinuation { over in UsageBroker().upload { over.resume(returning: $0) } }
        #expect(before as? UsageBroker.UsageBrokerError == .reporterInit)
        try broker.start(settingsParameters: settings)
        try broker.start(settingsParameters: settings, target: "myTarget")
        broker.apply(SAPcpmsUsagePolicy())
        broker.upload()
        broker.lifecycleChanged(to: .didEnterBackground)
        broker.stop()
        let cases: [UsageBroker.UsageBrokerError] = [
            .usageStoreInit, .reporterInit, .invalidUploadUrl, .invalidUploadOnboardingID,
        ]
        #expect(Set(cases.map(\.description)).count == 4)
    }
}

/// An environment with a system that reports lifecycle changes.
private final class WatchedEnvironment: DependencySource {
    private let memory: InMemoryEnvironment
    private let observer = Locked<Dependencies.LifecycleObserver?>(nil)

    init(_ memory: InMemoryEnvironment) {
        self.memory = memory
    }

    func report(_ changes: [LifecycleChange]) {
        observer.withLock { $0 }?(changes, nil)
    }

    func dependencies(for configuration: Configuration) throws(TrackwayError) -> Dependencies {
        var dependencies = try memory.dependencies(for: configuration)
        dependencies.observeLifecycle = { [observer] report in
            observer.withLock { $0 = report }
            return nil
        }
        return dependencies
    }
}
