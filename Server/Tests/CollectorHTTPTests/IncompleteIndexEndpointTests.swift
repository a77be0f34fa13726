// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import NIOCore
internal import Testing
internal import TrackwayCore

@testable import CollectorCore
@testable import CollectorHTTP

@Suite("Responses from an incomplete index")
struct IncompleteIndexEndpointTests {
    private static let lag = "The index lacks events that arrived up to 14 seconds ago."

    @Test(arguments: [
        "/v1/events", "/v1/events?name=a", "/v1/ledger", "/v1/ledger/summary", "/v1/failed", "/v1/failed/groups",
        "/v1/rate", "/v1/sessions", "/v1/screens", "/v1/users", "/v1/trends?name=a", "/v1/funnels?step=a&step=b",
        "/v1/retention", "/v1/lifecycle", "/v1/stickiness", "/v1/paths", "/v1/catalogue", "/v1/devices",
        "/v1/boards/first-look/cards/live",
    ])
    func `every response from a lagging index is marked, in its JSON and in a header`(_ path: String) async throws {
        try await CollectorUnderTest.run { collector in
            collector.store.add("a")
            let whole = try await collector.request("GET", path)
            #expect(whole.headers["trackway-partial"] == nil && !whole.body.contains(#""partial":""#), "\(whole.body)")
            collector.store.lag(Self.lag)
            let partial = try await collector.request("GET", path)
            #expect(partial.status == whole.status)
            guard whole.status == 200 else { return }
            #expect(partial.headers["trackway-partial"] == Self.lag)
            #expect(partial.text("partial") == Self.lag)
            // Apart from the mark, the response is the same.
            #expect(partial.body == "{\"partial\":\"\(Self.lag)\"," + whole.body.dropFirst())
            collector.store.lag(nil)
            #expect(try await collector.request("GET", path).body == whole.body)
        }
    }

    @Test(arguments: [
        "/v1/events/01900000-0000-7000-8000-000000000777", "/v1/users/nobody", "/v1/catalogue/nothing",
    ])
    func `a lagging index responds 503 instead of 404, since the object may exist`(_ path: String) async throws {
        try await CollectorUnderTest.run { collector in
            let missing = try await collector.request("GET", path)
            guard missing.status == 404 else { return }
            collector.store.lag(Self.lag)
            let answer = try await collector.request("GET", path)
            #expect(answer.status == 503 && answer.errorCode == "index_behind" && answer.headers["retry-after"] == "5")
            #expect(answer.body.contains(Self.lag))
        }
    }

    @Test
    func `a collector whose index lags is ready and says so; one whose index does not follow the log is not ready`()
        async throws
    {
        try await CollectorUnderTest.run { collector in
            collector.store.lag(Self.lag)
            let lagging = try await collector.request("GET", "/readyz")
            #expect(lagging.status == 200 && lagging.text("status") == "ready" && lagging.text("partial") == Self.lag)
            collector.store.stall("The disk is full.")
            let stuck = try await collector.request("GET", "/readyz")
            #expect(stuck.status == 503 && stuck.errorCode == "index_behind")
            #expect(try await collector.request("GET", "/v1/events").text("partial") == "The disk is full.")
        }
    }

    @Test(arguments: [
        "/v1/events", "/v1/trends?name=a", "/v1/funnels?step=a&step=b", "/v1/retention", "/v1/lifecycle",
        "/v1/stickiness", "/v1/paths", "/v1/rate", "/readyz",
    ])
    func `while the index is being built, its queries get 503 with the reason`(_ path: String) async throws {
        try await CollectorUnderTest.run { collector in
            collector.store.build("The index is being made from the intake log.")
            let answer = try await collector.request("GET", path)
            #expect(answer.status == 503 && answer.errorCode == "index_behind", "\(answer.body)")
            #expect(answer.body.contains("being made from the intake log. Batches are accepted and stored."))
            #expect(try await collector.request("GET", "/v1/stats").status == 200)
            #expect(try await collector.post(Array(#"{"name":"a"}"#.utf8)).status == 200)
            collector.store.build(nil)
            #expect(try await collector.request("GET", path).status == 200)
        }
    }

    @Test
    func `a client that waits while the index is being built gets the response once it is built`() async throws {
        try await CollectorUnderTest.run { collector in
            let event = collector.store.add("a")
            collector.store.build("The index is being built.")
            let now = try await collector.request("GET", "/v1/wait?id=\(event.id)&timeout=0")
            #expect(now.status == 200 && now.body.contains(#""done":false"#))
            async let later = collector.request("GET", "/v1/wait?id=\(event.id)&timeout=60")
            async let expected = collector.request("GET", "/v1/expect?name=a&within=60s")
            while collector.store.followers < 2 { await Task.yield() }
            collector.store.build(nil)
            #expect(try await later.body.contains(#""done":true"#))
            #expect(try await expected.body.contains(#""holds":true"#))
        }
    }

    @Test
    func `a live stream skips the events that are indexed again, and then shows new ones`() async throws {
        try await CollectorUnderTest.run {
            $0.heartbeat = .milliseconds(5)
        } _: { collector in
            collector.store.build("The index is being built.")
            try await Wire.open(to: collector.port) { wire in
                try await wire.send("GET /v1/live HTTP/1.1\nHost: localhost\n\n")
                _ = try await wire.read(until: ": alive\n\n")
                collector.store.add("old")
                collector.store.build(nil)
                while collector.store.followers < 2 { await Task.yield() }
                collector.store.add("new")
                let text = try await wire.read(until: "new")
                #expect(!text.contains("old"))
            }
        }
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"partial":"Late.","a":1}"#), ("{}", #"{"partial":"Late."}"#), ("[1]", "[1]"), ("", ""),
    ])
    func `the mark is added only if the response is an object`(_ body: String, _ marked: String) {
        #expect(IncompleteResponse.marked(ByteBuffer(string: body), "Late.") == ByteBuffer(string: marked))
    }
}

@Suite("Work for disconnected clients")
struct ConnectionWorkTests {
    @Test
    func `work on a response continues until its connection ends, and no longer`() async throws {
        let work = ConnectionWork()
        let begun = AsyncStream.makeStream(of: Void.self)
        async let outcome: Void = {
            await #expect(throws: CancellationError.self) {
                _ = try await work.run {
                    begun.continuation.yield()
                    let (never, _) = AsyncStream.makeStream(of: Void.self)
                    for await _ in never {}
                    try Task.checkCancellation()
                    return JSONResponse.empty()
                }
            }
        }()
        for await _ in begun.stream { break }
        work.end()
        await outcome
        // Work started afterward is canceled immediately.
        await #expect(throws: CancellationError.self) {
            _ = try await work.run {
                try Task.checkCancellation()
                return JSONResponse.empty()
            }
        }
    }

    @Test
    func `a reader that disconnects frees its slot`() async throws {
        try await CollectorUnderTest.run {
            $0.followers = 1
        } _: { collector in
            try await Wire.open(to: collector.port) { wire in
                try await wire.send("GET /v1/wait?count=5&timeout=60 HTTP/1.1\nHost: localhost\n\n")
                while collector.store.followers < 1 { await Task.yield() }
                let refused = try await collector.request("GET", "/v1/wait?count=5&timeout=60")
                #expect(refused.errorCode == "too_many_followers")
            }
            // Its slot is free once its connection is closed.
            var status = 503
            while status == 503 {
                status = try await collector.request("GET", "/v1/wait?count=0&timeout=0").status
                await Task.yield()
            }
            #expect(status == 200)
        }
    }
}
