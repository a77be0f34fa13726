// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayCore

/// A kind of saved object.
enum SavedObjectKind: String, Sendable {
    /// A board.
    case board
    /// An alert.
    case alert
    /// A cohort.
    case cohort
}

/// The JSON body and the version in a request for a saved object.
struct SavedObjectRequest {
    let request: Request
    /// The kind of object for messages, such as “board”.
    let noun: String

    init(_ request: Request, of kind: SavedObjectKind) {
        self.request = request
        noun = kind.rawValue
    }

    /// Parses the body as JSON.
    ///
    /// - Parameter limit: The maximum number of bytes.
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

    /// Returns the version that a change is based on.
    ///
    /// The version is taken from `If-Match`, or else from the body or the query.
    func version(_ bodyVersion: Int64?) throws(SavedError) -> Int64 {
        let header = request.headers[.ifMatch]
        let matched = header.flatMap { Int64($0.filter { $0 != "\"" }) }
        if let header, matched == nil {
            throw SavedError(
                .malformed,
                field: "if-match",
                "“\(header.prefix(64))” is not a \(noun)'s ETag, such as \"3\"."
            )
        }
        guard let version = matched ?? bodyVersion else {
            throw SavedError(
                .malformed,
                field: "version",
                "The version is missing: send the \(noun)'s “version”, or its ETag as If-Match."
            )
        }
        return version
    }

    /// Returns the version in a request without a body.
    func version() throws -> Int64 {
        let query = QueryParameters(request.uri)
        try query.rejectUnknown(["version"])
        return try version(try query.value("version", "a whole number"))
    }

    /// Returns a handler that converts errors of saved objects to failures.
    ///
    /// - Parameter kind: The kind of object, which determines the error codes.
    static func handler(of kind: SavedObjectKind, _ handler: @escaping Endpoint.Handler) -> Endpoint.Handler {
        { call in
            do {
                return try await handler(call)
            } catch let error as SavedError {
                throw RequestFailure(error, of: kind)
            }
        }
    }

    /// Returns an `ETag` header with a version.
    static func tag(_ version: Int64) -> HTTPFields { [.eTag: "\"\(version)\""] }
}
