// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable import CollectorCore

@Suite("Bodies in the Sift format")
struct SiftIntakeTests {
    private static func list(_ events: String...) -> [UInt8] {
        Array("{\"data\":[\(events.joined(separator: ","))]}".utf8)
    }

    private static func admitted(_ events: String..., account: String = "acct_1") throws -> [StoredVendorEvent] {
        let body = Array("{\"data\":[\(events.joined(separator: ","))]}".utf8)
        return try VendorEnvironment.visit(VendorEnvironment.sift(body, account: account))
    }

    @Test
    func `a typed event has its fields and its path as attributes, and its user in the context`() throws {
        let batch = try VendorEnvironment.sift(Array(SiftSamples.list.utf8))
        #expect(batch.accepted == 2 && batch.rejected.isEmpty && batch.records.count == 1)
        let event = try #require(try VendorEnvironment.visit(batch).first)
        #expect(event.name == "checkout" && event.json["time"] == .integer(1_750_000_000_123))
        #expect(
            event.attributes
                == (try JSONValue.parse(Array(#"{"_path":"/cart/confirm","cart_size":"3","coupon":""}"#.utf8)))
        )
        #expect(event.installation == InstallationID(SiftSamples.installation))
        let context = RecordedContext(try #require(event.context))
        #expect(
            context.user.id == "user-42" && context.app["id"]?.string == "acct_1" && context.app["sdk_version"] == nil
        )
    }

    @Test
    func `an app state becomes our own SDK's snapshot, and enumeration values lose their type's name`() throws {
        let short = try #require(try VendorEnvironment.visit(VendorEnvironment.sift(Array(SiftSamples.list.utf8))).last)
        #expect(short.name == CapturedName.appState)
        #expect(
            short.attributes?.object?.members.map(\.key) == [
                "window_root_view_controller_titles", "battery_level", "battery_state", "network_addresses", "location",
            ]
        )
        #expect(
            short.attributes?["battery_state"]?.string == "unplugged"
                && short.attributes?["battery_level"] == .double(0.83)
        )
        let app = RecordedContext(try #require(short.context)).app
        #expect(app["sdk_name"]?.string == "sift-ios" && app["sdk_version"]?.string == "v2.2.5")
        let full = try #require(
            try VendorEnvironment.visit(VendorEnvironment.sift(Array(SiftSamples.fullAppState.utf8))).first
        )
        let attributes = try #require(full.attributes)
        #expect(
            attributes["application_state"]?.string == "active" && attributes["device_orientation"]?.string == "face_up"
        )
        #expect(attributes["proximity_state"] == .boolean(false) && attributes["location"]?["floor"] == .integer(2))
        #expect(attributes["heading"]?["true_heading"] == .double(271.2))
        let motion = try #require(attributes["motion"]?.array?.first)
        #expect(
            motion["magnetic_field_calibration_accuracy"]?.string == "high" && motion["gravity_z"] == .double(-0.99)
        )
        #expect(attributes["_omitted"] == nil && attributes["sdk_version"] == nil)
    }

    @Test
    func `our own SDK's snapshot has the same values as one received in this format`() throws {
        var snapshot = AppStateSnapshot()
        snapshot.applicationState = .active
        snapshot.orientation = .faceUp
        snapshot.isNear = false
        snapshot.networkAddresses = ["10.0.0.7"]
        let full = try #require(
            try VendorEnvironment.visit(VendorEnvironment.sift(Array(SiftSamples.fullAppState.utf8))).first
        )
        for (key, value) in snapshot.attributes { #expect(full.attributes?[key] == value.json, "\(key)") }
    }

    @Test
    func `device properties keep their names and types; the client's version is in the context`() throws {
        let event = try #require(
            try VendorEnvironment.visit(VendorEnvironment.sift(Array(SiftSamples.deviceProperties.utf8))).first
        )
        #expect(event.name == CapturedName.deviceProperties && event.attributes?.object?.members.count == 18)
        #expect(event.attributes?["device_hardware_machine"]?.string == "iPhone15,2")
        #expect(event.attributes?["evidence_files_present"] == .array([]))
        #expect(event.attributes?["sdk_version"] == nil)
        #expect(RecordedContext(try #require(event.context)).app["sdk_version"]?.string == "v2.2.5")
    }

    static let liberties: [(event: String, name: String, attributes: String?)] = [
        (#"{"time":1}"#, "_event", nil),
        (#"{"time":1,"mobile_event_type":"","path":"","user_id":"","installation_id":"","fields":{}}"#, "_event", nil),
        (#"{"time":1,"mobile_event_type":null,"fields":{"a":null,"b":"x"}}"#, "_event", #"{"b":"x"}"#),
        (#"{"time":1.0,"mobile_event_type":"buy","metrics":{"ms":"12"}}"#, "buy", #"{"_metrics":{"ms":"12"}}"#),
        (#"{"time":1,"device_properties":{"os":"x"}}"#, "_event", #"{"_device_properties":{"os":"x"}}"#),
        (#"{"time":1,"fields":{"a":"1","a":"2"}}"#, "_event", #"{"a":"2"}"#),
        (
            #"{"time":1,"path":"/p","fields":{"_path":"mine","x":"y"}}"#, "_event",
            #"{"_path":"/p","x":"y","_fields":{"_path":"mine"}}"#
        ),
        (#"{"time":1,"new_key":{"deep":[1]}}"#, "_event", #"{"_other":{"new_key":{"deep":[1]}}}"#),
        (
            #"{"time":1,"ios_app_state":{"battery_level":-1.0,"battery_state":"new_words","later":[{"a":1}]}}"#,
            "_app_state", #"{"battery_state":"new_words","later":[{"a":1}]}"#
        ),
        (#"{"time":1,"ios_app_state":{"location":{}}}"#, "_app_state", #"{"location":{}}"#),
        (
            #"{"time":1,"ios_app_state":{"battery_level":"NaN","location":{"latitude":"-Infinity","longitude":2}}}"#,
            "_app_state", #"{"location":{"longitude":2},"_omitted":["battery_level","location.latitude"]}"#
        ),
        (
            #"{"time":1,"ios_app_state":{"motion":[{"time":5,"gravity_x":"+inf","gravity_y":null}]}}"#,
            "_app_state", #"{"motion":[{"time":5}],"_omitted":["motion[0].gravity_x"]}"#
        ),
        (
            #"{"time":1,"mobile_event_type":"t","path":"/p","fields":{"a":"b"},"ios_device_properties":{"app_name":"A"}}"#,
            "_device_properties", #"{"app_name":"A","_path":"/p","_event_type":"t","_fields":{"a":"b"}}"#
        ),
        (
            #"{"time":1,"ios_device_properties":{"app_name":"NaN","cpu_count":6,"is_simulator":true}}"#,
            "_device_properties", #"{"app_name":"NaN","cpu_count":6,"is_simulator":true}"#
        ),
    ]

    @Test(arguments: liberties)
    func `every variation that the format allows is accepted without loss`(
        _ event: String,
        _ name: String,
        _ attributes: String?
    ) throws {
        let kept = try #require(try Self.admitted(event).first)
        #expect(kept.fault == nil && kept.name == name)
        #expect(kept.attributes == (try attributes.map { try JSONValue.parse(Array($0.utf8)) }))
    }

    static let faults: [(event: String, code: String, field: String)] = [
        ("7", "field_invalid", ""),
        (#"{"time":"soon"}"#, "field_invalid", "time"),
        (#"{"time":-1}"#, "field_invalid", "time"),
        (#"{"time":1.5}"#, "field_invalid", "time"),
        (#"{"time":1e300}"#, "field_invalid", "time"),
        (#"{"time":1,"mobile_event_type":7}"#, "field_invalid", "mobile_event_type"),
        (#"{"time":1,"path":[]}"#, "field_invalid", "path"),
        (#"{"time":1,"user_id":42}"#, "field_invalid", "user_id"),
        (#"{"time":1,"installation_id":{}}"#, "field_invalid", "installation_id"),
        (#"{"time":1,"fields":["a"]}"#, "field_invalid", "fields"),
        (#"{"time":1,"fields":{"cart_size":3}}"#, "field_invalid", "fields.cart_size"),
        (#"{"time":1,"metrics":{"a":true}}"#, "field_invalid", "metrics.a"),
        (#"{"time":1,"device_properties":{"a":{}}}"#, "field_invalid", "device_properties.a"),
        (#"{"time":1,"ios_app_state":[]}"#, "field_invalid", "ios_app_state"),
        (#"{"time":1,"ios_app_state":{"battery_level":"full"}}"#, "field_invalid", "ios_app_state.battery_level"),
        (#"{"time":1,"ios_app_state":{"proximity_state":1}}"#, "field_invalid", "ios_app_state.proximity_state"),
        (
            #"{"time":1,"ios_app_state":{"network_addresses":["::1",7]}}"#, "field_invalid",
            "ios_app_state.network_addresses[1]"
        ),
        (
            #"{"time":1,"ios_app_state":{"motion":[{},{"gravity_x":true}]}}"#, "field_invalid",
            "ios_app_state.motion[1].gravity_x"
        ),
        (#"{"time":1,"ios_device_properties":{"app_name":{}}}"#, "field_invalid", "ios_device_properties.app_name"),
        (#"{"time":1,"ios_device_properties":{"a":["x",1]}}"#, "field_invalid", "ios_device_properties.a"),
        (#"{"time":1,"ios_app_state":{},"ios_device_properties":{}}"#, "field_conflict", "ios_device_properties"),
        (#"{"time":1,"fields":{"":"x"}}"#, "key_empty", "attributes"),
    ]

    @Test(arguments: faults)
    func `a faulty event is rejected without affecting the others, and the reason names the field`(
        _ event: String,
        _ code: String,
        _ field: String
    ) throws {
        let good = #"{"time":2,"mobile_event_type":"good"}"#
        let batch = try VendorEnvironment.sift(Self.list(good, event, good.replacing("2", with: "3")))
        #expect(batch.accepted == 2 && batch.rejected.map(\.index) == [1])
        #expect(batch.rejected.first?.code == code && batch.rejected.first?.field == field)
        let kept = try #require(try VendorEnvironment.visit(batch).first { $0.fault != nil })
        #expect(kept.json["sift"] == (try JSONValue.parse(Array(event.utf8))))
    }

    static let unreadable: [(body: String, code: String, field: String)] = [
        ("", "empty_batch", ""), (" \n", "empty_batch", ""), ("hello", "malformed_json", ""),
        ("[]", "field_invalid", ""), ("{}", "field_missing", "data"), (#"{"data":{}}"#, "field_invalid", "data"),
        (#"{"data":[{"time":1}]"#, "malformed_json", ""), (#"{"data":[{"time":NaN]}"#, "malformed_json", ""),
        (#"{"data":[{"time":1},]}"#, "malformed_json", ""), (#"{"data":[]} x"#, "malformed_json", ""),
    ]

    @Test(arguments: unreadable)
    func `an unreadable body is rejected as a whole, with the reason`(_ body: String, _ code: String, _ field: String) {
        let error = #expect(throws: AdmissionError.self) { try VendorEnvironment.sift(Array(body.utf8)) }
        #expect(error?.kind == .malformed && error?.code == code && error?.field == field)
        #expect(error?.message.hasSuffix(".") == true)
    }

    @Test
    func `an empty list is accepted, and unknown members are ignored`() throws {
        for body in [#"{"data":[]}"#, #"{"version":[1,{"a":2}],"data":[],"more":null}"#] {
            let batch = try VendorEnvironment.sift(Array(body.utf8))
            #expect(batch.count == 0 && batch.records.isEmpty)
        }
    }

    @Test
    func `compression is detected from the bytes`() throws {
        let plain = Array(SiftSamples.list.utf8)
        let packed = try VendorEnvironment.visit(VendorEnvironment.sift(GzipCompressor().compress(plain)))
        #expect(try packed == VendorEnvironment.visit(VendorEnvironment.sift(plain)))
        let cut = Array(GzipCompressor().compress(plain).dropLast(4))
        #expect(throws: AdmissionError.self) { try VendorEnvironment.sift(cut) }
    }

    @Test
    func `the same event has the same id regardless of member order, and a different one in another account`()
        throws
    {
        let event = #"{"time":9,"mobile_event_type":"a","fields":{"x":"1","y":"2"}}"#
        let turned = #"{"fields":{"y":"2","x":"1"},"mobile_event_type":"a","user_id":null,"time":9}"#
        let id = try #require(try Self.admitted(event).first?.id)
        #expect(id.hasPrefix("00000000-0009-"), "ids are ordered by their times")
        #expect(try Self.admitted(#"{"time":1}"#, turned).last?.id == id)
        #expect(try Self.admitted(event, account: "acct_2").first?.id != id)
        let twice = try Self.admitted(event, event).compactMap(\.id)
        #expect(twice.first == id && Set(twice).count == 2)
        #expect(try Self.admitted(event, event).compactMap(\.id) == twice)
    }

    @Test
    func `an event without a time gets the time of receipt, and is a duplicate only in the same body`() throws {
        let body = Self.list(#"{"mobile_event_type":"a"}"#)
        let first = try #require(try VendorEnvironment.visit(VendorEnvironment.sift(body)).first)
        #expect(first.json["time"] == .integer(VendorEnvironment.received.milliseconds))
        let later = Timestamp(milliseconds: VendorEnvironment.received.milliseconds + 60_000)
        let again = try #require(try VendorEnvironment.visit(VendorEnvironment.sift(body, received: later)).first)
        #expect(again.id == first.id && again.json["time"] == .integer(later.milliseconds))
        let other = Self.list(#"{"mobile_event_type":"a"}"#, #"{"time":1}"#)
        #expect(try VendorEnvironment.visit(VendorEnvironment.sift(other)).first?.id != first.id)
    }

    @Test
    func `an installation's id is its UUID, a hash of any other id, or nil without one`() throws {
        let uuid = SiftSamples.installation
        func installation(_ text: String) throws -> InstallationID? {
            try Self.admitted(#"{"time":1,"installation_id":"\#(text)"}"#).first?.installation
        }
        #expect(try installation(uuid) == InstallationID(uuid))
        #expect(try installation(uuid.lowercased()) == InstallationID(uuid))
        let android = try #require(try installation("a1b2c3d4e5f60718"))
        #expect(try installation("a1b2c3d4e5f60718") == android)
        #expect(try installation("a1b2c3d4e5f60719") != android)
        #expect(try Self.admitted(#"{"time":1}"#).first?.installation == nil)
    }

    @Test
    func `a long list becomes several records, and every event is in one of them`() throws {
        let events = (0..<2_500).map { #"{"time":\#($0),"mobile_event_type":"n"}"# }
        let batch = try VendorEnvironment.sift(Array("{\"data\":[\(events.joined(separator: ","))]}".utf8))
        #expect(batch.accepted == 2_500 && batch.records.count == 3)
        #expect(Set(try VendorEnvironment.visit(batch).compactMap(\.id)).count == 2_500)
    }
}
