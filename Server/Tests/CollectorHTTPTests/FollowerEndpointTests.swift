// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorCore
@testable import CollectorHTTP

struct FollowerEndpointTests {
    private static func get(_ path: String, _ headers: String = "") -> String {
        "GET \(path) HTTP/1.1\nHost: localhost\n\(headers)\n"
    }

    @Test
    func `the live stream shows arriving events, and resumes where it stopped`() async throws {
        try await CollectorUnderTest.run { collector in
            collector.store.add("before")
            let seen = try await Wire.open(to: collector.port) { wire in
                try await wire.send(Self.get("/v1/live"))
                let head = try await wire.read(until: "retry: 2000")
                #expect(head.hasPrefix("HTTP/1.1 200 ") && head.lowercased().contains("text/event-stream"))
                try await Deadline.wait(while: collector.store.followers == 0)
                let event = collector.store.add("first", json: "{\n\"name\":\"first\"\r\n}")
                let text = try await wire.read(until: "\n\n")
                #expect(text.contains("event: event\nid: \(event.position)\ndata: {\"position\""))
                #expect(text.contains("{ \"name\":\"first\"  }"))
                #expect(!text.contains("before"))
                return event.position
            }
            collector.store.add("second")
            collector.store.add("third")
            try await Wire.open(to: collector.port) { wire in
                try await wire.send(Self.get("/v1/live", "Last-Event-ID: \(seen)\n"))
                let text = try await wire.read(until: "third")
                #expect(text.contains("second") && !text.contains("first"))
            }
        }
    }

    @Test
    func `the last events can be replayed, and the filter applies to all events`() async throws {
        try await CollectorUnderTest.run { collector in
            for name in ["a", "b", "a", "b", "a"] { collector.store.add(name) }
            try await Wire.open(to: collector.port) { wire in
                try await wire.send(Self.get("/v1/live?last=2&name=a"))
                var text = try await wire.read(until: "id: 1.816.0")
                #expect(text.contains("id: 1.416.0") && !text.contains("id: 1.16.0") && !text.contains("id: 1.216.0"))
                try await Deadline.wait(while: collector.store.followers == 0)
                collector.store.add("b")
                collector.store.add("a")
                text = try await wire.read(until: "id: 1.1216.0")
                #expect(!text.contains("id: 1.1016.0"))
            }
        }
    }

    @Test
    func `an idle stream sends heartbeats, and a shutdown ends it`() async throws {
        try await CollectorUnderTest.run {
            $0.heartbeat = .milliseconds(20)
        } _: { collector in
            try await Wire.open(to: collector.port) { wire in
                try await wire.send(Self.get("/v1/live"))
                #expect(try await wire.read(until: ": alive\n\n").contains(": alive"))
                await collector.shutDown()
                _ = try await wire.readToEnd()
            }
        }
    }

    @Test
    func `the number of streams is limited`() async throws {
        try await CollectorUnderTest.run {
            $0.followers = 1
        } _: { collector in
            try await Wire.open(to: collector.port) { wire in
                try await wire.send(Self.get("/v1/live"))
                _ = try await wire.read(until: "retry")
                let answer = try await collector.request("GET", "/v1/live")
                #expect(answer.status == 503 && answer.errorCode == "too_many_followers")
            }
        }
    }

    @Test
    func `a stream ends when its key is revoked, even if no events arrive, and shows no later events`() async throws {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
            $0.authorizationCheckInterval = .milliseconds(5)
        } _: { collector async throws in
            async let waiting = collector.request(
                "GET",
                "/v1/wait?count=1&timeout=60",
                ["authorization": "Bearer read"]
            )
            try await Wire.open(to: collector.port) { wire in
                try await wire.send(Self.get("/v1/live", "Authorization: Bearer read\n"))
                _ = try await wire.read(until: "retry")
                try await Deadline.wait(while: collector.store.followers < 2)
                collector.keys.revoke("read")
                collector.store.add("later")
                // The end of a chunked response.
                let rest = try await wire.read(until: "0\r\n\r\n")
                #expect(rest.hasSuffix("0\r\n\r\n") && !rest.contains("later"))
                try await wire.send(Self.get("/v1/live", "Authorization: Bearer read\n"))
                #expect(try await wire.readResponse()?.errorCode == "key_unknown")
            }
            let waited = try await waiting
            #expect(waited.status == 401 && waited.errorCode == "key_unknown")
        }
    }

    @Test
    func `taking a slot is atomic, and every slot is returned however its follower ends`() async throws {
        let slots = ConcurrencySlots(limit: 10)
        for _ in 0..<20 {
            let taken = await withTaskGroup(of: ConcurrencySlot?.self) { group in
                for _ in 0..<100 { group.addTask { try? slots.take() } }  // the others find no free slot
                return await group.reduce(into: [ConcurrencySlot]()) { if let slot = $1 { $0.append(slot) } }
            }
            #expect(taken.count == 10)
        }
        let none = ConcurrencySlots(limit: 0)
        #expect(throws: RequestFailure.self) { try none.take() }
    }

    @Test
    func `a HEAD request for a stream releases its slot`() async throws {
        try await CollectorUnderTest.run {
            $0.followers = 1
        } _: { collector async throws in
            for _ in 0..<5 {
                #expect(try await collector.request("HEAD", "/v1/live").status == 200)
                #expect(try await collector.request("GET", "/v1/live?last=x").errorCode == "malformed_query")
            }
        }
    }

    @Test
    func `any number of waiting clients share a single count query at a time`() async throws {
        try await CollectorUnderTest.run { collector async throws in
            let waiters = 100
            async let answers = withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
                for _ in 0..<waiters {
                    group.addTask { try await collector.request("GET", "/v1/wait?count=1&timeout=60") }
                }
                return try await group.reduce(into: [TestHTTPResponse]()) { $0.append($1) }
            }
            try await Deadline.wait(while: collector.store.followers < waiters)
            let before = collector.store.counts
            collector.store.add("a")
            #expect(try await answers.allSatisfy { $0.body.contains(#""count":1"#) })
            // One count for the event, and one more for the clients that checked during the first.
            #expect(collector.store.counts - before <= 3, "\(collector.store.counts - before) counts")
        }
    }

    @Test
    func `waiting ends when the condition holds`() async throws {
        try await CollectorUnderTest.run { collector in
            async let byPosition = collector.request("GET", "/v1/wait?position=1.416&timeout=60")
            async let byCount = collector.request("GET", "/v1/wait?count=1&name=b&timeout=60")
            try await Deadline.wait(while: collector.store.followers < 2)
            collector.store.add("a")
            let event = collector.store.add("b")
            #expect(try await byPosition.body == #"{"done":true,"indexed":"1.416.0"}"#)
            #expect(try await byCount.body.hasPrefix(#"{"done":true,"#))
            let byID = try await collector.request("GET", "/v1/wait?id=\(event.id)&timeout=60")
            #expect(byID.body.contains(#""name":"b""#))
        }
    }

    @Test
    func `a wait whose condition is not met ends at the timeout, and the response says so`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "/v1/wait?count=1&timeout=0")
            #expect(answer.status == 200 && answer.body == #"{"done":false,"indexed":"1.16.0","count":0}"#)
        }
    }
}
