// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore

@testable import CollectorCore
@testable import CollectorHTTP

struct QueryEndpointTests {
    @Test
    func `events are listed page by page in both orders`() async throws {
        try await CollectorUnderTest.run { collector in
            let positions = (0..<5).map { collector.store.add("e\($0)").position }
            let first = try await collector.request("GET", "/v1/events?limit=2")
            #expect(first.status == 200)
            #expect(first.body.contains("\"name\":\"e4\"") && first.body.contains("\"name\":\"e3\""))
            #expect(first.text("next") == positions[3].description)
            let second = try await collector.request("GET", "/v1/events?limit=2&after=\(positions[3])")
            #expect(second.body.contains("\"name\":\"e2\"") && !second.body.contains("\"name\":\"e3\""))
            let rest = try await collector.request("GET", "/v1/events?order=asc&after=\(positions[3])")
            #expect(rest.body.contains("\"name\":\"e4\"") && rest.text("next") == nil)
        }
    }

    @Test
    func `every given name selects events, in lists and counts`() async throws {
        try await CollectorUnderTest.run { collector in
            for name in ["a", "b", "c", "a"] { collector.store.add(name, json: #"{"name":"\#(name)"}"#) }
            let answer = try await collector.request("GET", "/v1/events?order=asc&name=a&name=&name=b&name=a")
            #expect(answer.body.ranges(of: #""name":"a""#).count == 2)
            #expect(answer.body.ranges(of: #""name":"b""#).count == 1)
            #expect(!answer.body.contains(#""name":"c""#))
            let count = try await collector.request("GET", "/v1/wait?count=0&timeout=0&name=b&name=a")
            #expect(count.body.contains(#""count":3"#), "\(count.body)")
            let names = (1...11).map { "name=n\($0)" }.joined(separator: "&")
            for path in ["/v1/events", "/v1/wait", "/v1/live"] {
                let wrong = try await collector.request("GET", "\(path)?count=1&\(names)")
                #expect(wrong.status == 400 && wrong.text("field") == "name", "\(path): \(wrong.body)")
            }
        }
    }

    @Test(arguments: [
        ("/v1/events", "limit=1&limit=2", "limit"), ("/v1/events", "user=a&user=b", "user"),
        ("/v1/events", "user=a&user=a", "user"), ("/v1/events", "order=asc&order=desc", "order"),
        ("/v1/events", "from=1&from=2", "from"), ("/v1/events", "session=a&session=b", "session"),
        ("/v1/events", "run=1&run=2", "run"), ("/v1/events", "after=1.16.0&after=1.16.1", "after"),
        ("/v1/wait", "count=1&count=2", "count"), ("/v1/live", "last=1&last=2", "last"),
        ("/v1/trends", "interval=day&interval=hour", "interval"),
        ("/v1/trends", "by=a&buckets=1&buckets=2", "buckets"),
        ("/v1/trends", "zone=UTC&zone=UTC", "zone"), ("/v1/trends", "last=7d&last=1d", "last"),
        ("/v1/trends/people", "point=0&point=1", "point"), ("/v1/trends/people", "point=0&limit=1&limit=2", "limit"),
        ("/v1/trends/people", "point=0&format=csv&format=json", "format"),
        ("/v1/funnels", "step=a&window=1d&window=2d", "window"), ("/v1/paths", "start=a&start=b", "start"),
        ("/v1/retention", "unit=person&unit=person", "unit"), ("/v1/lifecycle", "to=1&to=2", "to"),
        ("/v1/failed", "code=a&code=b", "code"), ("/v1/rate", "minutes=1&minutes=2", "minutes"),
        ("/v1/users", "user=a&user=b", "user"), ("/v1/users/u/events", "session=a&session=b", "session"),
        ("/v1/sessions", "user=a&user=b", "user"), ("/v1/screens", "limit=1&limit=2", "limit"),
        ("/v1/devices", "limit=1&limit=2", "limit"), ("/v1/expect", "name=a&count=1&count=2", "count"),
        ("/v1/expect", "name=a&never&never", "never"), ("/v1/expect", "name=a&since=now&since=now", "since"),
        ("/v1/catalogue", "search=a&search=b", "search"), ("/v1/ledger", "limit=1&limit=2", "limit"),
        ("/v1/ledger/summary", "worst=1&worst=2", "worst"),
    ])
    func `a repeated parameter that takes one value is refused by name`(_ path: String, _ query: String, _ name: String)
        async throws
    {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "\(path)?\(query)")
            #expect(answer.status == 400 && answer.errorCode == "malformed_query", "\(answer.body)")
            #expect(answer.text("field") == name, "\(answer.body)")
            #expect(answer.body.contains("occurs 2 times"), "\(answer.body)")
        }
    }

    @Test
    func `the project's calendar is the default of every query, and a request can override it`() async throws {
        try await CollectorUnderTest.run {
            $0.calendar = ProjectCalendar(timeZone: "UTC", weekStart: .sunday)
        } _: { collector in
            let settings = try await collector.request("GET", "/v1/settings")
            #expect(settings.body == #"{"time_zone":"UTC","week_start":"sunday","first_event":null}"#)
            // Query times are those of the response's edges: Sunday and Monday are a day apart.
            func start(_ query: String) async throws -> Timestamp? {
                let answer = try await collector.request("GET", "/v1/trends?" + query)
                #expect(answer.status == 200, "\(answer.body)")
                return collector.store.trendQuery?.time.start
            }
            let sunday = try #require(try await start("last=last-week"))
            let monday = try #require(try await start("last=last-week&week_start=monday"))
            #expect(abs(sunday.milliseconds - monday.milliseconds) % 604_800_000 == 86_400_000)
            collector.store.add("a", json: #"{"name":"a"}"#)
            let first = try await collector.request("GET", "/v1/settings")
            #expect(first.body.contains(#""first_event":1699999200000"#), "\(first.body)")
            let all = try await start("last=all&interval=month")
            #expect(all == Timestamp(milliseconds: 1_699_920_000_000))
            for (query, field) in [
                ("last=all&from=1", "last"), ("last=all&zone=Mars", "zone"), ("unknown=1", "unknown"),
            ] {
                let path = field == "unknown" ? "/v1/settings?" : "/v1/trends?"
                let wrong = try await collector.request("GET", path + query)
                #expect(wrong.status == 400 && wrong.text("field") == field, "\(wrong.body)")
            }
        }
    }

    @Test
    func `one event is read by its id`() async throws {
        try await CollectorUnderTest.run { collector in
            let event = collector.store.add("a", json: #"{"name":"a"}"#)
            let answer = try await collector.request("GET", "/v1/events/\(event.id)")
            #expect(
                answer.body
                    == #"{"position":"1.16.0","id":"\#(event.id)","time":1700000000000,"received":1700000000500,"event":{"name":"a"}}"#
            )
            let other = EventID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0777)
            #expect(try await collector.request("GET", "/v1/events/\(other)").errorCode == "not_found")
            #expect(try await collector.request("GET", "/v1/events/nonsense").status == 400)
        }
    }

    @Test(arguments: [
        ("/v1/failed", #""code":"malformed","field":"","message":"It is not JSON.","content":"\""#),
        ("/v1/rate?minutes=5", #"{"minutes":[[60000,3,{"b":2,"a":1},0]]}"#),
        (
            "/v1/stats",
            #"{"events":0,"installations":0,"failed":0,"duplicates":0,"damaged":0,"erased_installations":0,"erased_events":0,"indexed":"1.16.0"}"#
        ),
        (
            "/v1/sessions?limit=1",
            #"{"sessions":[{"id":"s","number":4,"start":1000,"last":5000,"engagement":2000,"foreground":3000,"events":6,"#
                + #""users":["u"],"launches":[{"time":1000,"kind":"cold","first":true},"#
                + #"{"time":5000,"kind":"end","recovered":true,"foreground":3000}],"#
                + #""screens":[{"time":1500,"name":"Home","id":"a","engagement":2000}]}],"next":"1000.3"}"#
        ),
        (
            "/v1/screens",
            #"{"screens":[{"name":"Home","views":3,"entrances":2,"exits":1,"installations":1,"engagement":9}],"#
                + #""steps":[{"from":"Home","to":"Basket","count":2}],"#
                + #""elements":[{"screen":"Home","element":"buy","type":"UIButton","clicks":5,"installations":1}]}"#
        ),
        (
            "/v1/users?user=carl",
            #"{"users":[{"id":"carl","unique_id":"U","first_touch":1,"first":2,"last":3,"events":4,"sessions":5,"#
                + #""installations":[],"attributes":{"tier":{"value":"gold","set":6}}}]}"#
        ),
        ("/v1/time", #"{"time":1700000000000}"#),
        (
            "/v1/ledger",
            #""dropped":{"expired":1},"skipped":0,"gaps":[[3,4]],"last_received":9,"complete":false}],"total":1,"erasures":[]}"#
        ),
        ("/livez", #"{"status":"alive"}"#),
        ("/readyz", #"{"status":"ready","durability":"disk"}"#),
    ])
    func `the other read endpoints respond in the documented form`(_ path: String, _ part: String) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", path)
            #expect(answer.status == 200 && answer.body.contains(part), "\(answer.body)")
        }
    }

    @Test(arguments: [
        ("/v1/events?limit=0", "limit"), ("/v1/events?limit=x", "limit"), ("/v1/events?after=1", "after"),
        ("/v1/events?order=up", "order"), ("/v1/events?installation=7", "installation"),
        ("/v1/events?from=yesterday", "from"), ("/v1/wait", "position"), ("/v1/wait?count=-1", "count"),
        ("/v1/wait?position=1.2&timeout=100", "timeout"), ("/v1/live?after=nothing", "after"),
    ])
    func `the error for an invalid parameter names it`(_ path: String, _ field: String) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", path)
            #expect(answer.status == 400 && answer.errorCode == "malformed_query" && answer.text("field") == field)
        }
    }

    @Test
    func `metrics are served in the Prometheus format`() async throws {
        try await CollectorUnderTest.run { collector in
            _ = try await collector.post(Array(#"{"name":"a"}"#.utf8))
            _ = try await collector.post(Array("x".utf8))
            let answer = try await collector.request("GET", "/metrics")
            #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            for line in [
                "trackway_events_accepted_total 1", "trackway_batches_refused_total{code=\"malformed\"} 1",
                "trackway_intake_records_total 2", "trackway_intake_flush_seconds_count 2", "trackway_ready 1",
                "trackway_http_answers_total{status=\"200\"} 1",
            ] {
                #expect(answer.body.contains(line + "\n"), "\(line)")
            }
        }
    }

    @Test
    func `if the index fails, queries get 503 and intake continues`() async throws {
        try await CollectorUnderTest.run { collector in
            collector.store.fail(StoreError("the file is locked."))
            let answer = try await collector.request("GET", "/v1/events")
            #expect(answer.status == 503 && answer.errorCode == "index_unavailable")
            #expect(try await collector.post(Array(#"{"name":"a"}"#.utf8)).status == 200)
            #expect(try await collector.request("GET", "/metrics").body.contains("trackway_index_up 0\n"))
        }
    }

    @Test
    func `if other machines can reach the collector, reading requires a key with read access`() async throws {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector async throws in
            for path in ["/v1/events", "/v1/ledger", "/metrics", "/v1/live", "/v1/wait?count=0"] {
                #expect(try await collector.request("GET", path).status == 401)
                #expect(try await collector.request("GET", path, ["authorization": "Bearer write"]).status == 403)
            }
            #expect(try await collector.request("GET", "/v1/events", ["authorization": "Bearer read"]).status == 200)
            for path in ["/", "/livez", "/readyz", "/v1/time"] {
                #expect(try await collector.request("GET", path).status == 200)
            }
        }
    }

    @Test
    func `the page carries its content security policy, and gets 304 if the browser's copy is current`() async throws {
        try await CollectorUnderTest.run { collector in
            let page = try await collector.request("GET", "/")
            #expect(page.body == "<p>hello" && page.headers["content-security-policy"] == "default-src 'none'")
            let tag = try #require(page.headers["etag"])
            #expect(try await collector.request("GET", "/", ["if-none-match": tag]).status == 304)
            #expect(try await collector.request("GET", "/missing.js").errorCode == "not_found")
        }
    }

    @Test(arguments: [
        ("", "no-cache"), ("?v=", "no-cache"), ("?v=0", "no-cache"), ("?v=own", "max-age=31536000, immutable"),
    ])
    func `only a file requested by its own version is cached without revalidation`(query: String, kept: String)
        async throws
    {
        try await CollectorUnderTest.run { collector in
            let tag = try #require(try await collector.request("GET", "/").headers["etag"]).trimmingPrefix("\"")
                .dropLast()
            let page = try await collector.request("GET", "/" + query.replacing("own", with: tag))
            #expect(page.status == 200 && page.body == "<p>hello")
            #expect(page.headers["cache-control"] == kept)
        }
    }

    @Test(arguments: [
        ("gzip", true), ("br, GZIP;q=0.5", true), ("gzip;q=0", false), ("gzip; q=0.0, br", false), ("br", false),
        ("", false),
        ("xgzip", false), (";;,,", false),
    ])
    func `the page is compressed for clients that accept gzip, with a separate tag`(taken: String, isCompressed: Bool)
        async throws
    {
        try await CollectorUnderTest.run { collector in
            let plain = try await collector.request("GET", "/long.txt")
            let answer = try await collector.request("GET", "/long.txt", ["accept-encoding": taken])
            #expect(answer.headers["content-encoding"] == (isCompressed ? "gzip" : nil))
            #expect(answer.headers["vary"] == "accept-encoding")
            #expect((answer.headers["etag"] != plain.headers["etag"]) == isCompressed)
            let tag = try #require(answer.headers["etag"])
            let known = ["accept-encoding": taken, "if-none-match": tag]
            #expect(try await collector.request("GET", "/long.txt", known).status == 304)
            // Too short for compression to help.
            #expect(try await collector.request("GET", "/", ["accept-encoding": taken]).body == "<p>hello")
        }
    }

    @Test
    func `pages of other origins get nothing, unless they are allowed`() async throws {
        try await CollectorUnderTest.run {
            $0.sendingOrigins = ["https://shop.example"]
        } _: { collector in
            let refused = try await collector.request("OPTIONS", "/v1/events", ["origin": "https://evil.example"])
            #expect(refused.status == 403 && refused.headers["access-control-allow-origin"] == nil)
            let allowed = try await collector.request("OPTIONS", "/v1/events", ["origin": "https://shop.example"])
            #expect(allowed.status == 204)
            #expect(allowed.headers["access-control-allow-origin"] == "https://shop.example")
        }
    }

    @Test
    func `a name that resolves to this machine is rejected`() async throws {
        try await CollectorUnderTest.run { collector in
            try await Wire.open(to: collector.port) { wire in
                try await wire.send("GET /v1/events HTTP/1.1\nHost: evil.example:8787\n\n")
                #expect(try await wire.readResponse()?.errorCode == "wrong_host")
            }
        }
    }

    @Test
    func `events are searched by condition or text, and the response states how far the search went`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request(
                "GET",
                "/v1/events?name=tick&where=total%3E=5&text=Berlin&text=a%20b&limit=3"
            )
            #expect(answer.body == #"{"events":[],"searched":7,"of":9,"next":"2.16.0"}"#)
            let search = try #require(collector.store.latestQuery(EventSearch.self))
            #expect(search.words == ["Berlin", "a b"] && search.query.names == ["tick"] && search.query.limit == 3)
            #expect(search.conditions.map(\.field) == [.attribute("total")])
            for (query, field) in [("where=total", "where"), ("text=" + String(repeating: "a", count: 129), "text")] {
                let wrong = try await collector.request("GET", "/v1/events?" + query)
                #expect(wrong.status == 400 && wrong.text("field") == field)
            }
        }
    }
}
