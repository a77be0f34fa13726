// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore

@testable import CollectorHTTP

@Suite("Consent endpoints")
struct ConsentEndpointTests {
    private static let installation = InstallationID(high: 7 << 12, low: 1 << 63)

    @Test
    func `decisions are listed with their circumstances and the position of the next page`() async throws {
        try await CollectorUnderTest.run { collector in
            let event = collector.store.add(
                "_consent",
                json: #"""
                    {"name":"_consent","attributes":{"_consent_decision":"granted","_consent_scope":"person",\#
                    "_consent_category":"marketing","_consent_source":"banner","_consent_version":"v1"}}
                    """#
            )
            let answer = try await collector.request("GET", "/v1/users/a%2Fb/consent?limit=3&after=9.1.16.2")
            #expect(
                answer.body == """
                    {"decisions":[{"time":1700000000000,"received":1700000000500,"decision":"granted","scope":"person",\
                    "category":"marketing","source":"banner","version":"v1","visit":true,"id":"\(event.id)"}],\
                    "searched":7,"of":9,"next":"5.2.16.0"}
                    """
            )
            let query = try #require(collector.store.latestQuery(TimelineQuery.self))
            #expect(query.person == .user("a/b") && query.names == ["_consent"] && query.limit == 3)
            #expect(query.after?.description == "9.1.16.2")
            _ = try await collector.request("GET", "/v1/visitors/\(Self.installation)/consent")
            #expect(collector.store.latestQuery(TimelineQuery.self)?.person == .visitor(Self.installation))
        }
    }

    static let mistakes: [(path: String, status: Int, field: String)] = [
        ("/v1/users/carl/consent?limit=0", 400, "limit"), ("/v1/users/carl/consent?limit=1001", 400, "limit"),
        ("/v1/users/carl/consent?after=1.2", 400, "after"), ("/v1/users/carl/consent?name=buy", 400, "name"),
        ("/v1/visitors/carl/consent", 400, "installation"), ("/v1/users/nobody/consent", 404, ""),
        ("/v1/users//consent", 404, ""), ("/v1/users/carl/consent/1", 404, ""),
    ]

    @Test(arguments: mistakes)
    func `an invalid request is rejected with the reason`(_ path: String, _ status: Int, _ field: String) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", path)
            #expect(answer.status == status && answer.text("field") ?? "" == field, "\(answer.body)")
        }
    }

    @Test(arguments: ["/v1/users/carl/consent", "/v1/visitors/\(installation)/consent"])
    func `consent decisions require a key where reading requires one`(_ path: String) async throws {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector async throws in
            #expect(try await collector.request("GET", path).status == 401)
            #expect(try await collector.request("GET", path, ["authorization": "Bearer write"]).status == 403)
            #expect(try await collector.request("GET", path, ["authorization": "Bearer read"]).status == 200)
            #expect(try await collector.request("POST", path, ["authorization": "Bearer read"]).status == 405)
        }
    }
}
