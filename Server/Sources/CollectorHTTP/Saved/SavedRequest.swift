// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayEvents

/// What requests about things that people save have in common: a body of JSON, and the version that was changed.
struct SavedRequest {
    let request: Request
    /// What is saved, for people: “board”.
    let noun: String

    init(_ request: Request, of noun: String) {
        self.request = request
        self.noun = noun
    }

    /// The body as JSON.
    ///
    /// - Parameter limit: The most bytes.
    func body(
        upTo limit: Int,
        from origin: RequestOrigin,
        _ dependencies: CollectorDependencies
    ) async throws -> JSONValue {
        let unpacked: (Int) -> Int = { 8 * $0 }
        return try await RequestBody.with(
            request,
            upTo: limit,
            of: noun + "s",
            from: origin,
            dependencies,
            unpacked: unpacked
        ) { body in
            do {
                return try JSONValue.parse(Array(body.readableBytesView), limits: JSONLimits(bytes: limit, depth: 16))
            } catch {
                throw SavedError(.malformed, "The body is not JSON: \(error)")
            }
        }
    }

    /// Which version somebody has changed: `If-Match`, else what the body or the query says.
    func version(_ told: Int64?) throws(SavedError) -> Int64 {
        let header = request.headers[.ifMatch]
        let matched = header.flatMap { Int64($0.filter { $0 != "\"" }) }
        if let header, matched == nil {
            throw SavedError(
                .malformed,
                field: "if-match",
                "“\(header.prefix(64))” is not a \(noun)'s ETag, such as \"3\"."
            )
        }
        guard let version = matched ?? told else {
            throw SavedError(
                .malformed,
                field: "version",
                "Which version was changed is not told: send the \(noun)'s “version”, or its ETag as If-Match."
            )
        }
        return version
    }

    /// The version that a request without a body tells.
    func version() throws -> Int64 {
        let query = Query(request.uri)
        try query.takesOnly(["version"])
        return try version(try query.value("version", "a whole number"))
    }

    /// A handler whose errors about saved things become failures.
    ///
    /// - Parameter noun: What is saved: `board`, which the codes name.
    static func handler(of noun: String, _ handler: @escaping Endpoint.Handler) -> Endpoint.Handler {
        { call in
            do {
                return try await handler(call)
            } catch let error as SavedError {
                throw RequestFailure(error, of: noun)
            }
        }
    }

    /// A version as a header.
    static func tag(_ version: Int64) -> HTTPFields { [.eTag: "\"\(version)\""] }
}
