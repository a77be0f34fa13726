// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Reading a request's body within a limit.
enum RequestBody {
    /// The whole body.
    ///
    /// - Throws: ``RequestFailure`` `wire_too_large` or `length_required`, or what the connection fails with.
    static func collect(_ request: Request, upTo limit: Int) async throws -> ByteBuffer {
        if let declared = request.headers[.contentLength] {
            // A number too large for Int is too large for us.
            guard (Int(declared) ?? .max) <= limit else { throw tooLarge(limit) }
        } else if request.headers[.transferEncoding] == nil {
            throw RequestFailure(
                status: .lengthRequired,
                code: "length_required",
                field: "content-length",
                message: "Send the body's length, or send it chunked."
            )
        }
        do {
            return try await request.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw tooLarge(limit)
        }
    }

    private static func tooLarge(_ limit: Int) -> RequestFailure {
        RequestFailure(
            status: .contentTooLarge,
            code: "wire_too_large",
            message: "The body is longer than \(limit) bytes; send fewer events at once.",
            // The rest of the body is not worth reading.
            headers: [.connection: "close"]
        )
    }
}
