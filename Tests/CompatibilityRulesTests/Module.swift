// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SensorsAnalyticsCompatibility
internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import ClickstreamCompatibility
@testable internal import SAPUsageCompatibility

/// A compatibility module in an app that records through its calls.
enum Module: CaseIterable {
    case clickstream, sensorsAnalytics, sift, sapUsage

    /// The destination of the module's events.
    var destination: DestinationID {
        switch self {
        case .clickstream: "clickstream"
        case .sensorsAnalytics: "sensors-analytics"
        case .sift: "sift.sift-default"
        case .sapUsage: Usage.destinationID()
        }
    }

    /// The attribute that contains an e-mail address.
    ///
    /// A Sift event has all its fields in one attribute.
    var key: String { self == .sift ? "_fields" : "email" }

    /// The attribute's value.
    var value: AttributeValue { self == .sift ? ["email": "ann@example.com"] : "ann@example.com" }

    /// Creates an app that uses the module.
    func app(
        in environment: InMemoryEnvironment = InMemoryEnvironment(),
        _ change: @escaping @Sendable (inout Configuration) -> Void
    ) throws -> any ModuleApp {
        let configure: @Sendable (inout Configuration) -> Void = { configuration in
            configuration.run(in: environment)
            change(&configuration)
        }
        switch self {
        case .clickstream:
            let createdAnalytics = Locked<Analytics?>(nil)
            let core = ClickstreamCore(
                readFile: { nil },
                makeAnalytics: { configuration in
                    var configuration = configuration
                    configure(&configuration)
                    let analytics = try Analytics(configuration)
                    createdAnalytics.withLock { $0 = analytics }
                    return analytics
                }
            )
            try core.start(ClickstreamConfiguration().withAppId("shop").withEndpoint("https://example.com/collect"))
            return AnalyticsApp(self, environment, try #require(createdAnalytics.withLock { $0 })) { name in
                core.record(name, ["email": "ann@example.com"], [])
            }
        case .sensorsAnalytics:
            let options = SAConfigOptions(serverURL: "https://sa.test/sa?project=production", launchOptions: nil)
            options.enableRemoteConfig = false
            var configuration = options.configuration(debugMode: .off)
            configure(&configuration)
            let sdk = SensorsAnalyticsSDK(try Analytics(configuration), options, debugMode: .off)
            return AnalyticsApp(self, environment, sdk.analytics) { name in
                sdk.track(name, withProperties: ["email": "ann@example.com"])
            }
        case .sift:
            let sift = Sift(rootDirPath: nil, configure: configure)
            sift.accountId = "acct_1"
            sift.beaconKey = "beacon123"
            // If the module cannot start, a diagnostic contains the reason.
            guard let analytics = sift.analytics else { throw NotStarted() }
            return AnalyticsApp(self, environment, analytics) { name in
                _ = sift.append(SiftEvent(type: name, path: nil, fields: ["email": "ann@example.com"]))
            }
        case .sapUsage:
            let usage = UsageEnvironment(configure)
            let store = try UsageStore(usage.folder, nil, in: usage)
            return UsageApp(environment, store)
        }
    }
}

/// A module could not create its analytics; a diagnostic contains the reason.
struct NotStarted: Error {}

/// The outcome of a test's two events.
struct Outcome: Equatable {
    /// The number of denied events.
    var denied: UInt64
    /// The number of events sent under another name or without an attribute.
    var changed: UInt64
}

/// An app that records events with an e-mail address.
protocol ModuleApp {
    var environment: InMemoryEnvironment { get }
    /// Records an event with this name.
    func record(_ name: String)
    /// Returns the app's events in the journal, by name and attributes.
    func stored() -> [(name: String, attributes: Attributes)]
    /// Returns the rules' effects on the events.
    func outcome() async throws -> Outcome
    func ledger() -> Ledger
}

extension ModuleApp {
    /// Returns all attributes in the journals, as text.
    func files() -> String {
        environment.recorded.map { "\($0.event.attributes)" }.joined(separator: "\n")
    }
}

private struct AnalyticsApp: ModuleApp {
    let module: Module
    let environment: InMemoryEnvironment
    let analytics: Analytics
    let call: (String) -> Void

    init(
        _ module: Module,
        _ environment: InMemoryEnvironment,
        _ analytics: Analytics,
        _ call: @escaping (String) -> Void
    ) {
        self.module = module
        self.environment = environment
        self.analytics = analytics
        self.call = call
    }

    func record(_ name: String) { call(name) }

    func stored() -> [(name: String, attributes: Attributes)] {
        environment.recorded.map(\.event).filter { !$0.name.hasPrefix("_") && !$0.name.hasPrefix("$") }
            .map { ($0.name, $0.attributes) }
    }

    func outcome() async throws -> Outcome {
        _ = await analytics.flush()
        let account = try #require(ledger().destinations[module.destination])
        return Outcome(denied: account.dropped[.deniedByRule] ?? 0, changed: account.changed)
    }

    func ledger() -> Ledger { analytics.ledger() }
}

private struct UsageApp: ModuleApp {
    let environment: InMemoryEnvironment
    let store: UsageStore

    init(_ environment: InMemoryEnvironment, _ store: UsageStore) {
        self.environment = environment
        self.store = store
    }

    func record(_ name: String) {
        store.store(record: UsageRecord(.event(name), info: ["email": "ann@example.com"]), for: Usage.defaultTargetID)
    }

    func stored() -> [(name: String, attributes: Attributes)] {
        var stored: [(name: String, attributes: Attributes)] = []
        store.snapshot(for: Usage.defaultTargetID).records { record in
            stored.append((record.event.description, Attributes(record.content().info)))
            return true
        }
        return stored
    }

    func outcome() async throws -> Outcome {
        let changed = stored().filter { $0.name == "find" && $0.attributes["email"] == nil }
        return Outcome(denied: store.droppedRecords[.deniedByRule] ?? 0, changed: UInt64(changed.count))
    }

    func ledger() -> Ledger { store.core.analytics.ledger() }
}
