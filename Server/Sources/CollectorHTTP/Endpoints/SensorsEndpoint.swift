// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore

/// The endpoints for clients of the Sensors Analytics format.
///
/// The endpoints are `POST /sa`, `POST /debug` and `GET /config/iOS.conf`.
///
/// Clients delete a body after any response except 403, 404, and 5xx. Every status that these endpoints return takes
/// this behavior into account.
struct SensorsEndpoint: RoutedResource {
    private let dependencies: CollectorDependencies
    private let intake: SensorsIntake
    private let commit: VendorCommit

    init(dependencies: CollectorDependencies) {
        self.dependencies = dependencies
        intake = SensorsIntake(limits: dependencies.configuration.limits)
        commit = VendorCommit(dependencies: dependencies)
    }

    func register(in routes: inout RouteTable) {
        let access = EndpointAccess.account { Self.token(QueryParameters($0.uri)) != nil }
        routes.add(.post, "/sa", access, .intake) { try await collect($0.request, from: $0.origin) }
        routes.add(.post, "/debug", access) { try await debug($0.request, from: $0.origin) }
        routes.add(.get, "/config/iOS.conf", .open) { try configuration($0.request) }
        routes.changeFailures(at: "/sa") { $0.keepingEvents() }
    }

    private struct OpenedRequest {
        var project: String
        var grant: KeyGrant
        var encoding: ContentEncoding
        var body: [UInt8]
        var received: Timestamp
        var origin: RequestOrigin
    }

    /// Receives one body.
    ///
    /// 200 means that the whole body is on stable storage, including invalid records with the reasons for their
    /// rejection.
    func collect(_ request: Request, from origin: RequestOrigin) async throws -> Response {
        try await open(request, from: origin) { opened in
            let batch = try await admit(opened)
            try await commit.store(
                batch,
                grant: opened.grant,
                received: opened.received,
                wireBytes: opened.body.count,
                from: opened.origin
            )
            return JSONResponse.empty()
        }
    }

    /// Checks records for a developer who is integrating a client.
    ///
    /// Responds with 200 if no rule is violated, otherwise with 400 and every violated rule. Valid records are stored
    /// in either case, unless the request is a dry run.
    func debug(_ request: Request, from origin: RequestOrigin) async throws -> Response {
        try await open(request, from: origin) { try await debug(request, $0) }
    }

    private func debug(_ request: Request, _ opened: OpenedRequest) async throws -> Response {
        let faults: [RejectedEvent]
        do throws(AdmissionError) {
            faults = try intake.inspect(opened.body, encoding: opened.encoding, project: opened.project)
        } catch {
            throw RequestFailure(error)
        }
        if request.headers[Self.dryRun]?.lowercased() != "true" {
            let batch = try await admit(opened)
            try await commit.store(
                batch,
                grant: opened.grant,
                received: opened.received,
                wireBytes: opened.body.count,
                from: opened.origin
            )
        }
        return faults.isEmpty ? JSONResponse.empty() : Self.reasons(faults)
    }

    /// Returns the remote configuration, or 304 if the client already has it.
    func configuration(_ request: Request) throws -> Response {
        guard let file = dependencies.sensorsConfiguration, let content = try file.read() else {
            throw RequestFailure.notFound("There is no remote configuration; write one to the collector's folder.")
        }
        let query = QueryParameters(request.uri)
        var headers: HTTPFields = [.contentType: "application/json", .eTag: content.entityTag]
        JSONResponse.addSecurityHeaders(to: &headers)
        let isKnown =
            request.headers[.ifNoneMatch] == content.entityTag
            || (content.version != nil && query.lastText("v") == content.version
                && query.lastText("nv") == content.contentVersion)
        if isKnown { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: content.bytes)))
    }

    /// Returns a token as an `Authorization` value if it is a Trackway key.
    static func token(_ query: QueryParameters) -> String? {
        query.lastText("token").flatMap { $0.hasPrefix("tw_") ? "Bearer \($0)" : nil }
    }

    private func open(
        _ request: Request,
        from origin: RequestOrigin,
        _ use: (OpenedRequest) async throws -> Response
    ) async throws -> Response {
        let query = QueryParameters(request.uri)
        // The default project name of the format.
        let project = query.lastText("project") ?? "default"
        let grant: KeyGrant
        let encoding: ContentEncoding
        do throws(AdmissionError) {
            grant = try dependencies.authorization.grant(
                account: .sensorsProject(project),
                header: request.headers[.authorization] ?? Self.token(query)
            )
            encoding = try grant.withNameInErrors { () throws(AdmissionError) in
                try ContentEncoding(header: request.headers[.contentEncoding])
            }
        } catch {
            throw RequestFailure(error)
        }
        let limits = dependencies.configuration.limits
        return try await RequestBody.with(
            request,
            upTo: limits.sensorsBytes,
            under: grant,
            from: origin,
            dependencies,
            unpacked: { RequestBody.unpackedVendorBytes($0, limits: limits) },
            { body in
                try await use(
                    OpenedRequest(
                        project: project,
                        grant: grant,
                        encoding: encoding,
                        body: Array(body.readableBytesView),
                        received: dependencies.clock.now().wall,
                        origin: origin
                    )
                )
            }
        )
    }

    private func admit(_ opened: OpenedRequest) async throws -> VendorBatch {
        do throws(AdmissionError) {
            return try intake.admit(
                opened.body,
                encoding: opened.encoding,
                project: opened.project,
                allows: { dependencies.authorization.allows(.sensorsProject($0), for: opened.grant) },
                grant: opened.grant,
                received: opened.received,
                isErased: { [store = dependencies.store] in store.isErased($0) },
                isErasedUser: { [store = dependencies.store] in store.isErased(user: $0) }
            )
        } catch {
            throw await refusal(error, opened)
        }
    }

    /// Stores a body that was rejected as a whole, and returns the failure.
    private func refusal(_ error: AdmissionError, _ opened: OpenedRequest) async -> RequestFailure {
        let isLastCopy = error.kind == .malformed && ResponseCode(rawValue: error.code) != .crcMismatch
        let outcome = await Quarantine(dependencies: dependencies).store(
            opened.body,
            refusedWith: error,
            grant: opened.grant,
            received: opened.received,
            limit: isLastCopy ? dependencies.configuration.limits.sensorsBytes : VendorCommit.excerptBytes
        )
        var failure = RequestFailure(error)
        // Beyond the quota, only the beginning of the body is stored, but the client may delete the body anyway.
        // Otherwise, the client would send the same body indefinitely and hold back the valid bodies that follow.
        if isLastCopy, outcome != .failed {
            failure.allowsDeletion = true
        } else if error.kind == .malformed {
            // The body was damaged in transit or could not be stored, so the client must send it again.
            failure.status = .serviceUnavailable
            failure.retryAfter = .seconds(1)
        }
        return failure
    }

    private static func reasons(_ faults: [RejectedEvent]) -> Response {
        JSONResponse.make(.badRequest) { writer in
            writer.beginObject()
            writer.object("error") { faults[0].writeReason(to: &$0) }
            writer.list("reasons", faults) { fault, writer in
                writer.beginObject()
                writer.member("i", Int64(fault.index))
                fault.writeReason(to: &writer)
                writer.endObject()
            }
            writer.endObject()
        }
    }

    private static let dryRun = HTTPField.Name.literal("dry-run")
}
