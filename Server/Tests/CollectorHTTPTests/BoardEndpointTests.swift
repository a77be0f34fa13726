// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorCore
@testable import CollectorHTTP

@Suite("Boards over HTTP")
struct BoardEndpointTests {
    private static let both = ["authorization": "Bearer both"]
    private static let board = Array(
        """
        {"title":"Shop","cards":[{"title":"Sales","kind":"trends","query":"name=purchase&last=7d"},\
        {"title":"Way","kind":"funnels","query":"step=a&step=b&last=7d"},{"title":"Refused","kind":"failed"}]}
        """.utf8
    )

    /// Creates a board and a link to it.
    ///
    /// - Returns: The board's id and the link's secret.
    private static func make(_ collector: CollectorUnderTest) async throws -> (id: String, token: String) {
        let made = try await collector.request("POST", "/v1/boards", body: board)
        #expect(made.status == 201 && made.headers["etag"] == "\"1\"")
        let id = try #require(made.text("id"))
        let link = try await collector.request("POST", "/v1/boards/\(id)/links?expires_in=1h", both)
        #expect(link.status == 201)
        return (id, try #require(link.text("token")))
    }

    @Test
    func `a board is created, listed, read, changed and deleted`() async throws {
        try await CollectorUnderTest.run { collector in
            let id = try await Self.make(collector).id
            #expect(try await collector.request("GET", "/v1/boards").body.contains(#""id":"\#(id)","title":"Shop""#))
            let read = try await collector.request("GET", "/v1/boards/\(id)")
            #expect(read.body.contains(#""query":"name=purchase&last=7d""#) && !read.body.contains("twl_"))
            let change = Array(#"{"title":"Other","cards":[],"version":1}"#.utf8)
            #expect(try await collector.request("PUT", "/v1/boards/\(id)", body: change).status == 200)
            let late = try await collector.request("PUT", "/v1/boards/\(id)", body: change)
            #expect(late.status == 409 && late.errorCode == "board_changed")
            let matched = try await collector.request("PUT", "/v1/boards/\(id)", ["if-match": "\"2\""], body: change)
            #expect(matched.status == 200 && matched.headers["etag"] == "\"3\"")
            let untold = Array(#"{"title":"Other"}"#.utf8)
            #expect(try await collector.request("PUT", "/v1/boards/\(id)", body: untold).status == 422)
            #expect(try await collector.request("DELETE", "/v1/boards/\(id)").status == 422)
            #expect(try await collector.request("DELETE", "/v1/boards/\(id)?version=3").status == 200)
            #expect(try await collector.request("GET", "/v1/boards/\(id)").status == 404)
            #expect(try await collector.request("PATCH", "/v1/boards").headers["allow"] == "GET, HEAD, POST")
        }
    }

    @Test
    func `a card returns the response of its query's endpoint, for another period if requested`() async throws {
        try await CollectorUnderTest.run { collector in
            let id = try await Self.make(collector).id
            let card = try await collector.request("GET", "/v1/boards/\(id)/cards/c1")
            let own = try await collector.request("GET", "/v1/trends?name=purchase&last=7d")
            #expect(card.status == 200 && card.body == own.body)
            let other = try await collector.request("GET", "/v1/boards/\(id)/cards/c1?last=24h&interval=hour")
            #expect(
                other.body
                    == (try await collector.request("GET", "/v1/trends?name=purchase&last=24h&interval=hour")).body
            )
            let foreign = try await collector.request("GET", "/v1/boards/\(id)/cards/c1?name=other")
            #expect(foreign.status == 400 && foreign.text("field") == "name")
            #expect(try await collector.request("GET", "/v1/boards/\(id)/cards/c9").status == 404)
            collector.store.fail(.overBudget("last", "it reads too much: choose a shorter time range"))
            #expect(try await collector.request("GET", "/v1/boards/\(id)/cards/c1").errorCode == "question_too_large")
        }
    }

    @Test(arguments: [
        ("trends", "interval=decade", "interval"), ("trends", "nme=a", "nme"), ("funnels", "last=7d", "step"),
        ("funnels", "step=a&people=1", "people"), ("retention", "cohort=x", "cohort"),
        ("paths", "steps=1", "steps"),
        ("lifecycle", "last=7", "last"), ("stickiness", "where=x", "where"), ("catalogue", "limit=0", "limit"),
        ("failed", "top=0", "top"), ("ledger", "a=b", "a"), ("live", "minutes=0", "minutes"),
        ("live", "last=7d", "last"),
    ])
    func `an invalid query is rejected on save with an error that names the card, the field and the value`(
        _ kind: String,
        _ query: String,
        _ field: String
    ) async throws {
        try await CollectorUnderTest.run { collector in
            let cards = #"{"title":"Fine","kind":"live"},{"title":"Wrong","kind":"\#(kind)","query":"\#(query)"}"#
            let answer = try await collector.request(
                "POST",
                "/v1/boards",
                body: Array(#"{"title":"a","cards":[\#(cards)]}"#.utf8)
            )
            #expect(answer.status == 422 && answer.errorCode == "malformed_board")
            #expect(answer.text("field") == "cards[1].query.\(field)")
            #expect(answer.text("message")?.hasPrefix("Card 2, “Wrong” (\(kind)): ") == true)
            #expect(try await collector.request("GET", "/v1/boards").body.hasSuffix(#""boards":[]}"#))
        }
    }

    @Test
    func `a link gives access only to its board and the results of the board's cards`() async throws {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector async throws in
            let made = try await collector.request("POST", "/v1/boards", Self.both, body: Self.board)
            let id = try #require(made.text("id"))
            let link = try await collector.request("POST", "/v1/boards/\(id)/links", Self.both)
            let token = ["authorization": "Bearer \(try #require(link.text("token")))"]
            let board = try await collector.request("GET", "/v1/shared", token)
            #expect(board.status == 200 && board.body.contains(#""title":"Shop""#) && !board.body.contains(id))
            #expect(try await collector.request("GET", "/v1/shared/cards/c1", token).status == 200)
            let refused = try await collector.request("GET", "/v1/shared/cards/c3", token)
            #expect(
                refused.status == 200 && !refused.body.contains("\"sample\"") && !refused.body.contains("\"message\"")
            )
            // A different period would be a different query.
            #expect(try await collector.request("GET", "/v1/shared/cards/c1?last=90d", token).status == 400)
            for path in [
                "/v1/events", "/v1/users", "/v1/boards", "/v1/boards/\(id)", "/v1/trends", "/v1/stats", "/metrics",
            ] {
                #expect(try await collector.request("GET", path, token).status == 401, "\(path)")
            }
            #expect(try await collector.request("POST", "/v1/boards", token, body: Self.board).status == 401)
            // Clients cannot distinguish unknown, revoked and missing links.
            let unknown = try await collector.request("GET", "/v1/shared", ["authorization": "Bearer twl_none"])
            #expect(
                try await collector.request("DELETE", "/v1/boards/\(id)/links", Self.both).body == #"{"revoked":1}"#
            )
            let revoked = try await collector.request("GET", "/v1/shared", token)
            let key = try await collector.request("GET", "/v1/shared", Self.both)
            let none = try await collector.request("GET", "/v1/shared/cards/c1")
            #expect(unknown.status == 404)
            for answer in [revoked, key, none] { #expect(answer.status == 404 && answer.body == unknown.body) }
        }
    }

    @Test
    func `an expired link and a link to a deleted board return 404`() async throws {
        try await CollectorUnderTest.run { collector in
            let (id, token) = try await Self.make(collector)
            let header = ["authorization": "Bearer \(token)"]
            #expect(try await collector.request("GET", "/v1/shared", header).status == 200)
            collector.clock.advance(by: .seconds(3_600))
            #expect(try await collector.request("GET", "/v1/shared", header).status == 404)
            let second = try await Self.make(collector)
            #expect(try await collector.request("DELETE", "/v1/boards/\(second.id)?version=1").status == 200)
            let gone = try await collector.request(
                "GET",
                "/v1/shared/cards/c1",
                ["authorization": "Bearer \(second.token)"]
            )
            #expect(gone.status == 404)
            #expect(try await collector.request("GET", "/v1/boards/\(id)").status == 200)
        }
    }

    @Test
    func `links always require an operator's key, boards only where reading requires a key`() async throws {
        try await CollectorUnderTest.run { collector in
            let id = try await Self.make(collector).id
            #expect(try await collector.request("POST", "/v1/boards/\(id)/links").status == 401)
            for key in ["read", "write"] {
                let header = ["authorization": "Bearer \(key)"]
                #expect(try await collector.request("POST", "/v1/boards/\(id)/links", header).status == 403)
            }
            let proxied = ["x-forwarded-for": "192.0.2.1"]
            #expect(try await collector.request("POST", "/v1/boards", proxied, body: Self.board).status == 401)
            let reader = proxied.merging(["authorization": "Bearer read"]) { $1 }
            #expect(try await collector.request("POST", "/v1/boards", reader, body: Self.board).status == 403)
        }
    }

    @Test
    func `only our own page may change boards`() async throws {
        try await CollectorUnderTest.run { collector in
            for origin in ["http://evil.example", "null"] {
                let answer = try await collector.request("POST", "/v1/boards", ["origin": origin], body: Self.board)
                #expect(answer.status == 403 && answer.errorCode == "origin_refused")
            }
            let crossing = ["sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"]
            #expect(try await collector.request("DELETE", "/v1/boards/a?version=1", crossing).status == 403)
            #expect(try await collector.request("GET", "/v1/boards", ["origin": "http://evil.example"]).status == 403)
            #expect(try await collector.request("GET", "/v1/shared", ["origin": "http://evil.example"]).status == 403)
            let own = ["origin": "http://127.0.0.1"]
            #expect(try await collector.request("POST", "/v1/boards", own, body: Self.board).status == 201)
        }
    }

    @Test
    func `built-in boards exist without being saved, and cannot be changed`() async throws {
        try await CollectorUnderTest.run { collector in
            for id in ["first-look", "behaviour"] {
                let board = try await collector.request("GET", "/v1/boards/\(id)")
                #expect(board.status == 200 && board.body.contains(#""ready_made":true"#))
                #expect(try await collector.request("GET", "/v1/boards/\(id)/cards/c1").status == 200)
                let change = Array(#"{"title":"mine","version":1}"#.utf8)
                #expect(
                    try await collector.request("PUT", "/v1/boards/\(id)", body: change).errorCode == "board_ready_made"
                )
                #expect(try await collector.request("DELETE", "/v1/boards/\(id)?version=1").status == 409)
                #expect(try await collector.request("POST", "/v1/boards/\(id)/links", Self.both).status == 409)
            }
        }
    }

    @Test
    func `a board that cannot be saved is not created, and the response has a retry time`() async throws {
        try await CollectorUnderTest.run { collector in
            collector.storage.fail(.replace, with: .noSpace, paths: "boards.json")
            let answer = try await collector.request("POST", "/v1/boards", body: Self.board)
            #expect(
                answer.status == 503 && answer.errorCode == "boards_unavailable" && answer.headers["retry-after"] != nil
            )
            collector.storage.clearFaults()
            #expect(try await collector.request("GET", "/v1/boards").body.hasSuffix(#""boards":[]}"#))
        }
    }
}
