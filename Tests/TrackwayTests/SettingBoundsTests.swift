// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@testable import Trackway

/// Every numeric setting, with out-of-range values.
@Suite("Out-of-range settings")
struct SettingBoundsTests {
    /// A setting and a closure that sets it to a number, in seconds if it is a duration.
    struct Setting: Sendable, CustomTestStringConvertible {
        let field: String
        let set: @Sendable (inout Configuration, Int) -> Void
        var testDescription: String { field }
    }

    private static func limit(
        _ name: String,
        _ set: @escaping @Sendable (inout EventLimits, Int) -> Void
    ) -> Setting {
        Setting(field: "limits." + name) { set(&$0.limits, $1) }
    }

    private static func policy(
        _ name: String,
        _ set: @escaping @Sendable (inout DeliveryPolicy, Int) -> Void
    ) -> Setting {
        Setting(field: "delivery.policy." + name) { set(&$0.delivery.policy, $1) }
    }

    private static func queue(
        _ name: String,
        _ set: @escaping @Sendable (inout QueuePolicy, Int) -> Void
    ) -> Setting {
        policy("queue." + name) { policy, number in
            var queue = QueuePolicy()
            set(&queue, number)
            policy.queue = queue
        }
    }

    private static func snapshot(
        _ name: String,
        _ set: @escaping @Sendable (inout SnapshotOptions, Int) -> Void
    ) -> Setting {
        Setting(field: "snapshots." + name) { configuration, number in
            var options = SnapshotOptions()
            set(&options, number)
            configuration.snapshots = options
        }
    }

    private static let settings: [Setting] = [
        Setting(field: "storage.maximumBytes") { $0.storage.maximumBytes = $1 },
        Setting(field: "storage.maximumAge") { $0.storage.maximumAge = .seconds($1) },
        Setting(field: "sessions.timeout") { $0.sessions.timeout = .seconds($1) },
        Setting(field: "sessions.idleTimeout") { $0.sessions.idleTimeout = .seconds($1) },
        Setting(field: "sessions.maximumLength") { $0.sessions.maximumLength = .seconds($1) },
        Setting(field: "lifecycle.suspensionTimeout") { $0.lifecycle.suspensionTimeout = .seconds($1) },
        Setting(field: "lifecycle.terminationTimeout") { $0.lifecycle.terminationTimeout = .seconds($1) },
        limit("nameBytes") { $0.nameBytes = $1 }, limit("keyBytes") { $0.keyBytes = $1 },
        limit("stringBytes") { $0.stringBytes = $1 },
        limit("attributes") { $0.attributes = $1 }, limit("items") { $0.items = $1 },
        limit("itemIDBytes") { $0.itemIDBytes = $1 },
        limit("depth") { $0.depth = $1 }, limit("eventBytes") { $0.eventBytes = $1 },
        policy("flushInterval") { $0.flushInterval = .seconds($1) },
        policy("flushEvents") { $0.flushEvents = $1 },
        policy("requestTimeout") { $0.requestTimeout = .seconds($1) },
        policy("retry.base") { $0.retry.base = .seconds($1) },
        policy("retry.cap") { $0.retry.cap = .seconds($1) },
        policy("breakerThreshold") { $0.breakerThreshold = $1 },
        policy("longestRetryAfter") { $0.longestRetryAfter = .seconds($1) },
        policy("deadLetterThreshold") { $0.deadLetterThreshold = $1 },
        policy("attempts.refusals") { policy, number in
            var limit = AttemptLimit()
            limit.refusals = number
            policy.attempts = limit
        },
        policy("attempts.failures") { policy, number in
            var limit = AttemptLimit()
            limit.failures = number
            policy.attempts = limit
        },
        queue("acceptSameEventAfter") { $0.acceptSameEventAfter = .seconds($1) },
        queue("uploadWhenMoreThan") { $0.uploadWhenMoreThan = $1 },
        queue("uploadWhenOlderThan") { $0.uploadWhenOlderThan = .seconds($1) },
        snapshot("policy.atMost") { $0.policy.atMost = $1 },
        snapshot("policy.per") { $0.policy.per = .seconds($1) },
        snapshot("policy.atLeastEvery") { $0.policy.atLeastEvery = .seconds($1) },
        snapshot("repeatsDevicePropertiesAfter") { $0.repeatsDevicePropertiesAfter = .seconds($1) },
    ]

    @Test(
        arguments: settings,
        [Int.min, -1, 0, 1, .max]
    )
    func `an out-of-range setting is rejected by field, or recording works and the ledger balances`(
        _ setting: Setting,
        _ number: Int
    ) async throws {
        do throws(TrackwayError) {
            var configuration = InMemoryAnalytics.usualConfiguration
            setting.set(&configuration, number)
            let memory = try InMemoryAnalytics(configuration)
            let analytics = memory.analytics
            analytics.setUserAttributes(["a": 1, "b": 2, "c": 3])
            analytics.removeUserAttributes(["a", "b"])
            analytics.setGlobalAttributesProvider { ["dynamic": 1] }
            for n in 0..<5 {
                analytics.record(
                    "event",
                    ["n": .integer(Int64(n)), "deep": [[[1]]]],
                    items: [Item(id: "1", name: "one")]
                )
            }
            _ = try await analytics.recordDurably("durable")
            #expect(analytics.ledger().isBalanced)
            #expect(analytics.ledger().recorded > 5)
            let reported = memory.diagnostics.filter { $0.code == .settingOutOfRange }
            #expect(reported.allSatisfy { $0.field.hasPrefix("deliver") || $0.field == setting.field })
            // 1 is in range for every setting that is not rejected, except `retry.cap`.
            if number == 1, setting.field != "delivery.policy.retry.cap" { #expect(reported.isEmpty, "\(reported)") }
            if number == .min, setting.field != "delivery.policy.queue.uploadWhenMoreThan" {
                #expect(reported.contains { $0.field == setting.field }, "\(setting.field) was not reported")
            }
        } catch {
            #expect(error.code == .invalidLimit)
            #expect(error.message.contains(setting.field))
        }
    }

    // MARK: At run time

    /// The settings of one delivery policy.
    private static let policies = settings.filter { $0.field.hasPrefix("delivery.policy.") }
    /// The settings of one queue.
    private static let queues = settings.filter { $0.field.hasPrefix("delivery.policy.queue.") }

    /// The delivery policy with a setting set to a number.
    private static func delivery(_ setting: Setting, _ number: Int) -> DeliveryPolicy {
        var configuration = InMemoryAnalytics.usualConfiguration
        setting.set(&configuration, number)
        return configuration.delivery.policy
    }

    /// The diagnostics that a configuration would report for the same number.
    ///
    /// - Parameter place: The prefix of the fields in the diagnostics, which replaces `delivery.policy`.
    private static func diagnostics(for setting: Setting, _ number: Int, place: String) -> [Diagnostic] {
        var configuration = InMemoryAnalytics.usualConfiguration
        setting.set(&configuration, number)
        return configuration.bounded().diagnostics.map { known in
            Diagnostic(
                code: known.code,
                field: place + known.field.dropFirst("delivery.policy.".count),
                value: known.value,
                message: known.message,
                recoverySuggestion: known.recoverySuggestion
            )
        }
    }

    private static func outOfRange(_ memory: InMemoryAnalytics) -> [Diagnostic] {
        memory.diagnostics.filter { $0.code == .settingOutOfRange }
    }

    @Test(
        arguments: policies,
        [Int.min, -1, 0, 1, .max]
    )
    func `a destination added at run time has the same bounds and diagnostics as a configured one`(
        _ setting: Setting,
        _ number: Int
    ) async throws {
        let memory = try InMemoryAnalytics()
        try memory.analytics.addDestination(
            .collector(URL(string: "https://late.example.com")!, writeKey: "key", id: "late").configured(
                delivery: Self.delivery(setting, number)
            )
        )
        #expect(Self.outOfRange(memory) == Self.diagnostics(for: setting, number, place: "destinations.late.delivery."))
        memory.analytics.record("order", to: ["late"])
        memory.analytics.requestUpload(force: true)
        _ = await memory.analytics.flush(timeout: .zero)
        #expect(memory.analytics.ledger().isBalanced)
        #expect(memory.analytics.pendingCount(for: "late") <= 1)
    }

    @Test(
        arguments: queues,
        [Int.min, -1, 0, 1, .max]
    )
    func `a queue with a changed policy has the same bounds and diagnostics as a configured one`(
        _ setting: Setting,
        _ number: Int
    ) async throws {
        var policy = DeliveryPolicy()
        policy.queue = QueuePolicy(uploadWhenMoreThan: 8)
        let memory = try InMemoryAnalytics()
        try memory.analytics.addDestination(
            .collector(URL(string: "https://late.example.com")!, writeKey: "key", id: "late").configured(
                delivery: policy
            )
        )
        memory.analytics.setQueue(try #require(Self.delivery(setting, number).queue), of: "late")
        #expect(Self.outOfRange(memory) == Self.diagnostics(for: setting, number, place: ""))
        for _ in 0..<3 { memory.analytics.record("order", to: ["late"]) }
        _ = memory.analytics.isReadyForUpload("late")
        #expect(memory.analytics.ledger().isBalanced)
    }

    @Test(arguments: [
        (Duration.seconds(Int64.min), Duration.zero), (.seconds(-1), .zero), (.zero, .zero),
        (.seconds(1), .seconds(1)), (.seconds(Int64.max), SettingsClamp.maximumDuration),
    ])
    func `a session timeout set at run time is clamped to its bounds and reported once`(
        _ chosen: Duration,
        _ counted: Duration
    ) throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.options.sessions.timeout = chosen
        memory.analytics.options.logEvents = false
        let reported = Self.outOfRange(memory)
        #expect(reported.map(\.field) == (chosen == counted ? [] : ["sessions.timeout"]))
        #expect(reported.allSatisfy { $0.value == chosen.description })
        #expect(memory.analytics.options.sessions.timeout == counted)
        memory.analytics.record("event")
        #expect(memory.analytics.ledger().isBalanced)
    }

    @Test(
        arguments: [
            (Duration.seconds(Int64.min), Duration.seconds(1)), (.seconds(-1), .seconds(1)), (.zero, .seconds(1)),
            (.seconds(1), .seconds(1)), (.seconds(Int64.max), SettingsClamp.maximumDuration), (nil, nil),
        ] as [(Duration?, Duration?)]
    )
    func `session limits in the foreground are clamped to their bounds, and nil means no limit`(
        _ chosen: Duration?,
        _ counted: Duration?
    ) throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.sessions.idleTimeout = chosen
        let memory = try InMemoryAnalytics(configuration)
        memory.analytics.options.sessions.maximumLength = chosen
        let reported = Self.outOfRange(memory)
        #expect(reported.map(\.field) == (chosen == counted ? [] : ["sessions.idleTimeout", "sessions.maximumLength"]))
        #expect(reported.allSatisfy { $0.value == chosen?.description })
        let options = memory.analytics.options
        #expect(options.sessions.idleTimeout == counted)
        #expect(options.sessions.maximumLength == counted)
    }

    @Test(arguments: [(Int.min, 1), (-1, 1), (0, 1), (1, 1), (.max, SettingsClamp.maximumCount)])
    func `a flush threshold set at run time is clamped to its bounds`(_ chosen: Int, _ counted: Int) throws {
        let memory = try InMemoryAnalytics()
        try memory.analytics.replaceDestination(
            CollectorDestination(url: "https://other.example.com", writeKey: "key"),
            flushEvents: chosen
        )
        let reported = Self.outOfRange(memory)
        #expect(reported.map(\.field) == (chosen == counted ? [] : ["flushEvents"]))
        #expect(reported.allSatisfy { $0.message == "\(chosen) is out of range and was replaced by \(counted)." })
        memory.analytics.record("event")
        #expect(memory.analytics.ledger().isBalanced)
    }
}
