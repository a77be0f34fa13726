// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayEvents
internal import TrackwayWire

/// Creates responses.
enum Answer {
    /// Returns a JSON response that is written directly into its buffer.
    static func json(
        _ status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        _ write: (inout JSONWriter) -> Void
    ) -> Response {
        let buffer = JSONWriter.withThreadBuffer { writer in
            write(&writer)
            return ByteBuffer(bytes: writer.bytes)
        }
        return json(status, headers: headers, buffer)
    }

    /// Returns a JSON response with existing text.
    static func json(_ status: HTTPResponse.Status, headers: HTTPFields = [:], _ buffer: ByteBuffer) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        protect(&headers)
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: buffer))
    }

    /// Returns a response with status 200 and no content.
    static func empty() -> Response {
        var headers: HTTPFields = [:]
        protect(&headers)
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer()))
    }

    /// Returns the response to a request that failed.
    static func failure(_ failure: RequestFailure) -> Response {
        var headers = failure.headers
        if let wait = failure.retryAfter { headers[.retryAfter] = String(seconds(wait)) }
        let body = CollectorFailure(
            code: failure.code,
            field: failure.field.isEmpty ? nil : failure.field,
            message: failure.message
        )
        return json(failure.status, headers: headers, ByteBuffer(bytes: body.json()))
    }

    /// Returns a wait in whole seconds, rounded up.
    ///
    /// A client that came back a moment early would have to wait again.
    private static func seconds(_ wait: Duration) -> Int64 {
        let (seconds, rest) = wait.components
        return max(1, rest > 0 ? seconds + 1 : seconds)
    }

    /// Adds the headers for browsers: no type guessing, no copies, no referrer.
    static func protect(_ headers: inout HTTPFields) {
        headers[.xContentTypeOptions] = "nosniff"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        headers[referrerPolicy] = "no-referrer"
    }

    /// `Referrer-Policy`, which is missing from the predefined names.
    private static let referrerPolicy = name("referrer-policy")

    /// Returns a header's name from a valid literal.
    static func name(_ literal: StaticString) -> HTTPField.Name {
        // Only called with literals that are valid tokens; the fallback is never used.
        HTTPField.Name(literal.description) ?? .xContentTypeOptions
    }
}

/// A response to a query that was checked but not run yet.
///
/// It allows checking a query without running it.
struct DeferredResponse: Sendable {
    private let ask: @Sendable () async throws -> Response

    /// - Parameter ask: Queries the index and writes the response.
    init(_ ask: @escaping @Sendable () async throws -> Response) {
        self.ask = ask
    }

    /// Runs the query and returns the response.
    ///
    /// - Throws: ``RequestFailure`` if too many queries are running, or the ``StoreError`` of the index.
    func answer() async throws -> Response { try await ask() }
}
