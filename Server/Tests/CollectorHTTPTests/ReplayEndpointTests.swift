// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable import CollectorCore
@testable import CollectorHTTP

@Suite("Replay over HTTP")
struct ReplayEndpointTests {
    private static let operatorKey = ["authorization": "Bearer both"]

    @Test
    func `without an operator's key, nothing is replayed, not even on the loopback interface`() async throws {
        try await CollectorUnderTest.run { collector in
            let path = "/v1/failed/replay"
            #expect(try await collector.request("POST", path).errorCode == "key_missing")
            for (key, status) in [("x", 401), ("write", 403), ("read", 403), ("both", 200)] {
                let answer = try await collector.request("POST", path, ["authorization": "Bearer \(key)"])
                #expect(answer.status == status, "\(key)")
            }
            #expect(try await collector.request("GET", path, Self.operatorKey).status == 405)
        }
    }

    @Test
    func `records that the log does not have are reported, and nothing is written`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("POST", "/v1/failed/replay?code=x&limit=1", Self.operatorKey)
            #expect(
                answer.body == """
                    {"admitted":0,"refused":0,"unchanged":0,"not_kept":[{"position":"1.16.2","reason":"unreadable"}],\
                    "dry_run":false,"next":"1.16.2"}
                    """
            )
            #expect(collector.store.failedQuery == FailedQuery(code: "x", limit: 1))
            #expect(try collector.kept(.intake).isEmpty)
        }
    }

    @Test(arguments: [
        ("position=x", "position"), ("before=5", "before"), ("limit=501", "limit"), ("dry_run=yes", "dry_run"),
        ("from=5", "from"),
    ])
    func `the error for an invalid parameter names it`(_ query: String, _ field: String) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("POST", "/v1/failed/replay?" + query, Self.operatorKey)
            #expect(answer.status == 400 && answer.errorCode == "malformed_query" && answer.text("field") == field)
        }
    }

    @Test
    func `a batch rejected as a whole is stored with its encoding, so that it can be read again`() async throws {
        try await CollectorUnderTest.run { collector in
            _ = try await collector.post(Array("[]".utf8))
            let record = try #require(try collector.kept(.quarantine).first)
            let kept = try record.withUnsafeBytes { try QuarantineRecord(payload: $0) }
            #expect(kept.encoding == .identity && kept.body == Array("[]".utf8))
        }
    }

    @Test
    func `the origin of a replayed event is written to the log and read back`() throws {
        let origin = ReplayOrigin(
            at: Timestamp(milliseconds: 5),
            key: "desk \"1\"",
            position: EventPosition(segment: 3, offset: 88),
            ordinals: [0, 7, 1_023],
            refused: [RejectedEvent(index: 8, code: "c", field: "f", message: "m")]
        )
        var header = IntakeHeader(received: Timestamp(milliseconds: 1), key: "k", encoding: .identity)
        header.replayed = origin
        var writer = JSONWriter()
        header.write(to: &writer)
        let read = try writer.array().withUnsafeBytes { try IntakeHeader(json: $0) }
        #expect(read == header)
        #expect(origin.place(of: 1) == EventPosition(segment: 3, offset: 88, ordinal: 7))
        for text in [
            #"{"replayed":{"position":"x"}}"#, #"{"replayed":{"ordinals":[1024]}}"#, #"{"replayed":{"ordinals":[-1]}}"#,
            #"{"replayed":5}"#,
        ] {
            #expect(throws: JSONError.self) {
                _ = try Array(text.utf8).withUnsafeBytes { try IntakeHeader(json: $0) }
            }
        }
    }
}
