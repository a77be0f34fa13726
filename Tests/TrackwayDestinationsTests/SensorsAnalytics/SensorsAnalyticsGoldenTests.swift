// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations

/// An event, and the fixture that contains its record byte for byte.
struct SensorsAnalyticsGolden: Sendable, CustomTestStringConvertible {
    var name: String
    var event: Event
    var context = SensorsAnalyticsBatch.context
    var namesSession = false

    var testDescription: String { name }

    private typealias Batch = SensorsAnalyticsBatch

    static let all: [SensorsAnalyticsGolden] = [
        // Starts and ends.
        .init(
            name: "start-cold",
            event: Batch.event(
                "_app_start",
                [
                    "_is_first_time": true, "_start_kind": "cold", "_is_first_start": true,
                    "_resumed_from_background": false,
                ]
            ),
            namesSession: true
        ),
        .init(
            name: "start-hot",
            event: Batch.event(
                "_app_start",
                ["_is_first_time": false, "_start_kind": "hot", "_resumed_from_background": true],
                at: 1_750_090_000_000
            )
        ),
        .init(
            name: "start-passive",
            event: Batch.event(
                "_app_start",
                ["_is_first_time": true, "_start_kind": "passive", "_is_first_start": false]
            )
        ),
        .init(
            name: "end",
            event: Batch.event("_app_end", ["_foreground_duration_msec": 94_877], at: 1_750_000_095_000)
        ),
        .init(
            name: "end-recovered",
            event: Batch.event("_app_end", ["_foreground_duration_msec": 60_000, "_is_recovered": true])
        ),
        .init(name: "end-without-duration", event: Batch.event("_app_end")),
        // Screens.
        .init(
            name: "screen",
            event: Batch.event(
                "_screen_view",
                [
                    "_screen_name": "CartScreen", "_screen_id": "shop://cart", "_screen_unique_id": "u2",
                    "_previous_screen_name": "HomeScreen", "_previous_screen_id": "shop://home",
                    "_previous_screen_unique_id": "u1", "_previous_timestamp": 1_749_999_999_000, "_entrances": 0,
                    "_engagement_time_msec": 4_000, "$title": "Cart", "items_in_cart": 3,
                ]
            )
        ),
        .init(
            name: "screen-first",
            event: Batch.event("_screen_view", ["_screen_name": "HomeScreen", "_entrances": 1, "$lib_method": "code"])
        ),
        // Users.
        .init(
            name: "signup",
            event: Batch.event("_profile_set", ["_signed_in": true, "from": "invitation"]),
            context: Batch.signedIn
        ),
        .init(
            name: "profile-set",
            event: Batch.event(
                "_profile_set",
                ["nickname": "carl", "born": .date(Timestamp(milliseconds: 0)), "tags": .array(["a", 1, 2.5, true])]
            ),
            context: Batch.signedIn
        ),
        .init(name: "signed-out", event: Batch.event("_profile_set", ["_signed_in": false]), context: described),
        .init(name: "profile-set-from-context", event: Batch.event("_profile_set"), context: described),
        .init(name: "profile-set-once", event: Batch.event("_profile_set_once", ["first_channel": "store"])),
        .init(
            name: "profile-increment",
            event: Batch.event("_profile_increment", ["orders": 1, "spent": -2.5]),
            context: Batch.signedIn
        ),
        .init(name: "profile-append", event: Batch.event("_profile_append", ["movies": ["Alien", "Heat", "Alien"]])),
        .init(name: "profile-unset", event: Batch.event("_profile_unset", ["nickname": true])),
        .init(name: "profile-delete", event: Batch.event("_profile_delete", ["ignored": 1])),
        .init(
            name: "bind",
            event: Batch.event("_identity_bound", ["_identity_key": "$identity_mobile", "_identity_value": "123"]),
            context: Batch.signedIn
        ),
        .init(
            name: "unbind",
            event: Batch.event("_identity_unbound", ["_identity_key": "$identity_mobile", "_identity_value": "123"]),
            context: Batch.signedIn
        ),
        // Items.
        .init(
            name: "item-set",
            event: Batch.event(
                "_item_set",
                ["_item_type": "book", "_item_id": "0321714113", "price": 38.5],
                at: 1_750_000_000_500
            )
        ),
        .init(
            name: "item-delete",
            event: Batch.event("_item_delete", ["_item_type": "book", "_item_id": "0321714113", "price": 1])
        ),
        // Everything else.
        .init(
            name: "exception",
            event: Batch.event(
                "_app_exception",
                ["_exception_message": "Index out of range", "_exception_stack": "0 shop\n1 libc"]
            )
        ),
        .init(name: "installation-erased", event: Batch.event("_installation_erased", ["installation": "0197"])),
        .init(name: "first-open", event: Batch.event("_first_open")),
        .init(name: "session-start", event: Batch.event("_session_start", ["_session_id": "s", "_session_number": 1])),
        .init(name: "engagement", event: Batch.event("_user_engagement", ["_engagement_time_msec": 1_500])),
        .init(
            name: "app-update",
            event: Batch.event("_app_update", ["_previous_app_version": "3.8.0"]),
            context: otherContext
        ),
        .init(
            name: "track",
            event: Batch.event(
                "ViewProduct",
                [
                    "price": 279.9, "count": 3, "first": true,
                    "when": .date(Timestamp(milliseconds: 1_750_000_000_123)),
                    "sizes": .array([38, "39", 40.5]), "name": "鞋 👟", "$project": "other", "$token": "secret",
                    "$time": .date(Timestamp(milliseconds: 1_750_000_000_999)), "$app_version": "event's",
                    "$device_id": "mine", "$is_first_day": "mine",
                ]
            ),
            context: overridingContext
        ),
        .init(name: "timer", event: Batch.event("checkout", ["event_duration": 12.345, "steps": 3])),
        .init(name: "nothing-known", event: Batch.event("lonely"), context: RecordedContext()),
    ]

    /// A user with two known attributes, one of them new.
    private static var described: RecordedContext {
        var context = Batch.signedIn
        context.user.attributes = [
            .init(name: "_user_id", value: "user-42", setAt: Timestamp(milliseconds: 1_750_000_000_123)),
            .init(name: "age", value: 21, setAt: Timestamp(milliseconds: 1_750_000_000_000)),
            .init(name: "city", value: "Ulm", setAt: Timestamp(milliseconds: 1_750_000_000_123)),
        ]
        return context
    }

    /// Global attributes that try to override what the SDK adds.
    private static var overridingContext: RecordedContext {
        var context = Batch.context
        context.global = [
            "channel": "store", "price": 1, "$app_version": "global", "$device_id": "theirs",
            "$event_session_id": "theirs",
            "$model": "Fridge",
        ]
        return context
    }

    /// A computer on a wired network, west of Greenwich, without a device ID.
    private static var otherContext: RecordedContext {
        RecordedContext(
            app: ["id": "shop"],
            device: ["platform": "Linux", "os_version": "12", "zone_offset_seconds": -12_600, "network": "ethernet"]
        )
    }

    var record: JSONValue {
        get throws {
            var options = SensorsAnalyticsOptions()
            options.namesSession = namesSession
            let request = try SensorsAnalyticsDestination(
                serverURL: "https://sa.test/sa?project=production",
                options: options
            )
            .request(for: Batch.make([(event, context)]), sentAt: Batch.sentAt)
            return try #require(Batch.records(request).first)
        }
    }
}

@Suite("Sensors Analytics records, byte for byte")
struct SensorsAnalyticsGoldenTests {
    static let folder = "Fixtures/SensorsAnalytics"

    static func fixture(_ name: String) throws -> String {
        let url = try #require(Bundle.module.url(forResource: "\(folder)/\(name)", withExtension: "json"))
        return try String(contentsOf: url, encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    @Test(arguments: SensorsAnalyticsGolden.all)
    func `every kind of event matches its fixture`(_ golden: SensorsAnalyticsGolden) throws {
        let record = String(decoding: try golden.record.json(), as: UTF8.self)
        #expect(try record == Self.fixture(golden.name))
    }

    @Test
    func `no two kinds share a fixture`() {
        #expect(Set(SensorsAnalyticsGolden.all.map(\.name)).count == SensorsAnalyticsGolden.all.count)
    }
}
