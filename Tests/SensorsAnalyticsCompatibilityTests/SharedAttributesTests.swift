// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Shared attributes in profiles, items and events")
struct SharedAttributesTests {
    /// A call, and the expected record.
    struct Call: Sendable, CustomTestStringConvertible {
        let name: String
        let type: String
        /// The record's properties as JSON; nil if it has no properties member.
        let properties: String?
        let make: @Sendable (SensorsAnalyticsSDK) -> Void

        var testDescription: String { name }
    }

    static let nan = Double.nan

    /// Every call about users and items, through the compatibility module and the public API.
    ///
    /// Where possible, each call also sets a property that exceeds a limit.
    static let statements: [Call] = [
        Call(name: "set", type: "profile_set", properties: #"{"own":1}"#) { $0.set(["own": 1, "bad": nan]) },
        Call(name: "set to", type: "profile_set", properties: #"{"own":1}"#) { $0.set("own", to: 1) },
        Call(name: "set, no valid property left", type: "profile_set", properties: "{}") { $0.set(["bad": nan]) },
        Call(name: "setOnce", type: "profile_set_once", properties: #"{"own":1}"#) {
            $0.setOnce(["own": 1, "bad": nan])
        },
        Call(name: "increment", type: "profile_increment", properties: #"{"own":1}"#) {
            $0.increment(["own": 1, "bad": nan])
        },
        Call(name: "append", type: "profile_append", properties: #"{"own":["1"]}"#) { $0.append("own", by: ["1"]) },
        Call(name: "unset", type: "profile_unset", properties: #"{"own":""}"#) { $0.unset("own") },
        Call(name: "unset without a name", type: "profile_unset", properties: "{}") { $0.unset("") },
        Call(name: "deleteUser", type: "profile_delete", properties: "{}") { $0.deleteUser() },
        Call(name: "itemSet", type: "item_set", properties: #"{"own":1}"#) {
            $0.itemSet(withType: "book", itemId: "7", properties: ["own": 1, "bad": nan])
        },
        Call(name: "itemDelete", type: "item_delete", properties: nil) { $0.itemDelete(withType: "book", itemId: "7") },
        Call(name: "setUserAttributes", type: "profile_set", properties: #"{"own":1}"#) {
            $0.analytics.setUserAttributes(["own": 1, "bad": .double(nan)])
        },
        Call(name: "removeUserAttributes", type: "profile_unset", properties: #"{"own":""}"#) {
            $0.analytics.removeUserAttributes(["own", ""])
        },
        Call(name: "record(_profile_set)", type: "profile_set", properties: #"{"own":1}"#) {
            $0.analytics.record("_profile_set", ["own": 1, "bad": .double(nan)])
        },
        Call(name: "record(_profile_increment) to", type: "profile_increment", properties: #"{"own":1}"#) {
            $0.analytics.record("_profile_increment", ["own": 1, "bad": .double(nan)], to: ["sensors-analytics"])
        },
        Call(name: "record(_item_set)", type: "item_set", properties: #"{"own":1}"#) {
            $0.analytics.record("_item_set", ["own": 1, "_item_type": "book", "_item_id": "7"])
        },
    ]

    static let events: [Call] = [
        Call(name: "track", type: "track", properties: nil) { $0.track("x", withProperties: ["own": 1]) },
        Call(name: "timer", type: "track", properties: nil) { $0.trackTimerEnd("x", withProperties: ["own": 1]) },
        Call(name: "screen", type: "track", properties: nil) { $0.trackViewScreen("two", withProperties: ["own": 1]) },
        Call(name: "login", type: "track_signup", properties: nil) { $0.login("u", withProperties: ["own": 1]) },
        Call(name: "identify", type: "track_signup", properties: nil) { $0.analytics.identify("u") },
        Call(name: "bind", type: "track_id_bind", properties: nil) { $0.bind("$identity_mobile", value: "1") },
        Call(name: "unbind", type: "track_id_unbind", properties: nil) { $0.unbind("$identity_mobile", value: "1") },
        Call(name: "native bind", type: "track_id_bind", properties: nil) {
            $0.analytics.addIdentifier("1", type: "mobile")
        },
    ]

    /// Starts an app in which every other attribute source provides attributes.
    private func fixture() async throws -> (SensorsFixture, SensorsAnalyticsSDK) {
        let fixture = try await SensorsFixture.launched([.eventTypeAppStart, .eventTypeAppViewScreen]) {
            $0.enableSession = true
        }
        let sdk = try fixture.sdk
        sdk.registerSuperProperties(["static": 1, "$app_version": "super"])
        sdk.registerDynamicSuperProperties { ["n": 1, "page": "cart", "$lib_method": "dynamic", "$time": "dynamic"] }
        sdk.trackViewScreen("one", withProperties: ["of": "screen"])
        return (fixture, sdk)
    }

    @Test(arguments: statements)
    func `a profile or item record contains only the call's own properties`(_ call: Call) async throws {
        let (fixture, sdk) = try await fixture()
        call.make(sdk)
        let record = try #require(try await fixture.received().last)
        #expect(record.type == call.type)
        #expect(record.json["properties"].map { String(decoding: $0.json(), as: UTF8.self) } == call.properties)
    }

    @Test(arguments: events)
    func `an event also has dynamic and static super properties, below its own`(_ call: Call) async throws {
        let (fixture, sdk) = try await fixture()
        call.make(sdk)
        let record = try #require(try await fixture.received().last)
        #expect(record.type == call.type)
        #expect(record["n"] == .integer(1))
        #expect(record["page"] == .string("cart"))
        #expect(record["static"] == .integer(1))
    }

    @Test(.timeLimit(.minutes(30)))
    func `a closure that signs in, sets a profile and returns properties does no harm`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        let count = Locked(0)
        sdk.registerDynamicSuperProperties { [weak sdk] in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            sdk?.login("user-\(number)")
            sdk?.set(["seen": number])
            sdk?.identify("visitor-\(number)")
            return ["n": number]
        }
        sdk.track("a")
        sdk.login("final")
        sdk.increment("orders", by: 1)
        let records = try await fixture.received()
        #expect(
            records.map { $0.event ?? $0.type ?? "" } == [
                "$SignUp", "profile_set", "a", "$SignUp", "profile_set", "$SignUp", "profile_increment",
            ]
        )
        #expect(records.filter { $0.type == "profile_set" }.allSatisfy { $0["n"] == nil })
        #expect(records[2]["n"] == .integer(1))
        #expect(records[5]["n"] == .integer(2))
        #expect(records[5].distinctID == "final")
    }

    @Test(.timeLimit(.minutes(30)))
    func `a sign-in on another thread while the closure runs does no harm`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.registerDynamicSuperProperties { ["who": "closure"] }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for round in 0..<25 {
                        if number.isMultiple(of: 2) {
                            sdk.track("event")
                        } else {
                            sdk.login("user-\(number)-\(round)")
                            sdk.set(["round": round])
                        }
                    }
                }
            }
        }
        let records = try await fixture.received()
        #expect(records.filter { $0.event == "event" }.count == 100)
        #expect(records.filter { $0.type == "profile_set" }.count == 100)
        #expect(records.filter { $0.type == "track_signup" }.count == 100)
        for record in records {
            #expect((record["who"] != nil) == (record.type?.hasPrefix("track") == true))
        }
    }

    // MARK: Exceeded limits

    @Test
    func `an event that exceeds a limit is sent without the excess, and a diagnostic reports it`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.track("", withProperties: ["own": 1])
        sdk.track(
            "x",
            withProperties: ["own": 1, "": 2, "nan": Double.nan, "far": AttributeValue.date(.init(milliseconds: .max))]
        )
        sdk.login("u", withProperties: ["inf": Double.infinity, "own": 1])
        var manyProperties: SensorsAnalyticsProperties = [:]
        for number in 0..<10_000 { manyProperties["p\(number)"] = number }
        sdk.set(manyProperties)
        let records = try await fixture.received()
        #expect(records.count == 4)
        for record in records {
            #expect(record["_error_code"] == nil)
            #expect(record["_error_message"] == nil)
        }
        #expect(records[1]["own"] == .integer(1))
        #expect(records[2]["own"] == .integer(1))
        #expect(records[3].json["properties"]?.object?.members.count == 1_000)
        let codes = fixture.device.diagnostics.map(\.code)
        #expect(codes.filter { $0 == .numberNotFinite }.count == 2)
        #expect(codes.contains(.nameEmpty))
        #expect(codes.contains(.tooManyAttributes))
    }

    @Test
    func `an app's own properties named _error_code and _error_message are kept`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.track("failed", withProperties: ["_error_code": 404, "_error_message": "not found"])
        sdk.set(["_error_code": "E7"])
        let records = try await fixture.received()
        #expect(records[0]["_error_code"] == .integer(404))
        #expect(records[0]["_error_message"] == .string("not found"))
        #expect(records[1]["_error_code"] == .string("E7"))
    }
}
