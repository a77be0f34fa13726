// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayEvents
internal import TrackwayWire

/// Reading a request's body within a limit.
enum RequestBody {
    /// Reads the whole body and hands it over, with room in memory for both.
    ///
    /// The body is charged for what has come of it, whatever length the request claims.
    ///
    /// - Parameters:
    ///   - limit: The most bytes.
    ///   - sender: Whose body it is: no sender gets more than a share of the memory.
    ///   - origin: Where it comes from: neither does an address.
    ///   - unpacked: How many bytes are made of so many at most.
    /// - Throws: ``RequestFailure`` `wire_too_large`, `length_required` or `busy`, what the connection fails with, or what
    ///   `use` throws.
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
            return try await dependencies.bodies.arrival(of: sender, from: origin.address, abandon: origin.failBody) {
                arriving in
                let body = try await collect(request, upTo: limit, arriving)
                return try await dependencies.bodies.unpacking(unpacked(body.readableBytes), by: sender) {
                    try await use(body)
                }
            }
        } catch let error as IntakeError where error.code == .busy {
            dependencies.statistics.withLock { $0.busy += 1 }
            var failure = RequestFailure(error)
            // Its body may not have been read, and is not worth reading.
            failure.headers[.connection] = "close"
            throw failure
        }
    }

    /// Reads the whole body of a request that was made with a key. Failures carry the key's name.
    ///
    /// - Throws: As ``with(_:upTo:of:from:_:unpacked:_:)`` does.
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

    /// What is made of a body in our own format: itself, inflated, and the record.
    static func unpackedBytes(_ bytes: Int, _ encoding: ContentEncoding, limits: AdmissionLimits) -> Int {
        guard encoding == .gzip else { return 2 * bytes }
        return 2 * bytes + inflatedBytes(bytes, limits.body)
    }

    private static func inflatedBytes(_ bytes: Int, _ limits: InflateLimits) -> Int {
        let (most, isOver) = bytes.multipliedReportingOverflow(by: limits.ratio)
        return isOver ? limits.inflatedBytes : min(limits.inflatedBytes, max(limits.ratioFloor, most))
    }

    /// What is made of a body in another format: its text without escapes, without base64, inflated, and as values.
    static func unpackedVendorBytes(_ bytes: Int, limits: AdmissionLimits) -> Int {
        3 * bytes + 4 * inflatedBytes(bytes, limits.body)
    }

    /// Refuses a body that says itself that it is too long, or does not say where it ends.
    private static func checkLength(_ request: Request, _ limit: Int) throws(RequestFailure) {
        if let declared = request.headers[.contentLength] {
            // A number too large for Int is too large for us.
            guard let length = Int(declared), length <= limit else { throw tooLarge(limit) }
            return
        }
        guard request.headers[.transferEncoding] == nil else { return }
        throw RequestFailure(
            status: .lengthRequired,
            code: "length_required",
            field: "content-length",
            message: "Send the body's length, or send it chunked."
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
