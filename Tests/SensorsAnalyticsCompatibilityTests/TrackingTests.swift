// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Tracking, timers and super properties")
struct TrackingTests {
    @Test
    func `values of every kind are sent as the format's types`() async throws {
        let fixture = try await SensorsFixture.launched()
        let date = Date(timeIntervalSince1970: 1_750_000_000.123)
        try fixture.sdk.track(
            "ViewProduct",
            withProperties: [
                "text": "鞋 👟", "whole": 3, "fraction": 38.5, "truth": true, "when": date,
                "decimal": Decimal(string: "19.99") ?? 0, "list": ["a", "b"], "numbers": [1, 2], "float": Float(0.1),
                "big": UInt64.max, "bigDecimal": Decimal(UInt64.max), "set": Set(["one"]),
            ]
        )
        let event = try #require(try await fixture.received().first)
        #expect(event.type == "track")
        #expect(event.event == "ViewProduct")
        let expected: [String: JSONValue] = [
            "text": .string("鞋 👟"), "whole": .integer(3), "fraction": .double(38.5), "truth": .boolean(true),
            "when": .string("2025-06-15 15:06:40.123"), "decimal": .double(19.99), "float": .double(0.1),
            "list": .array([.string("a"), .string("b")]), "numbers": .array([.string("1"), .string("2")]),
            "big": .string("18446744073709551615"), "bigDecimal": .string("18446744073709551615"),
            "set": .array([.string("one")]),
            "$lib_method": .string("code"), "$app_version": .string("3.8.1"),
        ]
        for (key, value) in expected { #expect(event[key] == value, "\(key)") }
    }

    @Test
    func `text in the form of a date stays text in properties, super properties and profiles`() async throws {
        let text = "2026-11-27T10:00:00.000Z"
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.registerSuperProperties(["super": text])
        sdk.track("x", withProperties: ["text": text, "list": [text]])
        sdk.set(["profile": text])
        let received = try await fixture.received()
        let event = try #require(received.first { $0.event == "x" })
        #expect(event["text"] == .string(text))
        #expect(event["super"] == .string(text))
        #expect(event["list"] == .array([.string(text)]))
        #expect(received.first { $0.type == "profile_set" }?["profile"] == .string(text))
    }

    @Test
    func `an event states whether code or automatic tracking recorded it`() async throws {
        let fixture = try await SensorsFixture.launched()
        try fixture.sdk.track("a", withTrackType: .auto)
        try fixture.sdk.track("b", withProperties: ["n": 1], withTrackType: .code)
        #expect(try await fixture.received().map { $0["$lib_method"]?.string } == ["autoTrack", "code"])
    }

    @Test
    func `invalid input loses at most its invalid part and never traps`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        var manyProperties: SensorsAnalyticsProperties = [:]
        for number in 0..<10_000 { manyProperties["p\(number)"] = number }
        sdk.track("")
        sdk.track("名字", withProperties: nil)
        sdk.track("many", withProperties: manyProperties)
        sdk.track(
            "odd",
            withProperties: ["": 1, "1a": 1, "time": 1, "nan": Double.nan, "inf": -Double.infinity, "ok": 1]
        )
        sdk.track("long", withProperties: ["text": String(repeating: "家", count: 9_000)])
        sdk.trackTimerEnd("never started")
        sdk.unregisterSuperProperty("unknown")
        sdk.itemSet(withType: "", itemId: "")
        sdk.bind("", value: "")
        sdk.login("")
        sdk.identify("")
        sdk.set([:])
        let received = try await fixture.received()
        #expect(received.map(\.event) == ["_unnamed", "名字", "many", "odd", "long", "never started", nil])
        let odd = try #require(received.first { $0.event == "odd" })
        #expect(odd["ok"] == .integer(1))
        for key in ["", "1a", "time", "nan", "inf"] { #expect(odd[key] == nil, "\(key)") }
        let long = try #require(received.first { $0.event == "long" }?["text"]?.string)
        #expect(long.utf16.count == 8_192)
        #expect(long.hasSuffix("家$"))
        #expect(received.last?.type == "item_set")
    }

    // MARK: Super properties

    @Test
    func `precedence is event, dynamic, static, preset property, and the device ID cannot be overridden`() async throws
    {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.registerSuperProperties([
            "a": "static", "b": "static", "c": "static", "$os": "static", "$device_id": "static",
        ])
        sdk.registerDynamicSuperProperties { ["a": "dynamic", "b": "dynamic", "$device_id": "dynamic"] }
        sdk.track("x", withProperties: ["a": "event", "$device_id": "event"])
        let event = try #require(try await fixture.received().first)
        let expected = ["a": "event", "b": "dynamic", "c": "static", "$os": "static"]
        for (key, value) in expected { #expect(event[key]?.string == value, "\(key)") }
        #expect(!["static", "dynamic", "event"].contains(event["$device_id"]?.string))
    }

    @Test
    func `a name that differs only in case replaces the earlier one`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.registerSuperProperties(["Channel": "old", "other": 1])
        sdk.registerSuperProperties(["channel": "new"])
        #expect(Set(sdk.currentSuperProperties().keys) == ["channel", "other"])
        sdk.registerDynamicSuperProperties { ["CHANNEL": "dynamic"] }
        sdk.track("x")
        let event = try #require(try await fixture.received().first)
        #expect(event["channel"]?.string == "dynamic")
        #expect(event["CHANNEL"] == nil)
        #expect(event["Channel"] == nil)
    }

    @Test
    func `super properties survive a restart and are removed individually or all at once`() async throws {
        let fixture = SensorsFixture([])
        try await fixture.device.launch()
        try fixture.sdk.registerSuperProperties(["a": 1, "b": 2, "c": 3])
        try fixture.device.kill()
        try await fixture.device.launch()
        let sdk = try fixture.sdk
        #expect(Set(sdk.currentSuperProperties().keys) == ["a", "b", "c"])
        sdk.unregisterSuperProperty("a")
        sdk.track("x")
        sdk.clearSuperProperties()
        sdk.track("y")
        let events = try await fixture.received()
        #expect(events.first?["a"] == nil)
        #expect(events.first?["b"] == .integer(2))
        #expect(events.last?["b"] == nil)
        #expect(sdk.currentSuperProperties().isEmpty)
    }

    @Test
    func `the preset properties are readable`() async throws {
        let fixture = try await SensorsFixture.launched()
        let presets = try fixture.sdk.getPresetProperties()
        #expect(presets["$app_version"]?.attributeValue == "3.8.1")
        #expect(presets["$lib"]?.attributeValue == "Simulated")
        #expect(presets["$is_first_day"]?.attributeValue == true)
        #expect(presets["$device_id"] != nil)
        #expect(presets["channel"] == nil)
    }

    // MARK: Timers

    @Test
    func `a timer adds its duration in seconds to its event, and ending it again adds none`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.trackTimerStart("checkout")
        fixture.device.wait(.milliseconds(12_345))
        sdk.trackTimerEnd("checkout", withProperties: ["steps": 3])
        sdk.trackTimerEnd("checkout")
        let events = try await fixture.received()
        #expect(events.map(\.event) == ["checkout", "checkout"])
        #expect(events.map { $0["event_duration"] } == [.double(12.345), nil])
        #expect(events.first?["steps"] == .integer(3))
    }

    @Test
    func `overlapping timers of one name are distinguished by ID, and their events have only the name`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        let first = try #require(sdk.trackTimerStart("load"))
        fixture.device.wait(.seconds(1))
        let second = try #require(sdk.trackTimerStart("load"))
        #expect(first != second)
        fixture.device.wait(.seconds(2))
        sdk.trackTimerEnd(first)
        sdk.trackTimerEnd(second)
        let events = try await fixture.received()
        #expect(events.map(\.event) == ["load", "load"])
        #expect(events.map { $0["event_duration"]?.double } == [3, 2])
    }

    @Test
    func `repeated pauses stop a timer once, and resuming continues it`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.trackTimerStart("read")
        fixture.device.wait(.seconds(1))
        sdk.trackTimerPause("read")
        sdk.trackTimerPause("read")
        fixture.device.wait(.seconds(10))
        sdk.trackTimerResume("read")
        sdk.trackTimerResume("read")
        fixture.device.wait(.seconds(2))
        sdk.trackTimerEnd("read")
        #expect(try await fixture.received().map { $0["event_duration"]?.double } == [3])
    }

    @Test
    func `timers exclude time in the background`() async throws {
        let fixture = try await SensorsFixture.launched()
        try fixture.sdk.trackTimerStart("read")
        fixture.device.wait(.seconds(4))
        try await fixture.device.goHome()
        fixture.device.wait(.seconds(100))
        try await fixture.device.open()
        fixture.device.wait(.seconds(1))
        try fixture.sdk.trackTimerEnd("read")
        #expect(try await fixture.received().map { $0["event_duration"]?.double } == [5])
    }

    @Test
    func `the event of a removed timer has no duration`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.trackTimerStart("a")
        sdk.trackTimerStart("b")
        fixture.device.wait(.seconds(1))
        sdk.removeTimer("a")
        sdk.trackTimerEnd("a")
        sdk.clearTrackTimer()
        sdk.trackTimerEnd("b")
        #expect(try await fixture.received().map { $0["event_duration"] } == [nil, nil])
    }
}
