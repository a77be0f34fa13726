// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Users, profiles and items")
struct UserProfileTests {
    @Test
    func `a sign-in is recorded once with the anonymous ID, and later events belong to the user`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        let anonymous = sdk.anonymousId()
        sdk.track("before")
        sdk.login("user-42", withProperties: ["from": "invitation"])
        sdk.login("user-42")
        sdk.track("after")
        let events = try await fixture.received()
        #expect(events.map(\.event) == ["before", "$SignUp", "after"])
        #expect(events.map(\.distinctID) == [anonymous, "user-42", "user-42"])
        #expect(events.map { $0.json["login_id"]?.string } == [nil, "user-42", "user-42"])
        #expect(events.map { $0.json["anonymous_id"]?.string } == [anonymous, anonymous, anonymous])
        #expect(events[1].type == "track_signup")
        #expect(events[1].json["original_id"]?.string == anonymous)
        #expect(events[1]["from"]?.string == "invitation")
        #expect(events[1].identities["$identity_login_id"] == "user-42")
        #expect(sdk.loginId() == "user-42")
        #expect(sdk.distinctId() == "user-42")
    }

    @Test
    func `an empty ID or the anonymous ID does not sign a user in`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.login("")
        sdk.login(sdk.anonymousId())
        #expect(try await fixture.received().isEmpty)
        #expect(sdk.loginId() == nil)
    }

    @Test
    func `signing out records nothing, and events belong to the visitor again`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.login("user-42")
        sdk.logout()
        sdk.logout()
        sdk.track("after")
        let events = try await fixture.received()
        #expect(events.map(\.event) == ["$SignUp", "after"])
        #expect(events.last?.distinctID == sdk.anonymousId())
        #expect(events.last?.json["login_id"] == nil)
    }

    @Test
    func `signing out removes the user's IDs and timers from later events`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.login("user-42")
        sdk.bind("$identity_mobile", value: "123")
        _ = sdk.trackTimerStart("checkout")
        sdk.logout()
        sdk.trackTimerEnd("checkout")
        let event = try #require(try await fixture.received().last)
        #expect(event.event == "checkout")
        #expect(event.json["identities"]?["$identity_mobile"] == nil)
        #expect(event.json["properties"]?["event_duration"] == nil)
    }

    @Test
    func `the signed-in user and the anonymous ID survive a restart`() async throws {
        let fixture = SensorsFixture([])
        try await fixture.device.launch()
        try fixture.sdk.identify("visitor-7")
        try fixture.sdk.login("user-42")
        try fixture.device.kill()
        try await fixture.device.launch()
        let sdk = try fixture.sdk
        #expect(sdk.loginId() == "user-42")
        #expect(sdk.anonymousId() == "visitor-7")
    }

    @Test
    func `the anonymous ID can be set by the app, reset, or replaced`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        let initialID = sdk.anonymousId()
        sdk.identify("visitor-7")
        sdk.identify("")
        sdk.track("a")
        sdk.resetAnonymousId()
        sdk.track("b")
        sdk.resetAnonymousIdentity("visitor-8")
        sdk.track("c")
        sdk.resetAnonymousIdentity(nil)
        let newID = sdk.anonymousId()
        sdk.track("d")
        #expect(try await fixture.received().map(\.distinctID) == ["visitor-7", initialID, "visitor-8", newID])
        #expect(![initialID, "visitor-7", "visitor-8"].contains(newID))
        sdk.login("user-42")
        sdk.resetAnonymousIdentity("visitor-9")
        #expect(sdk.anonymousId() == newID, "the ID does not change while a user is signed in")
    }

    @Test
    func `IDs are bound and unbound, except those of the device and the visitor`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.bind("$identity_mobile", value: "123")
        for key in ["$identity_login_id", "$identity_anonymous_id", "$identity_idfv", "1bad", ""] {
            sdk.bind(key, value: "x")
        }
        sdk.track("while bound")
        sdk.unbind("$identity_mobile", value: "123")
        sdk.track("after")
        let events = try await fixture.received()
        #expect(events.map(\.event) == ["$BindID", "while bound", "$UnbindID", "after"])
        #expect(events.map(\.type) == ["track_id_bind", "track", "track_id_unbind", "track"])
        #expect(events.map { $0.identities["$identity_mobile"] } == ["123", "123", "123", nil])
        #expect(events[2].identities.count == 1)
        #expect(events[2].json["anonymous_id"] == nil)
    }

    @Test
    func `the bound IDs are part of one sign-in event and are then dropped`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.bind("$identity_email", value: "a@b.c")
        sdk.login("user-42")
        sdk.track("after")
        let events = try await fixture.received()
        #expect(events.map { $0.identities["$identity_email"] } == ["a@b.c", "a@b.c", nil])
    }

    @Test
    func `each profile call is a separate kind of record with only its own properties`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.set(["name": "carl", "age": 21])
        sdk.set("city", to: "Ulm")
        sdk.setOnce(["first": "store"])
        sdk.setOnce("second", to: 2)
        sdk.increment("orders", by: 1)
        sdk.increment(["spent": 2.5, "wrong": "text"])
        sdk.append("movies", by: ["Alien", "Heat", "Alien"])
        sdk.append("tags", by: Set(["one"]))
        sdk.unset("city")
        sdk.deleteUser()
        let records = try await fixture.received()
        #expect(
            records.map(\.type) == [
                "profile_set", "profile_set", "profile_set_once", "profile_set_once", "profile_increment",
                "profile_increment", "profile_append", "profile_append", "profile_unset", "profile_delete",
            ]
        )
        let properties = records.map { String(decoding: ($0.json["properties"] ?? .null).json(), as: UTF8.self) }
        #expect(
            properties == [
                #"{"age":21,"name":"carl"}"#, #"{"city":"Ulm"}"#, #"{"first":"store"}"#, #"{"second":2}"#,
                #"{"orders":1}"#, #"{"spent":2.5}"#, #"{"movies":["Alien","Heat"]}"#, #"{"tags":["one"]}"#,
                #"{"city":""}"#, "{}",
            ]
        )
        #expect(records.allSatisfy { $0.event == nil })
    }

    @Test
    func `items are set and deleted without a user`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.itemSet(withType: "book", itemId: "0321714113", properties: ["price": 38.5])
        sdk.itemDelete(withType: "book", itemId: "0321714113")
        let records = try await fixture.received()
        #expect(records.map(\.type) == ["item_set", "item_delete"])
        #expect(
            records.allSatisfy { $0.json["item_id"]?.string == "0321714113" && $0.json["item_type"]?.string == "book" }
        )
        #expect(records.allSatisfy { $0.distinctID == nil })
        #expect(records.first?["price"] == .double(38.5))
        #expect(records.last?.json["properties"] == nil)
    }

    @Test
    func `identity changes stay in order with events, even in a loop`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        for number in 0..<50 {
            sdk.login("user-\(number)")
            sdk.track("as \(number)")
        }
        let events = try await fixture.received().filter { $0.type == "track" }
        #expect(events.map(\.distinctID) == (0..<50).map { "user-\($0)" })
    }
}
