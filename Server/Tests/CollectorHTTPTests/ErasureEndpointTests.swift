// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

@testable import CollectorCore
@testable import CollectorHTTP

@Suite("Erasure over HTTP")
struct ErasureEndpointTests {
    private static let secret = InstallationSecret(high: 1, low: 2)
    private static let former = secret.installation(at: Timestamp(milliseconds: 1_700_000_000_000))
    private static let fresh = InstallationID(high: 0x018B_CFE5_6800_7000, low: 1 << 63 | 7)

    private static func batch(_ sender: InstallationID, _ lines: String...) -> [UInt8] {
        let header = #"{"batch":{"installation":"\#(sender)","writer":"\#(sender)","first":1,"last":\#(lines.count)}}"#
        return Array(([header] + lines).joined(separator: "\n").utf8)
    }

    private static func tombstone(_ proof: InstallationSecret?) -> String {
        let proof = proof.map { #","proof":"\#($0)""# } ?? ""
        return #"{"name":"_installation_erased","attributes":{"installation":"\#(former)"\#(proof)}}"#
    }

    private static func answer(_ answer: TestHTTPResponse) throws -> CollectorAcknowledgment {
        guard case .acknowledgment(let taken) = try #require(CollectorResponseBody(json: Array(answer.body.utf8)))
        else {
            throw NoResponseError()
        }
        return taken
    }

    @Test
    func `an erasure is accepted with its proof; without the proof, it is rejected with the reason`() async throws {
        try await CollectorUnderTest.run { collector in
            let good = try await collector.post(Self.batch(Self.fresh, Self.tombstone(Self.secret)))
            #expect(try Self.answer(good).accepted == 1)
            let other = InstallationSecret(high: 2, low: 1)
            for proof in [nil, other] {
                let bad = try Self.answer(
                    try await collector.post(Self.batch(Self.fresh, Self.tombstone(proof), #"{"name":"a"}"#))
                )
                #expect(bad.accepted == 1)
                #expect(bad.rejected.map(\.code) == ["erasure_unproved"])
                #expect(bad.rejected.first?.message?.contains("trackway installations erase \(Self.former)") == true)
            }
            let alone = try await collector.post(Array(Self.tombstone(nil).utf8))
            #expect(alone.status == 400 && alone.errorCode == "erasure_unproved")
        }
    }

    @Test
    func `events of an erased installation are not stored, and the response rejects each of them`() async throws {
        try await CollectorUnderTest.run { collector in
            collector.store.erase(Self.former)
            let batch = Self.batch(Self.former, #"{"name":"secret_name"}"#, "{}", #"{"name":"c"}"#)
            let taken = try Self.answer(try await collector.post(batch))
            #expect(taken.accepted == 0)
            #expect(taken.rejected.map(\.index) == [0, 1, 2])
            #expect(taken.rejected.allSatisfy { $0.code == "installation_erased" })
            #expect(try collector.kept(.intake).isEmpty && collector.kept(.quarantine).isEmpty)
            let record = try #require(try collector.kept(.erasedEvents).first)
            let kept = try record.withUnsafeBytes { try ErasureRecord(payload: $0) }
            #expect(kept.installation == Self.former && kept.events == 3 && kept.key == "shop")
            let metrics = try await collector.request("GET", "/metrics")
            #expect(metrics.body.contains(#"trackway_events_rejected_total{code="installation_erased"} 3"#))
        }
    }

    @Test
    func `events in other formats are also not stored once their installation is erased`() async throws {
        try await CollectorUnderTest.run { collector in
            let event = #"{"type":"track","event":"secret_name","time":1,"distinct_id":"d","properties":{}}"#
            let installation = StableID.installation(["sensors", "production", "d"])
            let other = event.replacing(#""d""#, with: #""e""#)
            collector.store.erase(installation)
            let sensors = try await collector.request(
                "POST",
                "/sa?project=production",
                body: Array("data_list=[\(event),\(other)]".utf8)
            )
            #expect(sensors.status == 200)
            collector.store.erase(Self.former)
            let sift = try await collector.request(
                "PUT",
                "/v3/accounts/acct_1/mobile_events",
                ["authorization": "Bearer write"],
                body: Array(#"{"data":[{"installation_id":"\#(Self.former)","fields":{"secret_name":"x"}}]}"#.utf8)
            )
            // Clients of this format delete events after this response.
            #expect(sift.status == 400 && sift.errorCode == "installation_erased")
            let kept = try collector.kept(.intake)
            #expect(kept.count == 1)
            let record = try #require(try kept.first?.withUnsafeBytes { try IntakeRecord(payload: $0) })
            var installations: [InstallationID?] = []
            try record.visit(header: { installations.append($0.installation) }, event: { _ in })
            #expect(installations == [StableID.installation(["sensors", "production", "e"])])
            #expect(try collector.kept(.erasedEvents).count == 2)
        }
    }

    struct OperatorRequest: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var key: String?
        var id = ErasureEndpointTests.former.description
        var method = "DELETE"
        var status: Int
        var code: String?
    }

    static let operatorRequests: [OperatorRequest] = [
        OperatorRequest(testDescription: "an operator's key", key: "both", status: 200),
        OperatorRequest(testDescription: "no key", key: nil, status: 401, code: "key_missing"),
        OperatorRequest(testDescription: "an unknown key", key: "x", status: 401, code: "key_unknown"),
        OperatorRequest(testDescription: "an app's key", key: "write", status: 403, code: "key_forbidden"),
        OperatorRequest(testDescription: "a reader's key", key: "read", status: 403, code: "key_forbidden"),
        OperatorRequest(testDescription: "an invalid id", key: "both", id: "all", status: 400, code: "malformed_query"),
        OperatorRequest(testDescription: "an empty id", key: "both", id: "", status: 404, code: "not_found"),
        OperatorRequest(
            testDescription: "another method",
            key: "both",
            method: "POST",
            status: 405,
            code: "method_not_allowed"
        ),
    ]

    @Test(arguments: operatorRequests)
    func `only an operator's key, which may write and read, may erase`(_ request: OperatorRequest) async throws {
        try await CollectorUnderTest.run { collector in
            let headers = request.key.map { ["authorization": "Bearer \($0)"] } ?? [:]
            let answer = try await collector.request(request.method, "/v1/installations/\(request.id)", headers)
            #expect(answer.status == request.status)
            #expect(answer.errorCode == request.code)
            #expect(try collector.kept(.erasure).count == (request.status == 200 ? 1 : 0))
        }
    }
}
