// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayPlatform
import TrackwayTesting

@testable import Trackway
@testable import TrackwayMigration

/// Events that the Clickstream SDK had not sent before the migration.
@Suite("Unsent events of older SDKs")
struct UnsentLegacyEventTests {
    private func legacySDK(_ appID: String) throws -> LegacySDK {
        .clickstream(appID: appID, in: try LegacySDKFixture.location("clickstream"))
    }

    @Test
    func `unsent events are sent once, in order, with their original ids, times and context`() async throws {
        let environment = LegacySDKFixture.environment()
        let analytics = try LegacySDKFixture.start(try legacySDK("shop"), environment)
        analytics.record("tap")
        _ = await analytics.flush()
        let sent = try LegacySDKFixture.sent(environment).filter {
            $0["event_id"]?.string?.hasPrefix("11111111") == true
        }
        #expect(
            sent.map { $0["event_type"]?.string } == ["view_item", "_screen_view", "_app_exception", "_profile_set"]
        )
        #expect(
            sent.map { $0["event_id"]?.string }
                == [1, 2, 4, 6].map { "11111111-0000-4000-8000-00000000000\($0)" }
        )
        #expect(sent.map { $0["timestamp"]?.integer } == [1, 2, 4, 6].map { 1_717_228_801_000 + $0 })
        for event in sent {
            for (key, value) in [
                ("app_version", "2.9"), ("os_version", "17.4"), ("model", "iPhone 15 Pro"), ("network_type", "WIFI"),
                ("unique_id", LegacySDKFixture.anne), ("device_id", LegacySDKFixture.device),
                ("app_package_name", "com.example.shop"),
                ("app_title", "Shop"), ("device_unique_id", ""), ("locale", "de_DE (current)"),
            ] { #expect(event[key]?.string == value, "\(key)") }
            #expect(event["zone_offset"]?.integer == 7_200_000 && event["screen_width"]?.integer == 1_179)
            #expect(event["attributes"]?["_session_number"]?.integer == 41)
            #expect(event["user"]?["_user_id"]?["value"]?.string == "anne")
        }
        #expect(sent[0]["attributes"]?["_screen_name"]?.string == "Item")
        #expect(sent[0]["attributes"]?["price"]?.double == 279.9)
        #expect(sent[0]["items"]?.array?.first?["price"]?.double == 99.5)
        #expect(sent[1]["attributes"]?["_screen_name"]?.string == "Cart")
        #expect(sent[2]["attributes"]?["_exception_stack"]?.string?.hasPrefix("0 main") == true)
        #expect(sent[3]["user"]?["level"]?["value"]?.string == "gold")
        let waiting = try #require(analytics.migrationResult).waiting
        #expect(waiting.found == 6 && waiting.imported == 4 && waiting.left == 2 && waiting.isComplete)
        #expect(
            environment.diagnostics.filter { $0.code == .takeOverIncomplete }.map(\.value) == [
                "1: event_id", "1: not an event in JSON",
            ]
        )
        // New events carry the new context.
        let tap = try #require(try LegacySDKFixture.sent(environment).first { $0["event_type"]?.string == "tap" })
        #expect(tap["app_version"]?.string == "3.0" && tap["os_version"]?.string == "17.5")
        let next = environment.nextProcess()
        let again = try LegacySDKFixture.start(try legacySDK("shop"), next)
        _ = await again.flush()
        #expect(try LegacySDKFixture.sent(environment).filter { $0["event_type"]?.string == "view_item" }.count == 1)
        #expect(again.ledger().isBalanced)
    }

    @Test
    func `events in the write-ahead log of a database are read too`() async throws {
        let environment = LegacySDKFixture.environment()
        let analytics = try LegacySDKFixture.start(try legacySDK("log"), environment)
        _ = await analytics.flush()
        #expect(analytics.migrationResult?.waiting.imported == 2)
    }

    @Test
    func `unsent events go only to the module's own destination`() async throws {
        let environment = LegacySDKFixture.environment()
        var configuration = LegacySDKFixture.configuration(try legacySDK("shop"), environment)
        configuration.destinations.append(
            DestinationConfiguration(CollectorDestination(url: "http://collector.test", writeKey: "test"))
        )
        let analytics = try Analytics(configuration)
        _ = await analytics.flush()
        #expect(environment.transport.delivered(named: "view_item").isEmpty)
        #expect(environment.recorded.filter { $0.name == "view_item" }.map(\.route) == [["clickstream"]])
    }

    /// The process after a kill, with its own network, because a killed process sends nothing.
    private static func next(after environment: InMemoryEnvironment) -> InMemoryEnvironment {
        InMemoryEnvironment(
            storage: environment.nextProcess().storage,
            clock: environment.clock,
            device: environment.device
        )
    }

    /// Simulates the kill: after a number of writes, the process can no longer write its migration state.
    @Test(arguments: 0..<6)
    func `a process that is killed during the import neither loses nor duplicates an event`(after writes: Int)
        async throws
    {
        let environment = LegacySDKFixture.environment()
        environment.storage.fail(.replace, with: .noSpace, after: 1 + writes, paths: "takeover")
        environment.transport.always(.status(503))
        let first = try LegacySDKFixture.start(try legacySDK("many"), environment)
        await first.delivery.control.waitUntilSettled()
        let next = Self.next(after: environment)
        let second = try LegacySDKFixture.start(try legacySDK("many"), next)
        _ = await second.flush()
        let ids = try LegacySDKFixture.sent(next).filter { $0["event_type"]?.string == "tap" }.compactMap {
            $0["event_id"]?.string
        }
        #expect(ids.count == 250 && Set(ids).count == 250)
        #expect(second.migrationResult?.waiting.imported == 250 && second.migrationResult?.waiting.isComplete == true)
    }

    /// The disk refuses new segments in this process and accepts them in the next one.
    @Test
    func `a full disk during the import loses no event`() async throws {
        let environment = LegacySDKFixture.environment()
        environment.storage.fail(.makeSegment, with: .noSpace)
        environment.transport.always(.status(503))
        let first = try LegacySDKFixture.start(try legacySDK("many"), environment)
        await first.delivery.control.waitUntilSettled()
        #expect(first.migrationResult?.waiting.isComplete == false)
        let next = Self.next(after: environment)
        let second = try LegacySDKFixture.start(try legacySDK("many"), next)
        _ = await second.flush()
        let ids = try LegacySDKFixture.sent(next).compactMap { $0["event_id"]?.string }.filter {
            $0.hasPrefix("22222222")
        }
        #expect(ids.count == 250 && Set(ids).count == 250)
    }

    @Test(arguments: [true, false])
    func `if nothing may be recorded, unsent events stay where they are and are reported`(isDisabled: Bool) async throws
    {
        let environment = LegacySDKFixture.environment()
        var configuration = LegacySDKFixture.configuration(try legacySDK("shop"), environment)
        if isDisabled { configuration.isEnabled = false } else { configuration.privacy.consent = .denied }
        let analytics = try Analytics(configuration)
        while analytics.migrationResult?.waiting.isComplete != true { await analytics.storage.queue.run {} }
        #expect(analytics.migrationResult?.waiting.imported == 0 && analytics.migrationResult?.waiting.left == 6)
        let incomplete = environment.diagnostics.filter { $0.code == .takeOverIncomplete }.map(\.value)
        #expect(incomplete.contains(isDisabled ? "4: disabled" : "4: consent_denied"))
    }

    @Test
    func `a file that is not a database is reported, and the other data is migrated`() async throws {
        let environment = LegacySDKFixture.environment()
        let analytics = try LegacySDKFixture.start(try legacySDK("text"), environment)
        _ = await analytics.flush()
        let report = try #require(analytics.migrationResult)
        #expect(report.user == "anne" && report.waiting.found == nil && report.waiting.left == nil)
        #expect(report.problems.count == 1 && report.problems[0].contains("SQLite"))
    }

    @Test(
        arguments: [
            ("", nil), ("00000000-0000-0000-0000-000000000000", nil),
            ("00000000-0000-0000-0000-00000000000A", "00000000-0000-0000-0000-00000000000A"),
        ] as [(String, String?)]
    )
    func `an advertising id that is empty or all zeros is not migrated`(_ text: String, _ expected: String?) throws {
        let json = #"""
            {"event_type":"a","event_id":"11111111-0000-4000-8000-000000000001","timestamp":1,"attributes":{},\#
            "device_unique_id":"\#(text)"}
            """#
        let analytics = try LegacySDKFixture.start(nil, LegacySDKFixture.environment())
        let context = try ClickstreamRow(Array(json.utf8)).context(in: analytics.recording.contextStore.current)
        #expect(context.device["advertising_id"] == expected.map { .string($0) })
    }

    @Test(arguments: [
        ("", "no JSON"), ("[1]", "event_type"), (#"{"event_type":""}"#, "event_type"),
        (#"{"event_type":"a"}"#, "event_id"),
        (#"{"event_type":"a","event_id":"11111111-0000-4000-8000-000000000001"}"#, "timestamp"),
        (#"{"event_type":"a","event_id":"11111111-0000-4000-8000-000000000001","timestamp":-1}"#, "timestamp"),
        (#"{"event_type":"a","event_id":"11111111-0000-4000-8000-000000000001","timestamp":1}"#, "attributes"),
    ])
    func `rows that are not events are reported with the reason`(_ text: String, _ fault: String) {
        do throws(ClickstreamRow.Fault) {
            _ = try ClickstreamRow(Array(text.utf8))
            Issue.record("the row is an event")
        } catch {
            switch error {
            case .malformed: #expect(fault == "no JSON")
            case .field(let name): #expect(name == fault)
            }
        }
    }
}
