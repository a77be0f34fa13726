// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore

@testable import CollectorCore
@testable import CollectorHTTP

@Suite("Device endpoints")
struct DeviceEndpointTests {
    private static let installation = InstallationID(high: 7 << 12, low: 1 << 63)

    private static let device = """
        {"installation":"\(installation)","app":null,"version":null,"user":null,"first_seen":5,"last_seen":9,\
        "model":"iPhone15,2","system":null,"battery_level":0.5,"battery_state":null,"application_state":null,\
        "events":11,"states":6,"property_changes":2}
        """

    @Test
    func `the list shows each device's known properties, and null for unknown ones`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "/v1/devices?limit=50")
            #expect(answer.status == 200)
            #expect(
                answer.body == """
                    {"devices":[\(Self.device)]}
                    """
            )
            let page = try await collector.request("GET", "/v1/devices?limit=1")
            #expect(page.body.hasSuffix(#","next":"9.\#(Self.installation)"}"#))
        }
    }

    @Test
    func `a device's history shows its properties, their changes, and its states`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "/v1/devices/\(Self.installation)?limit=7")
            #expect(answer.status == 200)
            #expect(
                answer.body == """
                    {"installation":"\(Self.installation)","app":null,"user":null,"device":\(Self.device),"properties":{"cpu_count":7},\
                    "history":[{"at":3,"changes":[{"name":"cpu_count","before":null,"after":4}]}],\
                    "states":[{"at":4,"application_state":null,"battery_level":0.5,"battery_state":null,\
                    "device_orientation":null,"proximity_state":null,"network_addresses":null,"screen":"Home",\
                    "location":{"latitude":48.0,"longitude":11.5,"horizontal_accuracy":null},"heading":null,\
                    "readings":{"motion":2,"raw_accelerometer":0,"raw_gyro":0,"raw_magnetometer":0}}]}
                    """
            )
        }
    }

    static let rejectedRequests: [(path: String, status: Int, code: String)] = [
        ("/v1/devices?limit=0", 400, "malformed_query"), ("/v1/devices?limit=201", 400, "malformed_query"),
        ("/v1/devices?after=x", 400, "malformed_query"), ("/v1/devices/nobody", 400, "malformed_query"),
        ("/v1/devices/\(installation)?limit=1001", 400, "malformed_query"), ("/v1/devices/", 404, "not_found"),
        ("/v1/devices/\(InstallationID(high: 7 << 12, low: 1 << 63 | 404))", 404, "not_found"),
        ("/v1/devices/\(installation)/more", 404, "not_found"),
    ]

    @Test(arguments: rejectedRequests)
    func `an invalid request is rejected with the reason`(_ path: String, _ status: Int, _ code: String) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", path)
            #expect(answer.status == status && answer.errorCode == code)
        }
    }

    @Test(arguments: ["/v1/devices", "/v1/devices/\(installation)"])
    func `the device endpoints require a key where reading requires one`(_ path: String) async throws {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector in
            let nobody = try await collector.request("GET", path)
            #expect(nobody.status == 401)
            let writer = try await collector.request("GET", path, ["authorization": "Bearer write"])
            #expect(writer.status == 403)
            let reader = try await collector.request("GET", path, ["authorization": "Bearer read"])
            #expect(reader.status == 200)
        }
    }
}
