// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations
internal import TrackwayTesting

@Suite("Sift wire format")
struct SiftWireTests {
    private let app = SiftApp()

    /// The reference's example of a complete request, without white space.
    static let example = """
        {"data":[{"time":1750000000123,"mobile_event_type":"checkout","path":"/cart/confirm","user_id":"user-42",\
        "installation_id":"9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E","fields":{"cart_size":"3","coupon":""}},\
        {"time":1750000004890,"user_id":"user-42","installation_id":"9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E",\
        "ios_app_state":{"sdk_version":"v2.2.5","window_root_view_controller_titles":["CartViewController"],\
        "battery_level":0.83,"battery_state":"ui_device_battery_state_unplugged",\
        "network_addresses":["192.168.1.23","fe80::1c2a:33ff:fe44:5566"],\
        "location":{"latitude":37.7793,"longitude":-122.4193}}}]}
        """

    /// The reference's example of device properties, with the version first, as we write it.
    static let propertiesExample = """
        {"data":[{"time":1750000010000,"user_id":"user-42","installation_id":"9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E",\
        "ios_device_properties":{"sdk_version":"v2.2.5","app_name":"Shop","app_version":"381",\
        "app_version_short":"3.8.1","device_name":"iPhone","device_system_name":"iOS","device_system_version":"18.1",\
        "device_ifv":"9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E",\
        "initial_device_ifv":"0B5A6F10-1111-4222-8333-444455556666",\
        "mobile_carrier_name":"--","mobile_iso_country_code":"us","mobile_country_code":"310",\
        "mobile_network_code":"260","device_hardware_machine":"iPhone15,2","evidence_files_present":[],\
        "evidence_directories_symlinked":[],"evidence_directories_writable":[],"evidence_dylds_present":[],\
        "evidence_url_schemes_openable":[]}}]}
        """

    /// The reference's example of an older client's app state.
    ///
    /// Whole numbers are written without a decimal point here.
    static let stateExample = """
        {"data":[{"time":1625000000000,"installation_id":"9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E","ios_app_state":{\
        "sdk_version":"v2.1.0","application_state":"ui_application_state_active",\
        "device_orientation":"ui_device_orientation_face_up","proximity_state":false,"network_addresses":["10.0.0.7"],\
        "location":{"time":1624999999000,"latitude":48.1,"longitude":11.6,"horizontal_accuracy":65,"altitude":519.2,\
        "vertical_accuracy":10,"floor":2,"speed":1.3,"course":271.4},\
        "heading":{"time":1625000003800,"magnetic_heading":268.1,"accuracy":12,"true_heading":271.2,\
        "raw_magnetic_field_x":-12.1,"raw_magnetic_field_y":3.4,"raw_magnetic_field_z":-41},\
        "motion":[{"time":1625000000512,"attitude_roll":0.02,"attitude_pitch":0.01,"attitude_yaw":-1.57,\
        "rotation_rate_x":0.001,"rotation_rate_y":-0.002,"rotation_rate_z":0,"gravity_x":0,"gravity_y":-0.01,\
        "gravity_z":-0.99,"user_acceleration_x":0.003,"user_acceleration_y":0.001,"user_acceleration_z":-0.002,\
        "magnetic_field_x":-12.3,"magnetic_field_y":3.1,"magnetic_field_z":-40.8,\
        "magnetic_field_calibration_accuracy":"cm_magnetic_field_calibration_accuracy_high"}]}}]}
        """

    private static var exampleEvents: [SiftEvent] {
        let checkout = SiftEvent(type: "checkout", path: "/cart/confirm", fields: ["coupon": "", "cart_size": "3"])
        checkout.time = 1_750_000_000_123
        var snapshot = AppStateSnapshot()
        snapshot.screenTitles = ["CartViewController"]
        snapshot.batteryLevel = 0.83
        snapshot.batteryState = .unplugged
        snapshot.networkAddresses = ["192.168.1.23", "fe80::1c2a:33ff:fe44:5566"]
        snapshot.location = Location(
            time: Timestamp(milliseconds: 1_750_000_000_000),
            latitude: 37.7793,
            longitude: -122.4193,
            horizontalAccuracy: 5
        )
        let state = SiftEvent(type: nil)
        state.time = 1_750_000_004_890
        state.iosAppState = snapshot.attributes
        for event in [checkout, state] {
            event.userId = "user-42"
            event.installationId = "9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E"
        }
        return [checkout, state]
    }

    @Test
    func `listRequest writes the example request byte for byte`() {
        let data = SiftEvent.listRequest(Self.exampleEvents, edition: .current)
        #expect(String(decoding: data, as: UTF8.self) == Self.example)
    }

    @Test
    func `device properties and an app state with all sensors match the other two examples`() {
        let installation = "9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E"
        let properties = SiftEvent(type: nil)
        properties.time = 1_750_000_010_000
        properties.userId = "user-42"
        properties.installationId = installation
        properties.iosDeviceProperties = [
            "app_name": "Shop", "app_version": "381", "app_version_short": "3.8.1", "device_name": "iPhone",
            "device_system_name": "iOS", "device_system_version": "18.1", "device_ifv": .string(installation),
            "initial_device_ifv": "0B5A6F10-1111-4222-8333-444455556666", "mobile_carrier_name": "--",
            "mobile_iso_country_code": "us", "mobile_country_code": "310", "mobile_network_code": "260",
            "device_hardware_machine": "iPhone15,2", "evidence_files_present": .array([]),
            "evidence_directories_symlinked": .array([]), "evidence_directories_writable": .array([]),
            "evidence_dylds_present": .array([]),
            "evidence_url_schemes_openable": .array([]),
        ]
        let list = SiftEvent.listRequest([properties], edition: .current)
        #expect(String(decoding: list, as: UTF8.self) == Self.propertiesExample)
        let state = SiftEvent(type: nil)
        state.time = 1_625_000_000_000
        state.installationId = installation
        state.iosAppState = [
            "application_state": "active", "device_orientation": "face_up", "proximity_state": false,
            "network_addresses": ["10.0.0.7"],
            "location": .object([
                "time": 1_624_999_999_000, "latitude": 48.1, "longitude": 11.6, "horizontal_accuracy": 65,
                "altitude": 519.2, "vertical_accuracy": 10, "floor": 2, "speed": 1.3, "course": 271.4,
            ]),
            "heading": .object([
                "time": 1_625_000_003_800, "magnetic_heading": 268.1, "accuracy": 12, "true_heading": 271.2,
                "raw_magnetic_field_x": -12.1, "raw_magnetic_field_y": 3.4, "raw_magnetic_field_z": -41.0,
            ]),
            "motion": .array([
                [
                    "time": 1_625_000_000_512, "attitude_roll": 0.02, "attitude_pitch": 0.01, "attitude_yaw": -1.57,
                    "rotation_rate_x": 0.001, "rotation_rate_y": -0.002, "rotation_rate_z": 0, "gravity_x": 0,
                    "gravity_y": -0.01, "gravity_z": -0.99, "user_acceleration_x": 0.003,
                    "user_acceleration_y": 0.001, "user_acceleration_z": -0.002, "magnetic_field_x": -12.3,
                    "magnetic_field_y": 3.1, "magnetic_field_z": -40.8,
                    "magnetic_field_calibration_accuracy": "high",
                ]
            ]),
        ]
        #expect(String(decoding: SiftEvent.listRequest([state]), as: UTF8.self) == Self.stateExample)
    }

    @Test
    func `the same events, appended and uploaded, reach the back end byte for byte as in the example`() async throws {
        let app = SiftApp(collects: true)
        let sift = try await app.launchWithAccount()
        sift.edition = .current
        sift.addEventQueue("orders", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        for event in Self.exampleEvents { #expect(sift.append(event, toQueue: "orders")) }
        #expect(sift.upload(true))
        await sift.deliverAll()
        let index = try #require(try app.bodies.firstIndex(of: Self.example))
        let request = app.network.requests[index]
        #expect(request.method == "PUT")
        #expect(request.url == "https://api3.siftscience.com/v3/accounts/acct_1/mobile_events")
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.headers["Content-Encoding"] == "gzip")
        #expect(request.headers["Authorization"] == "Basic YmVhY29uMTIz")
    }

    @Test
    func `empty lists, texts and objects are written, and invalid events are left out`() {
        #expect(String(decoding: SiftEvent.listRequest([]), as: UTF8.self) == #"{"data":[]}"#)
        let empty = SiftEvent(type: "", path: "", fields: [:])
        empty.time = 1
        empty.userId = ""
        empty.metrics = [:]
        let bad = SiftEvent(type: "bad", path: nil, fields: ["a": 1])
        let list = SiftEvent.listRequest([bad, empty, bad])
        #expect(String(decoding: list, as: UTF8.self) == #"{"data":[{"time":1,"fields":{},"metrics":{}}]}"#)
    }

    @Test
    func `device properties and metrics are sent next to the fields`() {
        let event = SiftEvent(type: "t", path: nil, fields: nil)
        event.time = 1
        event.deviceProperties = ["b": "2", "a": "1"]
        event.metrics = ["m": "3"]
        #expect(
            String(decoding: SiftEvent.listRequest([event]), as: UTF8.self)
                == #"{"data":[{"time":1,"mobile_event_type":"t","device_properties":{"a":"1","b":"2"},"metrics":{"m":"3"}}]}"#
        )
    }

    static let strangeTypes = [
        "$create_order", "_app_state", "_device_properties", "_event", "_session_start", "a b", "line\nbreak", "\u{0}",
        "订单", "👩‍👩‍👧", String(repeating: "long", count: 5_000), "2026-11-21T06:38:00.000Z",
    ]

    @Test(arguments: strangeTypes)
    func `every type is sent and read back unchanged, even one with a meaning in the SDK`(type: String) async throws {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("orders", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        let event = SiftEvent(type: type, path: "/p", fields: ["a": "b"])
        #expect(sift.append(event, toQueue: "orders"))
        let waiting = try #require(sift.eventQueue("orders")?.queue.first)
        #expect(waiting.isEssentiallyEqual(to: event))
        #expect(waiting.time == event.time)
        #expect(sift.upload(true))
        await sift.deliverAll()
        let received = try #require(try app.received.first)
        #expect(received["mobile_event_type"]?.string == type)
        #expect(received["ios_app_state"] == nil)
        #expect(received["ios_device_properties"] == nil)
        #expect(received["fields"] == .object(.init([.init(key: "a", value: .string("b"))])))
    }

    @Test(arguments: ["", "\u{0}", "Käse", "2026-11-21T06:38:00.000Z", "\"\\"])
    func `every text is sent unchanged, under every name`(text: String) async throws {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("orders", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        let name = text.isEmpty ? "empty" : text
        #expect(sift.append(SiftEvent(type: "t", path: text, fields: [name: text]), toQueue: "orders"))
        let waiting = try #require(sift.eventQueue("orders")?.queue.first)
        #expect(waiting.fields == [name: text])
        #expect(waiting.path == (text.isEmpty ? nil : text))
        #expect(sift.upload(true))
        await sift.deliverAll()
        let received = try #require(try app.received.first)
        #expect(received["fields"]?[name]?.string == text)
        #expect(received["path"]?.string == (text.isEmpty ? nil : text))
    }

    @Test
    func `an event without a type or path is sent without them, regardless of the current screen`() async throws {
        let sift = try await app.launchWithAccount()
        sift.analytics?.screen("Home")
        #expect(sift.append(SiftEvent(type: nil)))
        await sift.deliverAll()
        // The screen view is also an event.
        let others = try app.received.filter { $0["mobile_event_type"] == nil }
        let received = try #require(others.first)
        #expect(received.object?.members.map(\.key) == ["time", "installation_id"])
    }

    // MARK: Limits

    @Test
    func `an event over the size limits is rejected and reported, and one just within them is accepted`() async throws {
        let sift = try await app.launchWithAccount()
        sift.addEventQueue("orders", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        let manyFields = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ("k\($0)", "v") })
        let large = String(repeating: "x", count: 190 * 1_024)
        for fields: [AnyHashable: Any] in [manyFields, ["text": large], [String(repeating: "k", count: 4_096): "v"]] {
            #expect(sift.append(SiftEvent(type: "t", path: nil, fields: fields), toQueue: "orders"))
        }
        #expect(app.diagnostics.isEmpty)
        let lateEvent = SiftEvent(type: "t")
        lateEvent.time = .max
        var more = manyFields
        more["one more"] = "v"
        let bad: [(SiftEvent, String)] = [
            (SiftEvent(type: "t", path: nil, fields: more), "fields"),
            (SiftEvent(type: "t", path: nil, fields: ["": "v"]), "fields"),
            (SiftEvent(type: "t", path: nil, fields: [String(repeating: "k", count: 4_097): "v"]), "fields"),
            (SiftEvent(type: "t", path: large + large, fields: nil), "event"),
            (lateEvent, "time"),
        ]
        for (event, field) in bad {
            #expect(!sift.append(event, toQueue: "orders"))
            #expect(app.diagnostics.last?.field == field)
        }
        await sift.deliverAll()
        let received = try app.received
        #expect(received.count == 3)
        #expect(received.first?["fields"]?.object?.members.count == 10_000)
        #expect(received.dropFirst().first?["fields"]?["text"]?.string == large)
    }

    @Test(arguments: [0, 1, 1_750_000_000_123, UInt64(Int64.max)])
    func `any time in the format's range is sent unchanged`(time: UInt64) async throws {
        let sift = try await app.launchWithAccount()
        let event = SiftEvent(type: "t")
        event.time = time
        #expect(sift.append(event))
        await sift.deliverAll()
        #expect(try app.received.first?["time"]?.integer == Int64(time))
    }
}
