// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayEvents
internal import TrackwayWire

/// Making responses.
enum Answer {
    /// A JSON answer, written straight into the response's buffer.
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

    /// A JSON answer whose text exists already.
    static func json(_ status: HTTPResponse.Status, headers: HTTPFields = [:], _ buffer: ByteBuffer) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        protect(&headers)
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: buffer))
    }

    /// 200 with nothing in it.
    static func empty() -> Response {
        var headers: HTTPFields = [:]
        protect(&headers)
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer()))
    }

    /// The answer to a request that failed.
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

    /// A wait in whole seconds, rounded up: a client that comes back a moment early would have to wait again.
    private static func seconds(_ wait: Duration) -> Int64 {
        let (seconds, rest) = wait.components
        return max(1, rest > 0 ? seconds + 1 : seconds)
    }

    /// What every answer says to a browser: do not guess the type, keep no copy, send no referrer.
    static func protect(_ headers: inout HTTPFields) {
        headers[.xContentTypeOptions] = "nosniff"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        headers[referrerPolicy] = "no-referrer"
    }

    /// `Referrer-Policy`, which the shared names lack.
    private static let referrerPolicy = name("referrer-policy")

    /// A header's name from a literal that is one.
    static func name(_ literal: StaticString) -> HTTPField.Name {
        // Only called with literals below that are valid tokens; the fallback is never taken.
        HTTPField.Name(literal.description) ?? .xContentTypeOptions
    }
}

/// An answer to a question that was read, found right, and is not asked yet. So a question can be checked without asking it.
struct PreparedAnswer: Sendable {
    private let ask: @Sendable () async throws -> Response

    /// - Parameter ask: Asks the index and writes the answer.
    init(_ ask: @escaping @Sendable () async throws -> Response) {
        self.ask = ask
    }

    /// Asks, and answers.
    ///
    /// - Throws: ``RequestFailure`` when too many are asking, or ``StoreError`` of the index.
    func answer() async throws -> Response { try await ask() }
}
