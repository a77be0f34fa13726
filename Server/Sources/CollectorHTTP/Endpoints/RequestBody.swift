// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore
internal import TrackwayDestinationKit

/// Reads request bodies within a limit.
enum RequestBody {
    /// Reads the whole body and passes it to a closure.
    ///
    /// Memory is reserved for the body and for its unpacked content. The reservation for the body counts the bytes
    /// received, regardless of the declared length.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes.
    ///   - sender: The sender of the body. No sender gets more than its share of the memory.
    ///   - origin: The origin of the request. No address gets more than its share of the memory.
    ///   - unpacked: Returns the maximum size of the unpacked content for a body of a given size.
    /// - Throws: ``RequestFailure`` `wire_too_large`, `length_required` or `busy`, an error of the connection, or the
    ///   error of `use`.
    static func with<Result>(
        _ request: Request,
        upTo limit: Int,
        of sender: String,
        from origin: RequestOrigin,
        _ dependencies: CollectorDependencies,
        unpacked: (Int) -> Int,
        _ use: (ByteBuffer) async throws -> Result
    ) async throws -> Result {
        try checkLength(request, limit)
        do {
            return try await dependencies.bodies.withArrivingBody(
                of: sender,
                from: origin.address,
                abandon: origin.failBody
            ) {
                arriving in
                let body = try await collect(request, upTo: limit, arriving)
                return try await dependencies.bodies.withUnpackedBytes(unpacked(body.readableBytes), by: sender) {
                    try await use(body)
                }
            }
        } catch let error as IntakeError where error.code == .busy {
            dependencies.statistics.withLock { $0.busy += 1 }
            var failure = RequestFailure(error)
            // Close the connection instead of reading the rest of the body.
            failure.headers[.connection] = "close"
            throw failure
        }
    }

    /// Reads the whole body of a request with a key.
    ///
    /// Errors contain the key's name.
    ///
    /// - Throws: The errors of ``with(_:upTo:of:from:_:unpacked:_:)``.
    static func with<Result>(
        _ request: Request,
        upTo limit: Int,
        under grant: KeyGrant,
        from origin: RequestOrigin,
        _ dependencies: CollectorDependencies,
        unpacked: (Int) -> Int,
        _ use: (ByteBuffer) async throws -> Result
    ) async throws -> Result {
        do {
            return try await with(
                request,
                upTo: limit,
                of: grant.name,
                from: origin,
                dependencies,
                unpacked: unpacked,
                use
            )
        } catch var failure as RequestFailure {
            failure.key = grant.name
            throw failure
        }
    }

    /// Returns the memory to reserve for a body in Trackway's own format.
    ///
    /// The result covers the body, its decompressed content, and the record.
    static func unpackedBytes(_ bytes: Int, _ encoding: ContentEncoding, limits: AdmissionLimits) -> Int {
        guard encoding == .gzip else { return 2 * bytes }
        return 2 * bytes + inflatedBytes(bytes, limits.body)
    }

    private static func inflatedBytes(_ bytes: Int, _ limits: InflateLimits) -> Int {
        let (most, isOver) = bytes.multipliedReportingOverflow(by: limits.ratio)
        return isOver ? limits.inflatedBytes : min(limits.inflatedBytes, max(limits.ratioFloor, most))
    }

    /// Returns the memory to reserve for a body in a vendor format.
    ///
    /// The result covers the unescaped text, the base64-decoded bytes, the decompressed content, and the parsed values.
    static func unpackedVendorBytes(_ bytes: Int, limits: AdmissionLimits) -> Int {
        3 * bytes + 4 * inflatedBytes(bytes, limits.body)
    }

    /// Rejects a body whose declared length is too large, or missing without chunked encoding.
    private static func checkLength(_ request: Request, _ limit: Int) throws(RequestFailure) {
        if let declared = request.headers[.contentLength] {
            // A length that exceeds `Int` also exceeds the limit.
            guard let length = Int(declared), length <= limit else { throw tooLarge(limit) }
            return
        }
        guard request.headers[.transferEncoding] == nil else { return }
        throw RequestFailure(
            status: .lengthRequired,
            code: .lengthRequired,
            field: "content-length",
            message: "Send a Content-Length header, or use chunked encoding."
        )
    }

    private static func collect(
        _ request: Request,
        upTo limit: Int,
        _ arriving: ArrivingBody
    ) async throws -> ByteBuffer {
        var body = ByteBuffer()
        for try await part in request.body {
            guard body.readableBytes + part.readableBytes <= limit else { throw tooLarge(limit) }
            try await arriving.charge(part.readableBytes)
            if body.readableBytes == 0 { body = part } else { body.writeImmutableBuffer(part) }
        }
        return body
    }

    /// Returns the failure of a body above the limit; `remedy` completes its message.
    static func tooLarge(_ limit: Int, _ remedy: String = "send fewer events per request") -> RequestFailure {
        RequestFailure(
            status: .contentTooLarge,
            code: .wireTooLarge,
            message: "The body is longer than \(limit) bytes; \(remedy).",
            // Close the connection instead of reading the rest of the body.
            headers: [.connection: "close"]
        )
    }
}
