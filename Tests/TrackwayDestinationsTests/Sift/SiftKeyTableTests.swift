// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations

@Suite("Types of Sift's keys")
struct SiftKeyTableTests {
    /// The types of values in the format's reference.
    enum Kind: CaseIterable, Sendable {
        case string, integer, number, boolean, strings, time, constant, object, objects

        /// Values of this type, and their encodings.
        ///
        /// Constants, objects and lists of objects have their own suites.
        var samples: [(AttributeValue, JSONValue)] {
            switch self {
            case .string:
                [
                    ("t", .string("t")), ("", .string("")),
                    ("2026-11-21T06:38:00.000Z", .string("2026-11-21T06:38:00.000Z")),
                ]
            case .integer:
                [
                    (7, .integer(7)), (-1, .integer(-1)), (.integer(.max), .integer(.max)), (3.0, .integer(3)),
                    (.integer(.min), .integer(.min)),
                ]
            case .number: [(7, .integer(7)), (0.5, .double(0.5)), (3.0, .integer(3)), (.integer(.max), .integer(.max))]
            case .boolean: [(true, .boolean(true)), (false, .boolean(false))]
            case .strings: [(["a", ""], .array([.string("a"), .string("")]))]
            case .time: [(5, .integer(5)), (.date(Timestamp(milliseconds: 6)), .integer(6))]
            case .constant, .object, .objects: []
            }
        }

        /// Values that the format does not allow for a key of this type.
        var mistypedValues: [AttributeValue] {
            let all: [(AttributeValue, Set<Kind>)] = [
                ("text", [.string, .constant]), (7, [.integer, .number, .time]), (0.5, [.number]),
                (true, [.boolean]), (["a", 1], [.objects]), ([["a": 1]], [.objects]), (["a": 1], [.object]),
                (1e300, [.number]),
            ]
            return all.filter { !$0.1.contains(self) }.map(\.0)
        }
    }

    private static let state: [(String, Kind)] = [
        ("application_state", .constant), ("window_root_view_controller_titles", .strings), ("battery_level", .number),
        ("battery_state", .constant), ("device_orientation", .constant), ("proximity_state", .boolean),
        ("network_addresses", .strings), ("location", .object), ("heading", .object), ("motion", .objects),
        ("raw_accelerometer", .objects), ("raw_gyro", .objects), ("raw_magnetometer", .objects),
    ]

    private static let current: [(String, Kind)] =
        [
            "app_name", "app_version", "app_version_short", "device_name", "device_system_name",
            "device_system_version", "device_ifv", "initial_device_ifv", "mobile_carrier_name",
            "mobile_iso_country_code", "mobile_country_code", "mobile_network_code", "device_hardware_machine",
        ].map { ($0, .string) }
        + [
            "evidence_files_present", "evidence_directories_symlinked", "evidence_directories_writable",
            "evidence_dylds_present", "evidence_url_schemes_openable",
        ].map { ($0, .strings) }

    private static let legacyOnly: [(String, Kind)] =
        [
            "device_model", "device_localized_model", "device_ifa", "device_hardware_model", "device_kernel_uuid",
            "device_kernel_version", "device_kernel_boot_session_uuid", "device_kernel_boot_signature",
            "device_host_name", "device_os_type", "device_os_release", "cpu_byte_order",
        ].map { ($0, .string) }
        + [
            "device_screen_width", "device_screen_height", "device_package_count", "device_memory_size",
            "device_page_size", "device_tb_frequency", "device_host_id", "device_os_revision", "device_posix1_version",
            "device_posix2_version", "cpu_family", "cpu_type", "cpu_subtype", "cpu_count", "cpu_physical_cpu_count",
            "cpu_physical_cpu_max", "cpu_logical_cpu_count", "cpu_logical_cpu_max", "cpu_active_cpu_count",
            "cpu_frequency", "cpu_frequency_min", "cpu_frequency_max", "cache_line_size", "cache_l1_dcache_size",
            "cache_l1_icache_size", "cache_l2_cache_size", "cache_l3_cache_size", "bus_frequency", "bus_frequency_min",
            "bus_frequency_max",
        ].map { ($0, .integer) }
        + ["is_simulator", "cpu_64bit_capable", "cpu_has_fp"].map { ($0, .boolean) }
        + [("evidence_syscalls_succeeded", .strings)]

    private static func properties(
        _ attributes: Attributes,
        _ edition: SiftDestination.Edition = .legacy
    ) throws -> (json: JSONValue, trimmed: [Rejection]) {
        let sent = try SiftSample.sent(SiftSample.event("_device_properties", attributes), edition)
        #expect(sent.json.keys == ["time", "installation_id", "ios_device_properties"])
        return (try #require(sent.json["ios_device_properties"]), sent.trimmed)
    }

    @Test
    func `the legacy edition has the format's former 64 keys and one that was added later`() {
        // sdk_version is the 64th.
        #expect(Self.current.count + Self.legacyOnly.count == 63 + 1)
    }

    @Test(arguments: current, [true])
    func `a device property is sent unchanged by the editions that contain it`(
        _ entry: (key: String, kind: Kind),
        _ isCurrent: Bool
    ) throws {
        try expectSent(entry.key, entry.kind, isCurrent: isCurrent)
    }

    @Test(arguments: legacyOnly)
    func `only the legacy edition sends a legacy device property, and the other does not report it`(
        _ entry: (key: String, kind: Kind)
    ) throws {
        try expectSent(entry.key, entry.kind, isCurrent: false)
    }

    private func expectSent(_ key: String, _ kind: Kind, isCurrent: Bool) throws {
        #expect(!kind.samples.isEmpty)
        for (value, expected) in kind.samples {
            let attributes = SiftSample.only(key, value)
            let legacy = try Self.properties(attributes)
            #expect(legacy.json.keys == ["sdk_version", key])
            #expect(legacy.json[key] == expected)
            #expect(legacy.trimmed.isEmpty)
            let current = try Self.properties(attributes, .current)
            #expect(current.json.keys == ["sdk_version"] + (isCurrent ? [key] : []))
            #expect(current.trimmed.isEmpty)
        }
    }

    @Test(arguments: current + legacyOnly)
    func `a device property of another type is omitted and reported`(_ entry: (key: String, kind: Kind)) throws {
        #expect(entry.kind.mistypedValues.count >= 5)
        for value in entry.kind.mistypedValues {
            let sent = try Self.properties(SiftSample.only(entry.key, value))
            #expect(sent.json.keys == ["sdk_version"], "\(value)")
            #expect(sent.trimmed.map(\.code) == ["value_type"], "\(value)")
            #expect(sent.trimmed.first?.message.hasPrefix("\(entry.key) was left out") == true)
        }
    }

    @Test(arguments: state)
    func `a member of the app state of another type is omitted and reported`(_ entry: (key: String, kind: Kind)) throws
    {
        for value in entry.kind.mistypedValues {
            let sent = try SiftSample.state(SiftSample.only(entry.key, value))
            #expect(sent.json.keys == ["sdk_version"], "\(value)")
            #expect(sent.trimmed.map(\.code) == ["value_type"], "\(value)")
        }
    }

    private static let location: [(String, Kind)] = [
        ("time", .time), ("latitude", .number), ("longitude", .number), ("horizontal_accuracy", .number),
        ("altitude", .number), ("vertical_accuracy", .number), ("floor", .integer), ("speed", .number),
        ("course", .number),
    ]

    @Test(arguments: location)
    func `a member of a location is sent unchanged, or omitted and reported`(_ entry: (key: String, kind: Kind)) throws
    {
        for (value, expected) in entry.kind.samples where expected.double.map({ $0 >= 0 }) ?? true {
            let sent = try SiftSample.state(["location": .object(SiftSample.only(entry.key, value))])
            #expect(sent.json["location"]?[entry.key] == expected)
            #expect(sent.trimmed.isEmpty)
        }
        for value in entry.kind.mistypedValues {
            let sent = try SiftSample.state(["location": .object(SiftSample.only(entry.key, value))])
            #expect(sent.json["location"]?.keys == [], "\(value)")
            #expect(sent.trimmed.map(\.code) == ["value_type"], "\(value)")
            #expect(sent.trimmed.first?.message.hasPrefix("location.\(entry.key) was") == true)
        }
    }

    @Test
    func `an unknown key is omitted and reported, at every depth`() throws {
        let device = try Self.properties(["mood": "good", "app_name": "Shop", "sdk_version": "mine"])
        #expect(device.json.keys == ["sdk_version", "app_name"])
        #expect(device.json["sdk_version"] == .string("v2.1.0"))
        #expect(device.trimmed.map(\.code) == ["key_unknown", "key_unknown"])
        let state = try SiftSample.state(["location": ["street": "Main"], "motion": [["mood": 1]], "app_name": "Shop"])
        #expect(state.trimmed.map(\.code) == ["key_unknown", "key_unknown", "key_unknown"])
        #expect(
            state.trimmed.map { $0.message.prefix { $0 != " " } } == ["location.street", "motion.mood", "app_name"]
        )
    }
}
