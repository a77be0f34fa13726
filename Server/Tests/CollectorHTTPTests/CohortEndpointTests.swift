// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import HTTPTypes
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorCore
@testable import CollectorHTTP

@Suite("Cohorts over HTTP")
struct CohortEndpointTests {
    private static let cohort = Array(
        #"{"where":["person.plan=pro"],"did":[{"event":"purchase","times":3,"last":"90d"}]}"#.utf8
    )

    @Test
    func `a cohort is saved, listed, read, replaced and deleted`() async throws {
        try await CollectorUnderTest.run { collector in
            let path = "/v1/cohorts/big-spenders"
            #expect(try await collector.request("GET", "/v1/cohorts").body == #"{"cohorts":[]}"#)
            let made = try await collector.request("PUT", path, body: Self.cohort)
            #expect(made.status == 201 && made.text("name") == "big-spenders")
            #expect(try await collector.request("PUT", path, body: Self.cohort).status == 200)
            let read = try await collector.request("GET", path)
            #expect(read.status == 200 && read.body.contains(#""did":[{"event":"purchase","times":3,"last":"90d"}]"#))
            #expect(try await collector.request("GET", "/v1/cohorts").body.contains(read.body))
            // What was read can be saved again.
            #expect(try await collector.request("PUT", path, body: Array(read.body.utf8)).status == 200)
            #expect(try await collector.request("DELETE", path).status == 200)
            for method in ["GET", "DELETE"] {
                let gone = try await collector.request(method, path)
                #expect(gone.status == 404 && gone.errorCode == "not_found")
            }
        }
    }

    @Test(
        arguments: [
            ("a", #"{"#, "malformed_cohort"), ("a", #"{}"#, "malformed_cohort"),
            ("a", #"{"where":["cohort=a"]}"#, "malformed_cohort"),
            ("A", #"{"did":[{"event":"x"}]}"#, "malformed_cohort"),
            ("a%2Fb", #"{"did":[{"event":"x"}]}"#, "malformed_cohort"),
            ("a", #"{"name":"b","did":[{"event":"x"}]}"#, "malformed_cohort"),
            ("a", #"{"did":[{"event":"x","last":"soon"}]}"#, "malformed_cohort"),
        ]
    )
    func `an invalid cohort is rejected`(_ name: String, _ body: String, _ code: String) async throws {
        try await CollectorUnderTest.run { collector in
            let response = try await collector.request("PUT", "/v1/cohorts/\(name)", body: Array(body.utf8))
            #expect(response.status == 422 && response.errorCode == code, "\(response.body)")
            #expect(try await collector.request("GET", "/v1/cohorts").body == #"{"cohorts":[]}"#)
        }
    }

    @Test
    func `a large definition is rejected`() async throws {
        try await CollectorUnderTest.run { collector in
            let body = Array(repeating: UInt8(ascii: " "), count: CohortLimits.definitionBytes + 1)
            let response = try await collector.request("PUT", "/v1/cohorts/a", body: body)
            #expect(response.status == 413, "\(response.body)")
        }
    }

    @Test
    func `another machine needs a key to read and to change cohorts`() async throws {
        try await CollectorUnderTest.run { collector in
            let foreign = ["x-forwarded-for": "192.0.2.1"]
            for (method, path) in [("GET", "/v1/cohorts"), ("PUT", "/v1/cohorts/a"), ("DELETE", "/v1/cohorts/a")] {
                let response = try await collector.request(method, path, foreign, body: Self.cohort)
                #expect(response.status == 401, "\(method): \(response.body)")
            }
        }
    }

    @Test(
        arguments: [
            (StoreError.unknownCohort("gone"), 422, "unknown_cohort", "where"),
            (.unsupported("unit", "ClickHouse does not count groups."), 501, "query_unsupported", "unit"),
        ]
    )
    func `an error of the store has a code and the parameter`(
        _ error: StoreError,
        _ status: Int,
        _ code: String,
        _ field: String
    ) {
        let failure = RequestFailure(error)
        #expect(failure.status.code == status && failure.code == code && failure.field == field)
        #expect(failure.message == error.message)
    }

    @Test
    func `an expectation cannot read people`() async throws {
        try await CollectorUnderTest.run { collector in
            for condition in ["person.plan=pro", "cohort=x", "a=1%20or%20cohort=x"] {
                let response = try await collector.request("GET", "/v1/expect?name=a&where=\(condition)")
                #expect(response.status == 400 && response.text("field") == "where", "\(response.body)")
            }
        }
    }
}
