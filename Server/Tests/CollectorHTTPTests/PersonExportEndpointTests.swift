// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore

@testable import CollectorHTTP

@Suite("Export of people over HTTP")
struct PersonExportEndpointTests {
    private static let installation = InstallationID(high: 7 << 12, low: 1 << 63)

    @Test(arguments: ["/v1/users/carl/export", "/v1/visitors/\(installation)/export"])
    func `an export is a ZIP archive with a file name`(_ path: String) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("HEAD", path)
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/zip")
            #expect(answer.headers["content-disposition"] == #"attachment; filename="carl.zip""#)
            #expect(answer.headers["cache-control"] == "no-store")
        }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var path: String
        var status: Int
        var code: String
    }

    static let refusals: [Refusal] = [
        Refusal(testDescription: "an unknown user", path: "/v1/users/nobody/export", status: 404, code: "not_found"),
        Refusal(
            testDescription: "an invalid installation",
            path: "/v1/visitors/x/export",
            status: 400,
            code: "malformed_query"
        ),
        Refusal(
            testDescription: "an unknown parameter",
            path: "/v1/users/carl/export?limit=1",
            status: 400,
            code: "malformed_query"
        ),
    ]

    @Test(arguments: refusals)
    func `an export that cannot begin gets an error`(_ refusal: Refusal) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", refusal.path)
            #expect(answer.status == refusal.status && answer.errorCode == refusal.code)
            #expect(answer.headers["content-type"] == "application/json")
        }
    }

    @Test
    func `an export of a lagging index is refused, because it would be incomplete`() async throws {
        try await CollectorUnderTest.run { collector in
            collector.store.lag("The index is 9 seconds behind.")
            for person in ["carl", "nobody"] {
                let answer = try await collector.request("GET", "/v1/users/\(person)/export")
                #expect(answer.status == 503 && answer.errorCode == "index_behind")
            }
        }
    }

    @Test
    func `an inventory has the numbers, the setting for addresses, and the keys without their texts`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "/v1/inventory")
            #expect(
                answer.body == """
                    {"users":2,"visitors":1,"installations":3,"events":9,"rejected":4,"first":5,\
                    "user_attributes":[{"name":"plan","people":2}],"contexts":{"searched":7,"user.id":6,\
                    "user.identities":0,"user.attributes":0,"device.id":0,"device.advertising_id":0,"ip":0},\
                    "client_addresses":"drop","keys":[]}
                    """
            )
            #expect(try await collector.request("GET", "/v1/inventory?x=1").status == 400)
        }
    }
}
