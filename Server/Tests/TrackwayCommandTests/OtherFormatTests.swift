// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinations

@testable internal import TrackwayCommand

@Suite("The same events natively and in other formats")
struct OtherFormatTests {
    @Test
    func `events that the SDK sends in other formats arrive like those that it sends natively`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder + "/native") { native in
                try await RunningCollector.with(folder: folder + "/others") { others in
                    try await Self.record(folder: folder + "/journal", native: native.root, others: others.root)
                    try await Self.compare(CollectorClient(native), CollectorClient(others))
                }
            }
        }
    }

    private static func record(folder: String, native: String, others: String) async throws {
        let collector = try #require(URL(string: native))
        let collect = try #require(URL(string: others + "/collect"))
        let sa = try #require(URL(string: others + "/sa?project=production"))
        var configuration = Configuration(
            appID: "shopping",
            destinations: [
                .collector(collector, writeKey: "dev"), .clickstream(appID: "shopping", endpoint: collect),
                .sensorsAnalytics(serverURL: sa),
            ],
            consent: .granted
        )
        configuration.storage.folder = URL(fileURLWithPath: folder)
        configuration.lifecycle.isObserved = false
        configuration.onDiagnostic = { _ in }
        let analytics = try Analytics(configuration)
        analytics.screen("Home", path: "Shop/Home")
        analytics.record("view_item", ["price": 9.5, "name": "Trail Shoe", "is_new": true, "count": 3])
        analytics.identify("carl")
        analytics.screen("Basket", path: "Shop/Basket")
        analytics.record("purchase", ["total": 12.5])
        _ = await analytics.flush(timeout: .seconds(60))
        await analytics.shutdown(timeout: .seconds(10))
    }

    private static func compare(_ native: CollectorClient, _ others: CollectorClient) async throws {
        _ = try await native.get("/v1/wait", query: [("count", "6"), ("timeout", "60")], timeout: 90)
        let recorded = try await native.get("/v1/events", query: [("order", "asc")])["events"]?.array ?? []
        #expect(recorded.count >= 6)
        // Each event arrives twice: once in each of the other formats.
        let count = String(recorded.count * 2)
        _ = try await others.get("/v1/wait", query: [("count", count), ("timeout", "60")], timeout: 90)
        let failed = try await others.get("/v1/failed")["failed"]?.array ?? []
        #expect(failed.isEmpty, "\(failed.map { String(decoding: $0.json(), as: UTF8.self) })")
        let translated = try await others.get("/v1/events", query: [("order", "asc")])["events"]?.array ?? []
        #expect(translated.count == recorded.count * 2)
        for event in recorded {
            let id = try #require(event["id"]?.string)
            let same = try #require(translated.first { $0["id"]?.string == id }, "\(event)")
            #expect(same["event"]?["name"] == event["event"]?["name"])
            #expect(same["event"]?["time"] == event["event"]?["time"])
            #expect(same["session"] == event["session"] && same["user"] == event["user"])
            // The formats do not carry the monotonic start.
            for member in ["id", "number", "start"] {
                #expect(same["context"]?["session"]?[member] == event["context"]?["session"]?[member])
            }
            #expect(same["context"]?["screen"]?["name"] == event["context"]?["screen"]?["name"])
            // The format has no terms for the kind of start, for the user who signed in or for the time in the
            // foreground. Everything else is the same.
            if event["event"]?["name"]?.string != "_app_start" {
                var expected = attributes(event)
                expected["_signed_in"] = nil
                expected["_foreground_duration_msec"] = nil
                #expect(attributes(same) == expected)
            }
        }
        let names = Set(recorded.compactMap { $0["event"]?["name"]?.string })
        let ids = Set(recorded.compactMap { $0["id"]?.string })
        let sensors = translated.filter { !ids.contains($0["id"]?.string ?? "") }
        #expect(Set(sensors.compactMap { $0["event"]?["name"]?.string }) == names)
        let bought = try #require(sensors.first { $0["event"]?["name"]?.string == "purchase" })
        #expect(bought["user"]?.string == "carl" && bought["event"]?["attributes"]?["total"]?.double == 12.5)
    }

    private static func attributes(_ event: JSONValue) -> [String: JSONValue] {
        Dictionary(
            (event["event"]?["attributes"]?.object?.members ?? []).map { ($0.key, $0.value) },
            uniquingKeysWith: { $1 }
        )
    }
}
