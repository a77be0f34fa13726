// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable internal import CollectorHTTP

@Suite("Connection description")
struct ConnectionEndpointTests {
    private static func description(
        _ headers: [String: String],
        _ change: @escaping (inout CollectorConfiguration) -> Void = { _ in }
    ) async throws -> JSONValue {
        let result = Locked<JSONValue?>(nil)
        try await CollectorUnderTest.run(change) { collector in
            let response = try await collector.request("GET", "/v1/connection", headers)
            #expect(response.status == 200)
            let value = try JSONValue.parse(Array(response.body.utf8))
            result.withLock { $0 = value }
        }
        return try #require(result.withLock { $0 })
    }

    @Test(arguments: [
        (nil, "missing", nil, nil), ("nothing", "unknown", nil, nil), ("write", "known", "shop", ["write"]),
        ("read", "known", "desk", ["read"]), ("both", "known", "operator", ["write", "read"]),
    ])
    func `the response states what the key may do, and addresses only for a known key`(
        _ key: String?,
        _ state: String,
        _ name: String?,
        _ scopes: [String]?
    ) async throws {
        let value = try await Self.description(key.map { ["authorization": "Bearer \($0)"] } ?? [:])
        #expect(value["key"]?["state"]?.string == state)
        #expect(value["key"]?["name"]?.string == name)
        #expect(value["key"]?["scopes"]?.array?.compactMap(\.string) == scopes)
        #expect(value["peer"]?.string == (name == nil ? nil : "127.0.0.1"))
        #expect(value["client"]?.string == (name == nil ? nil : "127.0.0.1"))
    }

    @Test
    func `the response states which proxy headers arrived, and whether the proxy is trusted`() async throws {
        let direct = try await Self.description([:])
        #expect(direct["has_proxy_headers"]?.boolean == false && direct["has_forwarded_for"]?.boolean == false)
        #expect(direct["reads_without_key"]?.boolean == true)
        let headers = ["x-forwarded-for": "203.0.113.9", "authorization": "Bearer read"]
        let unknown = try await Self.description(headers)
        #expect(unknown["has_proxy_headers"]?.boolean == true && unknown["has_forwarded_for"]?.boolean == true)
        #expect(unknown["proxy_is_trusted"]?.boolean == false && unknown["client"]?.string == "127.0.0.1")
        #expect(unknown["reads_without_key"]?.boolean == false)
        let trusted = try await Self.description(headers) { $0.trustedProxies = [.v4(0x7f00_0001)] }
        #expect(trusted["proxy_is_trusted"]?.boolean == true && trusted["client"]?.string == "203.0.113.9")
    }

    @Test
    func `a body is counted for a known key only, and rejected above the limit for bodies`() async throws {
        let limit: (inout CollectorConfiguration) -> Void = {
            ($0.limits.body.wireBytes, $0.limits.sensorsBytes, $0.limits.siftBytes) = (9_000, 90_000, 100_000)
        }
        try await CollectorUnderTest.run(limit) { collector in
            func post(_ count: Int, _ key: String) async throws -> TestHTTPResponse {
                let headers = ["authorization": "Bearer \(key)"]
                let body = [UInt8](repeating: 32, count: count)
                return try await collector.request("POST", "/v1/connection", headers, body: body)
            }
            let counted = try await post(100_000, "read")
            #expect(counted.status == 200 && counted.body == #"{"bytes":100000}"#)
            #expect(try await post(100_001, "read").status == 413)
            #expect(try await post(10, "nothing").status == 401)
            #expect(try await collector.request("GET", "/v1/ledger/summary").status == 200)
        }
    }
}
