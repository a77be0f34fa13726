// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayTesting

@testable import CollectorHTTP

struct RateEndpointTests {
    @Test
    func `an address over its rate gets 429 with a retry time; other addresses are served`() async throws {
        try await CollectorUnderTest.run {
            $0.addressRate = .requests(perSecond: 1)
            $0.trustedProxies = [.v4(0x7f00_0001)]
        } _: { collector async throws in
            func ask(_ address: String) async throws -> TestHTTPResponse {
                try await collector.request("GET", "/v1/time", ["x-forwarded-for": address])
            }
            for _ in 0..<10 { #expect(try await ask("192.0.2.1").status == 200) }
            let refused = try await ask("192.0.2.1")
            #expect(
                refused.status == 429 && refused.errorCode == "address_rate" && refused.headers["retry-after"] == "1"
            )
            // Any entries before the proxy's own are forged.
            #expect(try await ask("203.0.113.9, 192.0.2.1").status == 429)
            #expect(try await ask("192.0.2.2").status == 200)
            #expect(try await collector.request("GET", "/v1/time").status == 200)
            collector.clock.advance(by: .seconds(1))
            #expect(try await ask("192.0.2.1").status == 200)
            let metrics = try await collector.request("GET", "/metrics").body
            #expect(metrics.contains("trackway_http_refused_total{code=\"address_rate\"} 2\n"))
        }
    }

    @Test
    func `a key over its quota gets 429 until part of the quota is restored; clients keep their events`() async throws {
        try await CollectorUnderTest.run { collector async throws in
            let key = ["authorization": "Bearer few"]
            let body = Array("{\"name\":\"a\"}\n{\"name\":\"b\"}\n{\"name\":\"c\"}".utf8)
            #expect(try await collector.post(body, key).status == 200)
            let refused = try await collector.post(body, key)
            #expect(
                refused.status == 429 && refused.errorCode == "key_quota" && refused.headers["retry-after"] == "86400"
            )
            #expect(try await collector.post(body).status == 200)
            collector.clock.advance(by: .seconds(86_400))
            #expect(try await collector.post(body, key).status == 200)
        }
    }

    @Test
    func `a client of Sensors Analytics gets 503, after which it retries`() async throws {
        try await CollectorUnderTest.run {
            $0.keyLimits = KeyLimits(requestsPerSecond: 1)
        } _: { collector async throws in
            var last: TestHTTPResponse?
            for _ in 0..<11 { last = try await collector.request("POST", "/sa?project=production", body: []) }
            #expect(last?.status == 503 && last?.errorCode == "key_rate" && last?.headers["retry-after"] == "1")
        }
    }

    @Test
    func `several X-Forwarded-For headers count as one`() {
        let addresses = ClientAddresses(trustedProxies: [.v4(0x0a00_0001)])
        #expect(addresses.client(peer: .v4(0x0a00_0001), forwardedFor: ["192.0.2.1", "192.0.2.2"]) == .v4(0xc000_0202))
        #expect(addresses.client(peer: nil, forwardedFor: ["192.0.2.1"]) == nil)
    }

    @Test(
        arguments: [
            ("192.0.2.1", "203.0.113.9", "192.0.2.1"), ("127.0.0.1", "", nil), ("::1", "", nil),
            ("10.0.0.1", "192.0.2.1", "192.0.2.1"), ("10.0.0.1", "a, 192.0.2.1", "192.0.2.1"),
            ("10.0.0.1", "192.0.2.1, 10.0.0.2", "192.0.2.1"),
            ("10.0.0.1", "198.51.100.1, 192.0.2.1, 10.0.0.2", "192.0.2.1"),
            ("10.0.0.1", "unknown", "10.0.0.1"), ("10.0.0.1", "", "10.0.0.1"), ("10.0.0.1", "127.0.0.1", nil),
            ("10.0.0.1", "192.0.2.1:4711", "192.0.2.1"), ("10.0.0.1", "[2001:db8::1]:80", "2001:db8::1"),
            ("10.0.0.1", "2001:db8::1", "2001:db8::1"), ("10.0.0.1", "10.0.0.2", "10.0.0.2"),
        ] as [(String, String, String?)]
    )
    func `a request is counted for the client address behind trusted proxies`(
        _ peer: String,
        _ forwardedFor: String,
        _ client: String?
    ) {
        let addresses = ClientAddresses(trustedProxies: [.v4(0x0a00_0001), .v4(0x0a00_0002)])
        let found = addresses.client(peer: IPAddress(peer), forwardedFor: forwardedFor.isEmpty ? [] : [forwardedFor])
        #expect(found == client.flatMap { IPAddress($0) })
    }
}
