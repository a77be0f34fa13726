// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes
internal import Testing

@testable import CollectorHTTP

/// Path patterns, and the table that looks them up.
struct RouteTableTests {
    @Test(
        arguments: [
            ("/a/{id}", "/a/x%2Fy", ["id": "x%2Fy"]), ("/a/{id}", "/a/", nil), ("/a/{id}", "/a/x/", nil),
            ("/a/{id}", "/a", nil), ("/a/{id?}", "/a/", ["id": ""]), ("/a/{id?}/b", "/a//b", ["id": ""]),
            ("/a/{id}/b/{other}", "/a/1/b/2", ["id": "1", "other": "2"]), ("/a/{id}/b/{other}", "/a/1/c/2", nil),
            ("/a/{all...}/z", "/a/b/z", ["all": "b"]), ("/a/{all...}/z", "/a//z", ["all": ""]),
            ("/a/{all...}/z", "/a/z", nil), ("/a/{all...}/z", "/a/b/c/z/z", ["all": "b/c/z"]),
            ("/a/{all...}/z", "/a/b/z/y", nil), ("/a/{all...}/{id}", "/a/b/c/d", ["all": "b/c", "id": "d"]),
            ("/a", "/a", [:]), ("/a", "a", nil), ("/a/{id}", "*", nil),
        ] as [(RoutePattern, String, [String: String]?)]
    )
    func `a pattern returns its variable parts as spelled in the path`(
        pattern: RoutePattern,
        path: String,
        parts: [String: String]?
    ) {
        #expect(pattern.match(RoutePattern.split(path)) == parts)
    }

    private struct BookResource: RoutedResource {
        func register(in routes: inout RouteTable) {
            routes.read("/v1/books/{id}", .lookup) { _ in JSONResponse.empty() }
            routes.read("/v1/books/new", .untimed) { _ in JSONResponse.empty() }
            routes.add(.delete, "/v1/books/{id}", .sending) { _ in JSONResponse.empty() }
            routes.changeFailures(at: "/v1/books/new") { _ in .notFound("another") }
        }
    }

    private let table = RouteTable([BookResource()])

    @Test
    func `a path without variable parts wins, and HEAD is handled as GET`() throws {
        for method in [HTTPRequest.Method.get, .head] {
            guard case .endpoint(let fixed, let none) = try table.find(method, "/v1/books/new") else {
                Issue.record("no endpoint")
                return
            }
            #expect(fixed.source == .untimed && none.isEmpty && fixed.durations == nil)
            guard case .endpoint(let endpoint, let parameters) = try table.find(method, "/v1/books/7") else {
                Issue.record("no endpoint")
                return
            }
            #expect(endpoint.source == .lookup && parameters == ["id": "7"] && endpoint.durations == \.reads)
        }
        #expect(throws: RequestFailure.self) { try table.find(.delete, "/v1/books/new") }
        #expect(throws: RequestFailure.self) { try table.find(.get, "/v1/books") }
        guard case .preflight = try table.find(.options, "/v1/books/7") else {
            Issue.record("no preflight")
            return
        }
    }

    @Test
    func `custom failure responses apply only at their path`() {
        let failure = RequestFailure.notFound("one")
        #expect(table.failure(failure, at: "/v1/books/new").message == "another")
        #expect(table.failure(failure, at: "/v1/books/7").message == "one")
    }
}
