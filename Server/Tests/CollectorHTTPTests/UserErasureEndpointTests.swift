// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

@testable import CollectorHTTP

@Suite("Erasure of users over HTTP")
struct UserErasureEndpointTests {
    private static let key = CollectorUnderTest.erasureKey
    private static let installation = SentBatch.installation(1)

    private static func preview(_ user: String = "a/b ☃") -> ErasurePreview {
        ErasurePreview(
            user: user,
            installations: [.init(installation, isShared: true, events: 4)],
            eventsWithoutInstallation: 3
        )
    }

    private static func plan(_ user: String = "anna", requested: Int64 = 1_764_500_000_000) -> ErasurePlan {
        let record = UserErasureRecord(
            received: Timestamp(milliseconds: requested),
            key: "officer",
            identity: key.hash(user: user),
            user: user
        )
        var plan = ErasurePlan(record, user: user)
        plan.installations = [installation]
        return plan
    }

    private static func receipt(_ plan: ErasurePlan = plan()) -> ErasureReceipt {
        ErasureReceipt(
            plan,
            completed: Timestamp(milliseconds: 1_764_500_060_000),
            position: "9.4096",
            indexedEvents: 5,
            key: key
        )
    }

    private static func text(_ receipt: ErasureReceipt) -> String { String(decoding: receipt.json, as: UTF8.self) }

    private static func run(_ body: @Sendable @escaping (CollectorUnderTest) async throws -> Void) async throws {
        try await CollectorUnderTest.run(hasErasures: true, body)
    }

    @Test
    func `a preview shows what an erasure would remove, and changes nothing`() async throws {
        try await Self.run { collector in
            collector.store.add(Self.preview())
            let answer = try await collector.request("GET", "/v1/users/a%2Fb%20%E2%98%83/erasure")
            #expect(answer.status == 200)
            #expect(
                answer.body == """
                    {"user":"a/b ☃","events":7,"installations":[{"installation":"\(Self.installation)","shared":true,\
                    "events":4}],"events_without_installation":3}
                    """
            )
            #expect(try collector.kept(.userErasure).isEmpty && collector.erasures?.plans.isEmpty == true)
        }
    }

    @Test
    func `an erasure waits for the index, which may lack a merge`() async throws {
        let change: (inout CollectorConfiguration) -> Void = { $0.expectationCatchUp = .milliseconds(5) }
        try await CollectorUnderTest.run(change, hasErasures: true) { collector in
            collector.store.add(Self.preview("anna"))
            #expect(try await collector.post(Array(#"{"name":"a"}"#.utf8)).status == 200)
            let key = ["authorization": "Bearer both"]
            let early = try await collector.request("DELETE", "/v1/users/anna", key)
            #expect(early.status == 503 && early.errorCode == "index_behind", "\(early.body)")
            #expect(try collector.kept(.userErasure).isEmpty)
            for _ in 0..<10 { collector.store.add("a") }
            #expect(try await collector.request("DELETE", "/v1/users/anna", key).status == 202)
        }
    }

    @Test
    func `an unknown user cannot be previewed or erased`() async throws {
        try await Self.run { collector in
            for (method, path) in [("GET", "/v1/users/anna/erasure"), ("DELETE", "/v1/users/anna")] {
                let answer = try await collector.request(method, path, ["authorization": "Bearer both"])
                #expect(answer.status == 404 && answer.errorCode == "not_found")
                #expect(answer.text("message") == "No user has the id “anna”: no event of this user has arrived.")
            }
            #expect(try collector.kept(.userErasure).isEmpty)
        }
    }

    @Test
    func `an erasure is stored durably, and the response contains its id`() async throws {
        try await Self.run { collector in
            collector.store.add(Self.preview())
            let headers = ["authorization": "Bearer both"]
            let answer = try await collector.request("DELETE", "/v1/users/a%2Fb%20%E2%98%83", headers)
            #expect(answer.status == 202 && answer.text("durability") == "disk")
            let identity = Self.key.hash(user: "a/b ☃")
            #expect(answer.text("erasure") == "1700000000000-\(identity.description.prefix(12))")
            let payloads = try collector.kept(.userErasure)
            let payload = try #require(payloads.first)
            let record = try payload.withUnsafeBytes { bytes in Result { try UserErasureRecord(payload: bytes) } }.get()
            #expect(payloads.count == 1 && record.user == "a/b ☃" && record.identity == identity)
            #expect(record.key == "operator" && record.received.milliseconds == 1_700_000_000_000)
            #expect(try #require(answer.text("position")).contains("."))
        }
    }

    @Test
    func `an erased user without stored events can be erased again`() async throws {
        try await Self.run { collector in
            collector.store.erase(user: "anna")
            let answer = try await collector.request("DELETE", "/v1/users/anna", ["authorization": "Bearer both"])
            #expect(answer.status == 202)
            #expect(try collector.kept(.userErasure).count == 1)
        }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var key: String? = "both"
        var method = "DELETE"
        var path = "/v1/users/anna"
        var status: Int
        var code: String
    }

    static let refusals: [Refusal] = [
        Refusal(testDescription: "no key", key: nil, status: 401, code: "key_missing"),
        Refusal(testDescription: "an unknown key", key: "x", status: 401, code: "key_unknown"),
        Refusal(testDescription: "an app's key", key: "write", status: 403, code: "key_forbidden"),
        Refusal(testDescription: "a reader's key", key: "read", status: 403, code: "key_forbidden"),
        Refusal(testDescription: "a placeholder", path: "/v1/users/null", status: 400, code: "malformed_query"),
        Refusal(testDescription: "spaces", path: "/v1/users/%20%20", status: 400, code: "malformed_query"),
        Refusal(
            testDescription: "a capitalized placeholder",
            path: "/v1/users/Guest",
            status: 400,
            code: "malformed_query"
        ),
        Refusal(testDescription: "an empty id", path: "/v1/users/", status: 404, code: "not_found"),
        Refusal(testDescription: "another method", method: "PUT", status: 405, code: "method_not_allowed"),
        Refusal(
            testDescription: "an unknown parameter",
            method: "GET",
            path: "/v1/users/anna/erasure?dry=1",
            status: 400,
            code: "malformed_query"
        ),
        Refusal(
            testDescription: "a limit of 0",
            method: "GET",
            path: "/v1/erasures?limit=0",
            status: 400,
            code: "malformed_query"
        ),
    ]

    @Test(arguments: refusals)
    func `an invalid request erases nothing`(_ refusal: Refusal) async throws {
        try await Self.run { collector in
            collector.store.add(Self.preview("anna"))
            let headers = refusal.key.map { ["authorization": "Bearer \($0)"] } ?? [:]
            let answer = try await collector.request(refusal.method, refusal.path, headers)
            #expect(answer.status == refusal.status && answer.errorCode == refusal.code)
            #expect(try collector.kept(.userErasure).isEmpty)
        }
    }

    // MARK: Lists and receipts

    @Test
    func `pending and complete erasures are listed, but follow-ups are not`() async throws {
        try await Self.run { collector in
            let queue = try #require(collector.erasures)
            let empty = try await collector.request("GET", "/v1/erasures")
            #expect(empty.status == 200 && empty.body == #"{"pending":[],"erasures":[]}"#)
            let (old, new) = (Self.receipt(Self.plan("bob", requested: 5)), Self.receipt())
            for receipt in [old, new] { try queue.save(receipt) }
            let pending = Self.plan("cleo", requested: 1_764_500_000_001)
            let place = EventPosition(segment: 3, offset: 17)
            let record = UserErasureRecord(
                received: Timestamp(milliseconds: 7),
                key: "shop",
                identity: Self.key.hash(user: "bob"),
                user: "bob"
            )
            try queue.add([pending, ErasurePlan(record, user: "bob", followUp: place)])
            queue.failureReason = "The disk is full."
            let state = """
                {"erasure":"\(pending.id)","subject":"user","requested":1764500000001,"by":"operator","key":"officer",\
                "completed":null,"log":{"records":0,"events":0,"shared_events":0,"rejected":0,"uninspected":0}}
                """
            let all = try await collector.request("GET", "/v1/erasures")
            let receipts = Self.text(new) + "," + Self.text(old)
            #expect(
                all.body == #"{"pending":[\#(state)],"erasures":[\#(receipts)],"problem":"The disk is full."}"#
            )
            let first = try await collector.request("GET", "/v1/erasures?limit=1")
            #expect(first.body.contains(Self.text(new)) && !first.body.contains(Self.text(old)))
            #expect(first.body.contains(state) && !all.body.contains("cleo"))
        }
    }

    @Test
    func `one erasure is shown as its receipt, or as its state`() async throws {
        try await Self.run { collector in
            let queue = try #require(collector.erasures)
            let pending = Self.plan("cleo")
            try queue.add([pending])
            try queue.save(Self.receipt())
            let receipt = try await collector.request("GET", "/v1/erasures/\(Self.plan().id)")
            #expect(receipt.status == 200 && receipt.body == Self.text(Self.receipt()))
            let state = try await collector.request("GET", "/v1/erasures/\(pending.id)")
            #expect(state.status == 202 && state.body.contains(#""completed":null"#))
            // A receipt is shown when the plan, which contains the person's id, is gone.
            try queue.save(Self.receipt(pending))
            #expect(try await collector.request("GET", "/v1/erasures/\(pending.id)").status == 202)
            try queue.remove(pending)
            #expect(try await collector.request("GET", "/v1/erasures/\(pending.id)").status == 200)
        }
    }

    @Test(arguments: ["1-0", "..%2Fkeys", "%2E%2E", "1764500000000-e95a377db3c8.json", "x"])
    func `an unknown erasure gets 404`(_ id: String) async throws {
        try await Self.run { collector in
            try #require(collector.erasures).save(Self.receipt())
            let answer = try await collector.request("GET", "/v1/erasures/\(id)")
            #expect(answer.status == 404 && answer.errorCode == "not_found")
        }
    }

    // MARK: Checking receipts

    @Test(arguments: [
        ("", "", "", "valid"), ("?id=anna", "", "", "valid"), ("?id=bob", "", "", "other_identity"),
        ("?id=anna", #""events":5"#, #""events":6"#, "changed"),
        ("?id=bob", #""key":"officer""#, #""key":"intern""#, "changed"),
        ("", key.fingerprint, "0123456789abcdef", "other_key"),
    ])
    func `a receipt gets a verdict`(_ query: String, _ part: String, _ other: String, _ verdict: String) async throws {
        try await Self.run { collector in
            let body = part.isEmpty ? Self.text(Self.receipt()) : Self.text(Self.receipt()).replacing(part, with: other)
            let answer = try await collector.request("POST", "/v1/erasures/verify\(query)", body: Array(body.utf8))
            let message = try #require(ErasureVerdict(rawValue: verdict)).message
            #expect(answer.status == 200)
            let valid = verdict == "valid"
            #expect(answer.body == #"{"valid":\#(valid),"verdict":"\#(verdict)","message":"\#(message)"}"#)
        }
    }

    @Test(arguments: [("", "not valid JSON"), ("{", "not valid JSON"), ("{}", "“erasure”"), ("[]", "“erasure”")])
    func `a body that is not a receipt is rejected with the reason`(_ body: String, _ reason: String) async throws {
        try await Self.run { collector in
            let answer = try await collector.request("POST", "/v1/erasures/verify", body: Array(body.utf8))
            #expect(answer.status == 400 && answer.errorCode == "malformed_query")
            #expect(answer.text("message")?.contains(reason) == true || answer.body.contains(reason))
        }
    }

    @Test
    func `a body that is too large for a receipt is rejected`() async throws {
        try await Self.run { collector in
            let body = Array(repeating: UInt8(ascii: " "), count: 17 << 10)
            let answer = try await collector.request("POST", "/v1/erasures/verify", body: body)
            #expect(answer.status == 413)
        }
    }

    // MARK: Events of erased users

    @Test
    func `events of an erased user are rejected in every format, and not stored`() async throws {
        try await Self.run { collector in
            collector.store.erase(user: "user-42")
            let lines = [
                #"{"context":{"user":{"id":"user-42"}}}"#, #"{"name":"secret"}"#, #"{"context":{}}"#,
                #"{"name":"open"}"#,
            ]
            let own = try await collector.post(Array(lines.joined(separator: "\n").utf8))
            #expect(own.status == 200 && own.body.contains(#""accepted":1,"#))
            #expect(own.body.contains(#""code":"user_erased""#) && !own.body.contains("user-42"))
            let sift = try await collector.request(
                "PUT",
                SiftSamples.path,
                ["authorization": "Bearer write"],
                body: Array(SiftSamples.list.utf8)
            )
            // Clients of this format delete events after this response.
            #expect(sift.status == 400 && sift.errorCode == "user_erased")
            let tracked = #"{"type":"track","event":"secret","time":1,"distinct_id":"user-42","login_id":"user-42"}"#
            let sensors = try await collector.request(
                "POST",
                "/sa?project=production",
                body: Array("data_list=[\(tracked.replacing("}", with: #","properties":{}}"#))]".utf8)
            )
            #expect(sensors.status == 200)
            let kept = try collector.kept(.intake)
            #expect(kept.count == 1)
            for record in kept + (try collector.kept(.quarantine)) {
                let record = try record.withUnsafeBytes { bytes in Result { try IntakeRecord(payload: bytes) } }.get()
                let body = record.header.encoding == .gzip ? try Gzip.inflate(record.body) : record.body
                let text = String(decoding: body, as: UTF8.self)
                #expect(!text.contains("secret") && !text.contains("user-42"))
            }
            let metrics = try await collector.request("GET", "/metrics")
            #expect(metrics.body.contains(#"trackway_events_rejected_total{code="user_erased"} 4"#))
        }
    }

    // MARK: Installations and clusters

    @Test
    func `the erasure of an installation also has an id`() async throws {
        try await Self.run { collector in
            let path = "/v1/installations/\(Self.installation)"
            let answer = try await collector.request("DELETE", path, ["authorization": "Bearer both"])
            let hash = Self.key.hash(installation: Self.installation).description
            #expect(answer.status == 200 && answer.text("erasure") == "1700000000000-\(hash.prefix(12))")
        }
    }

    @Test(arguments: [
        ("GET", "/v1/users/anna/erasure"), ("DELETE", "/v1/users/anna"), ("GET", "/v1/erasures"),
        ("GET", "/v1/erasures/1-0"), ("POST", "/v1/erasures/verify"),
    ])
    func `a collector in a cluster erases no users`(_ method: String, _ path: String) async throws {
        try await CollectorUnderTest.run { collector in
            collector.store.add(Self.preview("anna"))
            let headers = ["authorization": "Bearer both"]
            let answer = try await collector.request(method, path, headers, body: method == "POST" ? [] : nil)
            #expect(answer.status == 501 && answer.errorCode == "erasure_unavailable")
            #expect(answer.text("message")?.contains("--no-index and --erasure-key") == true)
            #expect(try collector.kept(.userErasure).isEmpty)
        }
    }
}
