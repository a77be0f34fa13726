// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations

/// Records and a request from the format's first client, compared field by field.
@Suite("Sensors Analytics examples")
struct SensorsAnalyticsExamplesTests {
    private typealias Batch = SensorsAnalyticsBatch

    private static func request(
        _ events: [(Event, RecordedContext)],
        _ change: (inout SensorsAnalyticsOptions) -> Void = { _ in }
    ) throws -> WireRequest {
        var options = SensorsAnalyticsOptions()
        options.libraryVersion = "4.9.1"
        change(&options)
        return try SensorsAnalyticsDestination(
            serverURL: "https://sa.example.com/sa?project=production",
            options: options
        ).request(for: Batch.make(events), sentAt: Batch.sentAt)
    }

    /// Returns the members without their order, so that a difference identifies a field.
    private static func fields(_ json: JSONValue, _ path: String = "") -> [String: JSONValue] {
        guard let object = json.object else { return [path: json] }
        if object.members.isEmpty { return [path: json] }
        return object.members.reduce(into: [:]) { all, member in
            all.merge(fields(member.value, "\(path)/\(member.key)")) { $1 }
        }
    }

    private static func fields(_ text: String) throws -> [String: JSONValue] {
        fields(try JSONValue.parse(Array(text.utf8)))
    }

    @Test
    func `a cold start has exactly the fields of the example`() throws {
        let expected = #"""
            {"type":"track","event":"$AppStart","time":1750000000123,"_track_id":2503214481,"_flush_time":1750000000480,
             "distinct_id":"A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE","anonymous_id":"A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE",
             "identities":{"$identity_idfv":"A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE",
              "$identity_anonymous_id":"A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE"},
             "lib":{"$lib":"iOS","$lib_version":"4.9.1","$app_version":"3.8.1","$lib_method":"autoTrack"},
             "properties":{"$is_first_time":true,"$resume_from_background":false,"$is_first_day":true,"$lib":"iOS",
              "$lib_version":"4.9.1","$lib_method":"autoTrack","$app_version":"3.8.1","$app_id":"com.example.shop",
              "$app_name":"Shop","$model":"iPhone15,2","$manufacturer":"Apple","$os":"iOS","$os_version":"18.1",
              "$screen_width":393,"$screen_height":852,"$timezone_offset":-480,"$network_type":"WIFI","$wifi":true,
              "$device_id":"A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE",
              "$event_session_id":"5B0C3B3A-6A55-4B7E-8F7C-0C1D2E3F4A5B"}}
            """#
        let start: Attributes = ["_is_first_time": true, "_start_kind": "cold", "_is_first_start": true]
        let request = try Self.request([(Batch.event("_app_start", start), Batch.context)]) { $0.namesSession = true }
        let record = try #require(Batch.records(request).first)
        #expect(try Self.fields(record) == Self.fields(expected))
    }

    @Test(arguments: [
        (
            Batch.event("_app_end", ["_foreground_duration_msec": 94_877], at: 1_750_000_095_000), false,
            #"{"type":"track","event":"$AppEnd","time":1750000095000,"properties":{"event_duration":94.877,"$is_first_day":true}}"#
        ),
        (
            Batch.event("_screen_view", ["_screen_name": "HomeController", "_screen_title": "Home"]), false,
            #"{"type":"track","event":"$AppViewScreen","properties":{"$screen_name":"HomeController","$title":"Home"}}"#
        ),
        (
            Batch.event("_click", ["_element_id": "buy", "_element_content": "Buy", "_screen_title": "Home"]),
            false,
            #"{"type":"track","event":"$AppClick","properties":{"$element_id":"buy","$element_content":"Buy","$title":"Home"}}"#
        ),
        (
            Batch.event("_profile_set", ["_signed_in": true]), true,
            #"""
            {"type":"track_signup","event":"$SignUp","distinct_id":"user-42","login_id":"user-42",
             "anonymous_id":"A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE","original_id":"A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE",
             "identities":{"$identity_login_id":"user-42","$identity_idfv":"A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE",
              "$identity_anonymous_id":"A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE"}}
            """#
        ),
        (
            Batch.event("_profile_increment", ["orders": 1]), true,
            #"{"type":"profile_increment","distinct_id":"user-42","login_id":"user-42","properties":{"orders":1}}"#
        ),
        (
            Batch.event("_profile_append", ["movies": ["Alien", "Heat"]]), false,
            #"{"type":"profile_append","properties":{"movies":["Alien","Heat"]}}"#
        ),
        (
            Batch.event("_profile_unset", ["nickname": true]), false,
            #"{"type":"profile_unset","properties":{"nickname":""}}"#
        ),
        (Batch.event("_profile_delete"), false, #"{"type":"profile_delete","properties":{}}"#),
        (
            Batch.event(
                "_item_set",
                ["_item_type": "book", "_item_id": "0321714113", "price": 38.5],
                at: 1_750_000_000_500
            ),
            false,
            #"""
            {"type":"item_set","time":1750000000500,"item_type":"book","item_id":"0321714113","properties":{"price":38.5},
             "lib":{"$lib":"iOS","$lib_version":"4.9.1","$app_version":"3.8.1","$lib_method":"code"},
             "_flush_time":1750000000480}
            """#
        ),
    ])
    func `exit, screen, click, sign-up, profile and item have the fields of the examples`(
        _ event: Event,
        _ isSignedIn: Bool,
        _ expected: String
    ) throws {
        let context = isSignedIn ? Batch.signedIn : Batch.context
        let record = Self.fields(try #require(Batch.records(Self.request([(event, context)])).first))
        for (path, value) in try Self.fields(expected) { #expect(record[path] == value, "\(path)") }
        if event.name.hasPrefix("_profile") && event.name != "_profile_set" || event.name.hasPrefix("_item") {
            // Records about users and items contain only the properties that were set.
            let expectedKeys = try Self.fields(expected).keys.filter { $0.hasPrefix("/properties") }
            #expect(Set(record.keys.filter { $0.hasPrefix("/properties") }) == Set(expectedKeys))
            #expect(record["/event"] == nil)
        }
        if event.name.hasPrefix("_item") {
            #expect(
                Set(record.keys.map { $0.split(separator: "/")[0] }).isDisjoint(with: [
                    "distinct_id", "identities", "_track_id",
                ])
            )
        }
    }

    @Test
    func `the request has the method, the address, the fields and the order of the example`() throws {
        let event = (Batch.event("a"), Batch.context)
        let request = try Self.request([event])
        #expect(request.method == "POST")
        #expect(request.url == "https://sa.example.com/sa?project=production")
        #expect(request.headers["user-agent"] == "SensorsAnalytics iOS SDK")
        #expect(request.headers["cookie"] == nil)
        #expect(request.headers["dry-run"] == nil)
        let names = String(decoding: request.body, as: UTF8.self).split(separator: "&").map { $0.prefix { $0 != "=" } }
        #expect(names == ["crc", "gzip", "data_list"])
        let records = try Batch.records(request)
        #expect(records.count == 1)
        // The first bytes of gzip, in base64.
        #expect(try Batch.fields(request)["data_list"]?.hasPrefix("H4sI") == true)
    }

    @Test
    func `a cookie is sent, and the two debug modes send events one by one to the debug address`() throws {
        let event = (Batch.event("a"), Batch.context)
        #expect(try Self.request([event]) { $0.cookie = "sid=1" }.headers["cookie"] == "sid=1")
        for (mode, dryRun) in [(SensorsAnalyticsDebugMode.only, "true" as String?), (.andTrack, nil)] {
            let request = try Self.request([event]) { $0.debugMode = mode }
            #expect(request.url == "https://sa.example.com/debug?project=production")
            #expect(request.headers["dry-run"] == dryRun)
            #expect(try Batch.records(request).count == 1)
            var options = SensorsAnalyticsOptions()
            options.debugMode = mode
            #expect(SensorsAnalyticsDestination(serverURL: "https://a.test", options: options).limits.events == 1)
        }
        #expect(SensorsAnalyticsDestination(serverURL: "https://a.test").limits.events == 50)
    }
}
