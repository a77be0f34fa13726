// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore

@testable import CollectorHTTP

@Suite("User endpoints")
struct PeopleEndpointTests {
    private static let installation = InstallationID(high: 7 << 12, low: 1 << 63)

    @Test
    func `users are searched by condition or text, and the response states how far the search went`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request(
                "GET",
                "/v1/users?where=plan=pro&text=a%20b&limit=3&attributes=none&installation=\(Self.installation)"
            )
            #expect(answer.status == 200 && answer.body.hasSuffix(#","searched":7,"of":9,"next":"3.8"}"#))
            let search = try #require(collector.store.latestQuery(UserSearch.self))
            #expect(search.words == ["a b"] && search.conditions.map(\.field) == [.attribute("plan")])
            #expect(search.query.limit == 3 && !search.query.includesAttributes)
            #expect(search.query.installation == Self.installation)
        }
    }

    @Test
    func `a user's details include the ids, the attributes in pages, and the devices`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "/v1/users/a%2Fb%20%E2%98%83?after=tier&limit=7")
            #expect(
                answer.body == """
                    {"id":"carl","unique_id":"U","first_touch":1,"first":2,"last":3,"events":4,"sessions":5,"installations":[],\
                    "attributes":{"tier":{"value":"gold","set":6}},"more_attributes":true,"next":"tier",\
                    "devices":[{"installation":"\(Self.installation)","first":2,"last":3,"events":4,"sessions":1,"app":"shop",\
                    "version":"2.1","model":null,"system":"iOS 18.2"}]}
                    """
            )
            let query = try #require(collector.store.latestQuery(ProfileQuery.self))
            #expect(query.person == .user("a/b ☃") && query.afterAttribute == "tier" && query.attributes == 7)
            _ = try await collector.request("GET", "/v1/visitors/\(Self.installation)")
            #expect(collector.store.latestQuery(ProfileQuery.self)?.person == .visitor(Self.installation))
        }
    }

    @Test
    func `a user's events are listed, with the position of the next page`() async throws {
        try await CollectorUnderTest.run { collector in
            let event = collector.store.add("buy", json: #"{"name":"buy"}"#)
            let path =
                "/v1/users/carl/events?name=buy&name=look&where=total%3E=5&limit=3&after=9.1.16.2&from=1&to=8"
            let answer = try await collector.request("GET", path)
            #expect(
                answer.body == """
                    {"events":[{"visit":true,"position":"1.16.0","id":"\(event.id)","time":1700000000000,"received":1700000000500,\
                    "event":{"name":"buy"}}],"searched":7,"of":9,"next":"5.2.16.0"}
                    """
            )
            let query = try #require(collector.store.latestQuery(TimelineQuery.self))
            #expect(
                query.person == .user("carl") && query.names == ["buy", "look"] && query.limit == 3
            )
            #expect(
                query.after?.description == "9.1.16.2" && query.from?.milliseconds == 1 && query.to?.milliseconds == 8
            )
            _ = try await collector.request("GET", "/v1/visitors/\(Self.installation)/events")
            #expect(collector.store.latestQuery(TimelineQuery.self)?.person == .visitor(Self.installation))
        }
    }

    @Test(arguments: ["/v1/users/nobody", "/v1/users/nobody/events"])
    func `an unknown user gets 404`(_ path: String) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", path)
            #expect(answer.status == 404 && answer.errorCode == "not_found")
            #expect(answer.text("message")?.contains("“nobody”") == true)
        }
    }

    static let mistakes: [(path: String, status: Int, field: String)] = [
        ("/v1/users?limit=0", 400, "limit"), ("/v1/users?wher=plan=pro", 400, "wher"),
        ("/v1/users?where=plan", 400, "where"), ("/v1/users?where=context.app.version=2", 400, "where"),
        ("/v1/users?text=" + String(repeating: "a", count: 129), 400, "text"), ("/v1/users?after=1", 400, "after"),
        ("/v1/users?attributes=all", 400, "attributes"), ("/v1/users?installation=7", 400, "installation"),
        ("/v1/users/carl?name=buy", 400, "name"), ("/v1/users/carl?limit=1001", 400, "limit"),
        ("/v1/users/carl/events?after=1.2", 400, "after"), ("/v1/users/carl/events?with=everything", 400, "with"),
        ("/v1/users/carl/events?user=dora", 400, "user"), ("/v1/users/carl/events?limit=1001", 400, "limit"),
        ("/v1/users/carl/events?from=yesterday", 400, "from"), ("/v1/users/carl/events?where=a", 400, "where"),
        ("/v1/visitors/carl", 400, "installation"), ("/v1/visitors/carl/events", 400, "installation"),
        ("/v1/users/", 404, ""), ("/v1/users/carl/sessions", 404, ""), ("/v1/users//events", 404, ""),
        ("/v1/users/carl/events/1", 404, ""), ("/v1/visitors", 404, ""),
    ]

    @Test(arguments: mistakes)
    func `an invalid request is rejected with the reason`(_ path: String, _ status: Int, _ field: String) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", path)
            #expect(answer.status == status && answer.text("field") ?? "" == field, "\(answer.body)")
        }
    }

    @Test(arguments: ["/v1/users", "/v1/users/carl", "/v1/users/carl/events", "/v1/visitors/\(installation)"])
    func `the user endpoints require a key where reading requires one`(_ path: String) async throws {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector async throws in
            #expect(try await collector.request("GET", path).status == 401)
            #expect(try await collector.request("GET", path, ["authorization": "Bearer write"]).status == 403)
            #expect(try await collector.request("GET", path, ["authorization": "Bearer read"]).status == 200)
            #expect(try await collector.request("POST", path, ["authorization": "Bearer read"]).status == 405)
        }
    }

    @Test
    func `if the index fails, the response is 503, not an unknown user`() async throws {
        try await CollectorUnderTest.run { collector async throws in
            collector.store.fail(StoreError("the file is locked."))
            for path in ["/v1/users?text=a", "/v1/users/carl", "/v1/users/carl/events"] {
                #expect(try await collector.request("GET", path).errorCode == "index_unavailable")
            }
        }
    }
}
