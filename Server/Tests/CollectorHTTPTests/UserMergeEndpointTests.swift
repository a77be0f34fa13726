// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable import CollectorHTTP

@Suite("Merging users over HTTP")
struct UserMergeEndpointTests {
    private static let both = ["authorization": "Bearer both"]

    private static func merge(_ user: String, _ target: String, _ outcome: MergeStatement.Outcome = .merged)
        -> StoredMerge
    {
        StoredMerge(
            MergeStatement(user, into: target, at: 1_800_000_000_000, by: .app),
            outcome,
            received: Timestamp(milliseconds: 7),
            key: "shop",
            installation: SentBatch.installation(1)
        )
    }

    private static func records(_ collector: CollectorUnderTest) throws -> [UserMergeRecord] {
        try collector.kept(.userMerge).map { payload in
            try payload.withUnsafeBytes { bytes in Result { try UserMergeRecord(payload: bytes) } }.get()
        }
    }

    @Test
    func `a preview shows what merging would do, and changes nothing`() async throws {
        try await CollectorUnderTest.run(hasErasures: true) { collector in
            let answer = try await collector.request("GET", "/v1/users/carl/merge?into=a%2Fb")
            #expect(answer.status == 200)
            #expect(
                answer.body == #"{"user":"carl","into":"a/b","outcome":"merged","person":"a/b","merged":[],"events":4}"#
            )
            #expect(try collector.kept(.userMerge).isEmpty)
        }
    }

    @Test
    func `a merge and its withdrawal are stored durably, after all statements about the users`() async throws {
        try await CollectorUnderTest.run(hasErasures: true) { collector in
            let merged = try await collector.request("POST", "/v1/users/carl/merge?into=user-42", Self.both)
            #expect(merged.status == 202 && merged.text("outcome") == "merged" && merged.text("durability") == "disk")
            collector.store.merges = [Self.merge("carl", "user-42")]
            let again = try await collector.request("POST", "/v1/users/carl/merge?into=user-42", Self.both)
            #expect(again.status == 200 && again.text("outcome") == "repeated")
            let undone = try await collector.request("POST", "/v1/users/carl/unmerge", Self.both)
            #expect(undone.status == 202 && undone.text("outcome") == "undoes")
            let records = try Self.records(collector)
            #expect(records.map(\.user) == ["carl", "carl"] && records.map(\.target) == ["user-42", nil])
            #expect(records.map(\.key) == ["operator", "operator"])
            // The clock of the device whose statement is undone is ahead, which does not matter.
            #expect(records.map(\.time.milliseconds) == [1_700_000_000_000, 1_700_000_000_000])
            #expect(records.map(\.received.milliseconds) == [1_700_000_000_000, 1_700_000_000_000])
        }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var key: String? = "both"
        var method = "POST"
        var path = "/v1/users/carl/merge?into=user-42"
        var status: Int
        var code: String
    }

    static let refusals: [Refusal] = [
        Refusal(testDescription: "no key", key: nil, status: 401, code: "key_missing"),
        Refusal(testDescription: "an app's key", key: "write", status: 403, code: "key_forbidden"),
        Refusal(testDescription: "a reader's key", key: "read", status: 403, code: "key_forbidden"),
        Refusal(
            testDescription: "an app's key, undoing",
            key: "write",
            path: "/v1/users/a/unmerge",
            status: 403,
            code: "key_forbidden"
        ),
        Refusal(testDescription: "no target", path: "/v1/users/carl/merge", status: 400, code: "malformed_query"),
        Refusal(
            testDescription: "itself",
            path: "/v1/users/carl/merge?into=carl",
            status: 400,
            code: "malformed_query"
        ),
        Refusal(
            testDescription: "a placeholder",
            path: "/v1/users/carl/merge?into=Null",
            status: 400,
            code: "malformed_query"
        ),
        Refusal(
            testDescription: "a placeholder as user",
            path: "/v1/users/guest/merge?into=a",
            status: 400,
            code: "malformed_query"
        ),
        Refusal(
            testDescription: "a long id",
            path: "/v1/users/carl/merge?into=" + String(repeating: "x", count: 4_097),
            status: 400,
            code: "malformed_query"
        ),
        Refusal(
            testDescription: "an unknown parameter",
            path: "/v1/users/carl/merge?into=a&x=1",
            status: 400,
            code: "malformed_query"
        ),
        Refusal(
            testDescription: "an unknown user",
            path: "/v1/users/nobody/merge?into=a",
            status: 404,
            code: "not_found"
        ),
        Refusal(
            testDescription: "an erased user",
            path: "/v1/users/gone/merge?into=a",
            status: 409,
            code: "merge_refused"
        ),
        Refusal(
            testDescription: "into an erased user",
            path: "/v1/users/carl/merge?into=gone",
            status: 409,
            code: "merge_refused"
        ),
        Refusal(testDescription: "a conflict", path: "/v1/users/a/merge?into=c", status: 409, code: "merge_refused"),
        Refusal(testDescription: "a cycle", path: "/v1/users/b/merge?into=a", status: 409, code: "merge_refused"),
        Refusal(testDescription: "nothing to undo", path: "/v1/users/b/unmerge", status: 404, code: "not_found"),
        Refusal(testDescription: "another method", method: "PUT", status: 405, code: "method_not_allowed"),
    ]

    @Test(arguments: refusals)
    func `an invalid request merges nothing`(_ refusal: Refusal) async throws {
        try await CollectorUnderTest.run(hasErasures: true) { collector in
            collector.store.erase(user: "gone")
            collector.store.merges = [Self.merge("a", "b")]
            let headers = refusal.key.map { ["authorization": "Bearer \($0)"] } ?? [:]
            let answer = try await collector.request(refusal.method, refusal.path, headers)
            #expect(answer.status == refusal.status && answer.errorCode == refusal.code)
            #expect(try collector.kept(.userMerge).isEmpty)
        }
    }

    @Test(arguments: [
        ("GET", "/v1/users/carl/merge?into=a", 200), ("POST", "/v1/users/carl/merge?into=a", 202),
        ("POST", "/v1/users/carl/unmerge", 404),
    ])
    func `a collector without its own erasures merges users, too`(
        _ method: String,
        _ path: String,
        _ status: Int
    ) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request(method, path, Self.both)
            #expect(answer.status == status, "\(answer.body)")
            #expect(try collector.kept(.userMerge).count == (status == 202 ? 1 : 0))
        }
    }

    @Test
    func `erasing a merged user requests the erasure of all ids, the given one last`() async throws {
        try await CollectorUnderTest.run(hasErasures: true) { collector in
            var preview = ErasurePreview(user: "b", installations: [], eventsWithoutInstallation: 3)
            preview.users = ["c", "a", "b"]
            collector.store.add(preview)
            let shown = try await collector.request("GET", "/v1/users/b/erasure")
            #expect(
                shown.body
                    == #"{"user":"b","users":["c","a","b"],"events":3,"installations":[],"events_without_installation":3}"#
            )
            let answer = try await collector.request("DELETE", "/v1/users/b", Self.both)
            #expect(answer.status == 202)
            let users = try collector.kept(.userErasure).map { payload in
                try payload.withUnsafeBytes { bytes in Result { try UserErasureRecord(payload: bytes) } }.get().user
            }
            #expect(users == ["c", "a", "b"])
            let key = CollectorUnderTest.erasureKey
            let ids = ["c", "a", "b"].map { "1700000000000-\(key.hash(user: $0).description.prefix(12))" }
            #expect(
                answer.text("erasure") == ids[2]
                    && answer.body.contains(#""erasures":["\#(ids.joined(separator: #"",""#))"]"#)
            )
        }
    }
}
