// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore
internal import TrackwayDestinationKit

/// Creates HTTP responses.
enum JSONResponse {
    /// Returns a JSON response whose body is written directly into its buffer.
    static func make(
        _ status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        _ write: (inout JSONWriter) -> Void
    ) -> Response {
        let buffer = JSONWriter.withThreadBuffer { writer in
            write(&writer)
            return ByteBuffer(bytes: writer.bytes)
        }
        return make(status, headers: headers, buffer)
    }

    /// Returns a JSON response whose body is an existing buffer.
    static func make(_ status: HTTPResponse.Status, headers: HTTPFields = [:], _ buffer: ByteBuffer) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        addSecurityHeaders(to: &headers)
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: buffer))
    }

    /// Returns a response with status 200 and no content.
    static func empty() -> Response {
        var headers: HTTPFields = [:]
        addSecurityHeaders(to: &headers)
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
        return make(failure.status, headers: headers, ByteBuffer(bytes: body.json()))
    }

    /// Returns a retry delay in whole seconds, rounded up.
    ///
    /// A client that retried slightly too early would have to wait again.
    private static func seconds(_ wait: Duration) -> Int64 {
        let (seconds, rest) = wait.components
        return max(1, rest > 0 ? seconds + 1 : seconds)
    }

    /// Adds the security headers for browsers: no content sniffing, no caching by default, no referrer.
    static func addSecurityHeaders(to headers: inout HTTPFields) {
        headers[.xContentTypeOptions] = "nosniff"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        headers[referrerPolicy] = "no-referrer"
    }

    /// `Referrer-Policy`, which is not among the predefined names.
    private static let referrerPolicy = HTTPField.Name.literal("referrer-policy")
}

extension HTTPField.Name {
    /// Returns the field name given by a valid literal.
    static func literal(_ text: StaticString) -> HTTPField.Name {
        // All literals are valid tokens, so the fallback is never used.
        HTTPField.Name(text.description) ?? .xContentTypeOptions
    }
}

/// A response to a query that has been checked but not run.
struct DeferredResponse: Sendable {
    private let query: @Sendable () async throws -> Response

    /// Creates a response from a query that has been checked.
    ///
    /// - Parameter query: Queries the index and writes the response.
    init(_ query: @escaping @Sendable () async throws -> Response) {
        self.query = query
    }

    /// Runs the query and returns the response.
    ///
    /// - Throws: ``RequestFailure`` if too many queries are running, or the ``StoreError`` of the index.
    func run() async throws -> Response { try await query() }
}
