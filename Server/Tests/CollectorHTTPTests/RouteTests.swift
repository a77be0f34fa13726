// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing

@testable import CollectorHTTP

/// Tests which paths exist, and which methods each supports.
struct RouteTests {
    private static let gets = [
        "/", "/long.txt", "/config/iOS.conf", "/health", "/livez", "/metrics", "/ping", "/readyz", "/readyz/intake",
        "/readyz/questions", "/v1/alerts/a/deliveries", "/v1/boards/b/cards/c", "/v1/catalogue", "/v1/catalogue/a%2Fb",
        "/v1/devices", "/v1/devices/x", "/v1/events/life", "/v1/events/x", "/v1/events/x/life", "/v1/expect",
        "/v1/failed",
        "/v1/failed/groups", "/v1/funnels", "/v1/ledger", "/v1/ledger/summary", "/v1/lifecycle", "/v1/live",
        "/v1/paths",
        "/v1/plan", "/v1/plan/violations", "/v1/rate", "/v1/reports/usage", "/v1/retention", "/v1/screens",
        "/v1/sessions",
        "/v1/shared", "/v1/shared/cards/c", "/v1/stats", "/v1/stickiness", "/v1/time", "/v1/trends", "/v1/users",
        "/v1/erasures", "/v1/erasures/e", "/v1/users/u/erasure", "/v1/users/u/events", "/v1/visitors/v",
        "/v1/visitors/v/events", "/v1/wait",
        "/mobileservices/application/a/settings", "/mobileservices/application//settings",
    ]

    private static let report = "clientusage/v1/runtime/clientusage/application"

    private static let others = [
        "/v1/events": "GET, HEAD, POST", "/v1/alerts": "GET, HEAD, POST", "/v1/alerts/a": "DELETE, GET, HEAD, PUT",
        "/v1/alerts/a/test": "POST", "/v1/alerts/a/rotate": "POST", "/v1/boards": "GET, HEAD, POST",
        "/v1/boards/b": "DELETE, GET, HEAD, PUT", "/v1/boards/b/links": "DELETE, POST",
        "/v1/boards/b/links/l": "DELETE",
        "/v1/failed/replay": "POST", "/v1/reset": "POST", "/v1/installations/x": "DELETE",
        "/v1/users/events": "DELETE, GET, HEAD", "/v1/users/u": "DELETE, GET, HEAD",
        "/v1/erasures/verify": "POST", "/collect": "POST",
        "/debug": "POST", "/v3/accounts/a/mobile_events": "PUT", "/v3/accounts//mobile_events": "PUT",
        "/v3/accounts/a/b/mobile_events": "PUT", "/v3/accounts/mobile_events/mobile_events": "PUT",
        "/v3/accounts/a/mobile_events/mobile_events": "PUT",
        "/mobileservices/application/a/\(report)/b": "POST", "/mobileservices/application//\(report)/": "POST",
        "/mobileservices/application/a/\(report)/b/device/d": "POST",
        "/mobileservices/application/a/\(report)/b/device/": "POST",
    ]

    @Test
    func `an unsupported method gets 405 and the path's methods`() async throws {
        try await CollectorUnderTest.run { collector in
            let paths = Self.gets.map { ($0, "GET, HEAD") } + Self.others.map { ($0.key, $0.value) }
            for (path, allowed) in paths {
                let answer = try await collector.request("PATCH", path + "?limit=1")
                #expect(answer.status == 405 && answer.errorCode == "method_not_allowed", "\(path)")
                #expect(answer.headers["allow"] == allowed, "\(path)")
                #expect(answer.text("message") == "\(path) supports \(allowed), not PATCH.")
            }
            // Clients of this format delete their events after a 405.
            let kept = try await collector.request("PATCH", "/sa")
            #expect(kept.status == 403 && kept.errorCode == "method_not_allowed" && kept.headers["allow"] == "POST")
        }
    }

    @Test(arguments: [
        "//", "/v1", "/v1/", "/V1/events", "/v1/%65vents", "//v1/events", "/v1//events", "/v1/events/",
        "/v1/events//life", "/v1/events/x/life/", "/v1/events/x/y", "/v1/users//", "/v1/visitors/", "/v1/alerts/",
        "/v1/alerts//test", "/v1/alerts/a/test/", "/v1/boards/", "/v1/boards/b/cards", "/v1/boards/b/cards/",
        "/v1/boards/b/links/", "/v1/boards/b/links/l/m", "/v1/shared/cards", "/v1/shared/c", "/v1/catalogue/a/b",
        "/v1/installations", "/v1/installations/", "/v1/installations/x/y", "/v3/accounts/mobile_events",
        "/v3/accounts/a/mobile_events/", "/collect/", "/readyz/", "/livez/x",
        "/mobileservices/application/a/settings/", "/mobileservices/application/a/b/settings",
    ])
    func `empty segments, different case and escaped letters make a different path`(path: String) async throws {
        try await CollectorUnderTest.run { collector in
            for method in ["GET", "POST", "DELETE"] {
                let answer = try await collector.request(method, path)
                #expect(answer.status == 404 && answer.errorCode == "not_found", "\(method)")
                #expect(answer.text("message") == "There is nothing at \(path).")
            }
        }
    }

    @Test
    func `a preflight is answered below /v1 and at paths for sending`() async throws {
        try await CollectorUnderTest.run {
            $0.sendingOrigins = ["https://shop.example"]
        } _: { collector async throws in
            for (path, status) in [
                ("/v1/events", 204), ("/v1/nothing", 204), ("/v1/trends", 204), ("/v1/boards/b", 204),
                ("/collect", 204),
                ("/sa", 204), ("/v3/accounts/a/mobile_events", 204), ("/livez", 405), ("/", 405), ("/nothing", 404),
                ("/mobileservices/application/a/settings", 405),
            ] {
                let headers = ["origin": "https://shop.example", "access-control-request-method": "POST"]
                let answer = try await collector.request("OPTIONS", path, headers)
                #expect(answer.status == status, "\(path)")
            }
        }
    }
}
