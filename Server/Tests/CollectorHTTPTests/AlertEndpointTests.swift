// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayTesting

@testable import CollectorCore
@testable import CollectorHTTP

@Suite("Alerts over HTTP")
struct AlertEndpointTests {
    private static let both = ["authorization": "Bearer both"]

    private static func alert(
        _ condition: String = #"{"kind":"trends","query":"name=purchase&last=1h","operator":"<","threshold":5}"#,
        _ more: String = #","webhook":"https://hooks.example.com/secret""#
    ) -> [UInt8] {
        Array(#"{"title":"Few sales","condition":\#(condition)\#(more)}"#.utf8)
    }

    /// Creates an alert that fires: the index always counts three.
    private static func make(
        _ collector: CollectorUnderTest,
        _ body: [UInt8] = AlertEndpointTests.alert()
    ) async throws -> (id: String, secret: WebhookSecret) {
        let made = try await collector.request("POST", "/v1/alerts", both, body: body)
        #expect(made.status == 201 && made.headers["etag"] == "\"1\"")
        return (try #require(made.text("id")), try #require(made.text("secret").flatMap { WebhookSecret($0) }))
    }

    @Test
    func `a condition that becomes true sends a signed webhook with the query's URL; a resolved one sends another`()
        async throws
    {
        try await CollectorUnderTest.run { collector in
            let (id, secret) = try await Self.make(collector)
            await collector.receiver.untilRequested(1)
            let request = try #require(collector.receiver.requests.first)
            #expect(request.method == "POST" && request.url == "https://hooks.example.com/secret")
            #expect(request.headers["content-type"] == "application/json")
            try WebhookSignature.check(
                try #require(request.headers["webhook-signature"]),
                id: try #require(request.headers["webhook-id"]),
                seconds: try #require(request.headers["webhook-timestamp"].flatMap { Int64($0) }),
                body: request.body,
                secret: secret,
                now: collector.clock.now().wall.milliseconds / 1_000
            )
            let body = try JSONValue.parse(request.body)
            #expect(body["type"]?.string == "alert.firing")
            #expect(body["data"]?["alert"]?.string == id && body["data"]?["value"]?.double == 3)
            #expect(
                body["data"]?["link"]?.string
                    == "https://collector.example.com/?questions=trends&name=purchase&last=24h"
            )
            // The full hour before the current time.
            let time = try #require(collector.store.trendQuery?.time)
            #expect(time.end == collector.clock.now().wall && time.start.duration(to: time.end) == .seconds(3_600))
            let metrics = try await collector.request("GET", "/metrics").body
            #expect(metrics.contains("\ntrackway_alerts_firing 1\n"))
            let over = Self.alert(
                #"{"kind":"trends","query":"last=1h","operator":">","threshold":5}"#,
                #","version":1"#
            )
            #expect(try await collector.request("PUT", "/v1/alerts/\(id)", Self.both, body: over).status == 200)
            await collector.receiver.untilRequested(2)
            let second = try #require(collector.receiver.requests.last)
            #expect(try JSONValue.parse(second.body)["type"]?.string == "alert.resolved")
            #expect(second.url == request.url && second.headers["webhook-id"] != request.headers["webhook-id"])
        }
    }

    @Test
    func `a failed delivery is retried when it is due, and the list of deliveries shows each result`() async throws {
        try await CollectorUnderTest.run { collector in
            collector.receiver.script(
                .status(302, headers: ["location": "http://10.0.0.1/"]),
                .fail(TransportError(.timedOut, "no answer"))
            )
            let id = try await Self.make(collector).id
            for count in 1...3 {
                await collector.receiver.untilRequested(count)
                // One task waits for the next check, the other for the next attempt.
                if count < 3 {
                    await collector.clock.untilSleeping(2)
                    collector.clock.advance(by: .seconds(count == 1 ? 7 : 390))
                }
            }
            let requests = collector.receiver.requests
            #expect(Set(requests.map { $0.headers["webhook-id"] }).count == 1 && Set(requests.map(\.url)).count == 1)
            #expect(
                Set(requests.map(\.body)).count == 1 && Set(requests.map { $0.headers["webhook-signature"] }).count == 3
            )
            var answer = ""
            for _ in 0..<200 where !answer.contains(#""outcome":"delivered""#) {
                answer = try await collector.request("GET", "/v1/alerts/\(id)/deliveries").body
            }
            #expect(answer.contains(#""outcome":"delivered""#) && answer.contains(#""status":302"#))
            #expect(answer.contains("timed_out: no answer"))
        }
    }

    @Test
    func `an alert is listed, read, changed and deleted; its secret is returned only once`() async throws {
        try await CollectorUnderTest.run { collector in
            let (id, secret) = try await Self.make(collector)
            for path in ["/v1/alerts", "/v1/alerts/\(id)", "/v1/alerts/\(id)/deliveries"] {
                let answer = try await collector.request("GET", path)
                #expect(answer.status == 200 && !answer.body.contains(secret.text) && !answer.body.contains("/secret"))
            }
            let change = Self.alert(#"{"kind":"missing"}"#, #","version":1,"paused":true"#)
            let late = Self.alert(#"{"kind":"missing"}"#, #","version":1"#)
            let changed = try await collector.request("PUT", "/v1/alerts/\(id)", Self.both, body: change)
            #expect(changed.status == 200 && changed.text("webhook") == "https://hooks.example.com/…")
            let second = try await collector.request("PUT", "/v1/alerts/\(id)", Self.both, body: late)
            #expect(second.status == 409 && second.errorCode == "alert_changed")
            let rotated = try await collector.request("POST", "/v1/alerts/\(id)/rotate?overlap=1h", Self.both)
            #expect(rotated.status == 200 && rotated.text("secret")?.hasPrefix("whsec_") == true)
            #expect(rotated.text("secret") != secret.text)
            let wrong = try await collector.request("POST", "/v1/alerts/\(id)/rotate?overlap=x", Self.both)
            #expect(wrong.status == 400 && wrong.text("field") == "overlap")
            #expect(try await collector.request("DELETE", "/v1/alerts/\(id)", Self.both).status == 422)
            #expect(try await collector.request("DELETE", "/v1/alerts/\(id)?version=2", Self.both).status == 200)
            for (method, path) in [
                ("GET", "/v1/alerts/\(id)"), ("POST", "/v1/alerts/\(id)/test"), ("POST", "/v1/alerts/\(id)/rotate"),
                ("DELETE", "/v1/alerts/\(id)?version=1"), ("GET", "/v1/alerts/\(id)/deliveries"),
            ] {
                #expect(try await collector.request(method, path, Self.both).status == 404)
            }
            #expect(try await collector.request("PATCH", "/v1/alerts").headers["allow"] == "GET, HEAD, POST")
        }
    }

    @Test
    func `a trial returns the receiver's response, and is not sent to a disallowed URL`() async throws {
        try await CollectorUnderTest.run { collector in
            let nowhere = try await Self.make(collector, Self.alert(#"{"kind":"missing","threshold":9}"#, "")).id
            let none = try await collector.request("POST", "/v1/alerts/\(nowhere)/test", Self.both)
            #expect(none.status == 422 && none.text("field") == "webhook")
            let calm = #"{"kind":"missing","threshold":9}"#
            let id = try await Self.make(collector, Self.alert(calm)).id
            collector.receiver.script(.status(404), .fail(TransportError(.tls, "no certificate")), .accept)
            for said in [#""status":404"#, "tls: no certificate", #""outcome":"delivered""#] {
                let answer = try await collector.request("POST", "/v1/alerts/\(id)/test", Self.both)
                #expect(answer.status == 200 && answer.body.contains(said))
            }
            let inside = try await Self.make(collector, Self.alert(calm, #","webhook":"https://inside.example.com/""#))
                .id
            let refused = try await collector.request("POST", "/v1/alerts/\(inside)/test", Self.both)
            #expect(refused.body.contains("is not on the public internet"))
            #expect(collector.receiver.requests.count == 3)
            #expect(
                try collector.receiver.requests.allSatisfy {
                    try JSONValue.parse($0.body)["type"]?.string == "alert.test"
                }
            )
        }
    }

    @Test
    func `changing alerts requires a key that may read and write, even from the same machine`() async throws {
        try await CollectorUnderTest.run { collector in
            let id = try await Self.make(collector).id
            for key in [[:], ["authorization": "Bearer read"], ["authorization": "Bearer write"]] {
                for (method, path) in [
                    ("POST", "/v1/alerts"), ("PUT", "/v1/alerts/\(id)"), ("DELETE", "/v1/alerts/\(id)?version=1"),
                    ("POST", "/v1/alerts/\(id)/test"), ("POST", "/v1/alerts/\(id)/rotate"),
                ] {
                    let answer = try await collector.request(method, path, key, body: Self.alert())
                    #expect(answer.status == (key.isEmpty ? 401 : 403), "\(method) \(path)")
                }
            }
        }
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector async throws in
            #expect(try await collector.request("GET", "/v1/alerts").status == 401)
            #expect(try await collector.request("GET", "/v1/alerts", ["authorization": "Bearer read"]).status == 200)
            // A client on another machine must not be able to make the collector send requests to itself.
            let own = Self.alert(#"{"kind":"missing"}"#, #","webhook":"http://127.0.0.1:9000/""#)
            let answer = try await collector.request("POST", "/v1/alerts", Self.both, body: own)
            #expect(answer.status == 422 && answer.text("field") == "webhook")
        }
        try await CollectorUnderTest.run {
            $0.isEphemeral = true
        } _: { collector async throws in
            #expect(try await collector.request("POST", "/v1/alerts", body: Self.alert()).status == 201)
            let foreign = ["origin": "https://evil.example"]
            #expect(try await collector.request("POST", "/v1/alerts", foreign, body: Self.alert()).status == 403)
        }
    }

    @Test(arguments: [
        ("trends", "name=a", "last"), ("trends", "last=7", "last"), ("trends", "last=90s", "last"),
        ("trends", "last=1h&by=currency", "by"), ("trends", "last=1h&from=0", "from"),
        ("trends", "last=1h&compare=before", "compare"), ("trends", "last=1h&interval=day", "interval"),
        ("trends", "last=1h&nme=a", "nme"), ("trends", "last=1h&measure=x", "measure"),
        ("trends", "last=1h&where=x", "where"), ("trends", "last=1h&zone=Mars", "zone"),
        ("trends", "last=367d", "last"), ("trends", "last=all", "last"), ("trends", "last=today&last=7d", "last"),
        ("trends", "last=today&zone=Mars", "zone"), ("trends", "last=today&where=a=1%20or", "where"),
        ("funnels", "last=1h", "step"), ("funnels", "step=a&last=1h&people=1", "people"),
    ])
    func `a query without exactly one number to compare is rejected on save with an error that names the field`(
        _ kind: String,
        _ query: String,
        _ field: String
    ) async throws {
        try await CollectorUnderTest.run { collector in
            let condition = #"{"kind":"\#(kind)","query":"\#(query)","operator":"<","threshold":5}"#
            let answer = try await collector.request("POST", "/v1/alerts", Self.both, body: Self.alert(condition))
            #expect(answer.status == 422 && answer.errorCode == "malformed_alert")
            #expect(answer.text("field") == "condition.query.\(field)")
        }
    }

    @Test
    func `a condition that the index cannot evaluate is unknown, states the reason, and does not fire`() async throws {
        try await CollectorUnderTest.run { collector in
            collector.store.fail(.overBudget("last", "it reads too much: choose a shorter time range"))
            let id = try await Self.make(collector).id
            var answer = ""
            for _ in 0..<500 where !answer.contains("trouble") {
                answer = try await collector.request("GET", "/v1/alerts/\(id)").body
            }
            #expect(answer.contains(#""state":"unknown""#) && answer.contains("choose a shorter time range"))
            await collector.clock.untilSleeping(1)
            collector.store.fail(nil)
            collector.clock.advance(by: .seconds(60))
            await collector.receiver.untilRequested(1)
        }
    }

    @Test
    func `silence fires only after the collector has run for that long, regardless of the wall clock`() async throws {
        try await CollectorUnderTest.run { collector in
            // The index always counts three events in the first minute of 1970, and none since.
            let id = try await Self.make(collector, Self.alert(#"{"kind":"silence","within":"10m"}"#)).id
            func state() async throws -> String {
                try await collector.request("GET", "/v1/alerts/\(id)").body
            }
            var answer = ""
            for _ in 0..<500 where !answer.contains("evaluated") { answer = try await state() }
            #expect(answer.contains("has not been running long enough"))
            collector.clock.jumpWall(by: .seconds(86_400))
            for _ in 0..<9 {
                await collector.clock.untilSleeping(1)
                collector.clock.advance(by: .seconds(60))
            }
            await collector.clock.untilSleeping(1)
            #expect(collector.receiver.requests.isEmpty)
            collector.clock.advance(by: .seconds(60))
            await collector.receiver.untilRequested(1)
        }
    }

    @Test
    func `the share of rejected events is compared only if enough events arrived`() async throws {
        try await CollectorUnderTest.run { collector in
            // Six events were rejected and three or none arrived, so most were rejected.
            let few = try await Self.make(collector, Self.alert(#"{"kind":"failed","threshold":50,"at_least":500}"#)).id
            var answer = ""
            for _ in 0..<500 where !answer.contains("evaluated") {
                answer = try await collector.request("GET", "/v1/alerts/\(few)").body
            }
            #expect(answer.contains(#""state":"ok""#))
            _ = try await Self.make(collector, Self.alert(#"{"kind":"failed","threshold":50,"at_least":6}"#))
            await collector.receiver.untilRequested(1)
        }
    }

    @Test(
        arguments: [
            (#"{"kind":"disk"}"#, 9, 100, "firing", 9.0), (#"{"kind":"disk"}"#, 10, 100, "ok", 10.0),
            (#"{"kind":"disk","of":"bytes","threshold":1000}"#, 999, nil, "firing", 999.0),
            (#"{"kind":"disk","of":"bytes","threshold":1000}"#, 1_000, nil, "ok", 1_000.0),
            (#"{"kind":"disk"}"#, 9, nil, "unknown", nil), (#"{"kind":"disk"}"#, nil, nil, "unknown", nil),
        ] as [(String, Int64?, Int64?, String, Double?)]
    )
    func `a disk below its threshold fires, even if the index fails`(
        _ condition: String,
        _ free: Int64?,
        _ size: Int64?,
        _ state: String,
        _ value: Double?
    ) async throws {
        var use = ResourceUse()
        (use.diskFree, use.diskSize) = (free, size)
        let resources: @Sendable () -> ResourceUse = { [use] in use }
        try await CollectorUnderTest.run(resources: resources) { collector in
            collector.store.fail(StoreError("the disk is full."))
            let id = try await Self.make(collector, Self.alert(condition)).id
            var answer = JSONValue.null
            for _ in 0..<500 where answer["evaluated"] == nil {
                answer = try JSONValue.parse(Array(try await collector.request("GET", "/v1/alerts/\(id)").body.utf8))
            }
            #expect(answer["state"]?.string == state && answer["value"]?.double == value)
            #expect((answer["trouble"] == nil) == (value != nil))
            guard state == "firing" else { return }
            await collector.receiver.untilRequested(1)
            let body = try JSONValue.parse(try #require(collector.receiver.requests.first).body)
            #expect(body["type"]?.string == "alert.firing" && body["data"]?["value"]?.double == value)
            #expect(body["data"]?["link"]?.string == "https://collector.example.com/")
        }
    }

    @Test
    func `an index that lags longer than the threshold fires, even if it fails`() async throws {
        try await CollectorUnderTest.run { collector in
            // The in-memory store does not receive events from the intake.
            #expect(try await collector.post(Array(#"{"name":"a"}"#.utf8)).status == 200)
            collector.store.fail(StoreError("the file is damaged."))
            let id = try await Self.make(collector, Self.alert(#"{"kind":"lag","threshold":60}"#)).id
            await collector.clock.untilSleeping(1)
            #expect(try await collector.request("GET", "/v1/alerts/\(id)").body.contains(#""state":"ok""#))
            collector.clock.advance(by: .seconds(61))
            await collector.receiver.untilRequested(1)
            let body = try JSONValue.parse(try #require(collector.receiver.requests.first).body)
            #expect(body["data"]?["value"]?.double == 61)
            let metrics = try await collector.request("GET", "/metrics").body
            #expect(metrics.contains("\ntrackway_index_lag_seconds 61.0\n"))
        }
    }
}
