// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayEvents

/// The endpoints for clients of the Sensors Analytics format.
///
/// `POST /sa`, `POST /debug` and `GET /config/iOS.conf`.
///
/// Such clients delete a body after any response except 403, 404 and 5xx, which determines every status here.
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
        let access = EndpointAccess.account { Self.token(Query($0.uri)) != nil }
        routes.add(.post, "/sa", access) { try await collect($0.request, from: $0.origin) }
        routes.add(.post, "/debug", access) { try await debug($0.request, from: $0.origin) }
        routes.add(.get, "/config/iOS.conf", .open) { try configuration($0.request) }
        routes.changeFailures(at: "/sa") { $0.keepingEvents() }
    }

    private struct Opened {
        var project: String
        var grant: KeyGrant
        var encoding: ContentEncoding
        var body: [UInt8]
        var received: Timestamp
    }

    /// Receives one body.
    ///
    /// 200 means that all of it is on stable storage, including invalid records with their reasons.
    func collect(_ request: Request, from origin: RequestOrigin) async throws -> Response {
        try await open(request, from: origin) { opened in
            let batch = try await admit(opened)
            try await commit.store(batch, grant: opened.grant, received: opened.received, wireBytes: opened.body.count)
            return Answer.empty()
        }
    }

    /// Checks records for a developer who is integrating a client.
    ///
    /// Responds with 200 if no rule is broken, otherwise with 400 and every broken rule. Acceptable records are stored
    /// nevertheless, unless the request is a dry run.
    func debug(_ request: Request, from origin: RequestOrigin) async throws -> Response {
        try await open(request, from: origin) { try await debug(request, $0) }
    }

    private func debug(_ request: Request, _ opened: Opened) async throws -> Response {
        let faults: [RejectedEvent]
        do throws(AdmissionError) {
            faults = try intake.inspect(opened.body, encoding: opened.encoding, project: opened.project)
        } catch {
            throw RequestFailure(error)
        }
        if request.headers[Self.dryRun]?.lowercased() != "true" {
            let batch = try await admit(opened)
            try await commit.store(batch, grant: opened.grant, received: opened.received, wireBytes: opened.body.count)
        }
        return faults.isEmpty ? Answer.empty() : Self.reasons(faults)
    }

    /// Returns the remote configuration, or 304 if the client already has it.
    func configuration(_ request: Request) throws -> Response {
        guard let file = dependencies.sensorsConfiguration, let content = try file.read() else {
            throw RequestFailure.notFound("There is no remote configuration; write one to the collector's folder.")
        }
        let query = Query(request.uri)
        var headers: HTTPFields = [.contentType: "application/json", .eTag: content.entityTag]
        Answer.protect(&headers)
        let isKnown =
            request.headers[.ifNoneMatch] == content.entityTag
            || (content.version != nil && query.text("v") == content.version
                && query.text("nv") == content.contentVersion)
        if isKnown { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: content.bytes)))
    }

    /// Returns a token that is one of our keys as an `Authorization` value.
    static func token(_ query: Query) -> String? {
        query.text("token").flatMap { $0.hasPrefix("tw_") ? "Bearer \($0)" : nil }
    }

    private func open(
        _ request: Request,
        from origin: RequestOrigin,
        _ use: (Opened) async throws -> Response
    ) async throws -> Response {
        let query = Query(request.uri)
        // The format's name for the only project of a server.
        let project = query.text("project") ?? "default"
        let grant: KeyGrant
        let encoding: ContentEncoding
        do throws(AdmissionError) {
            grant = try dependencies.authorization.grant(
                account: .sensorsProject(project),
                header: request.headers[.authorization] ?? Self.token(query)
            )
            encoding = try grant.namedInErrors { () throws(AdmissionError) in
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
                    Opened(
                        project: project,
                        grant: grant,
                        encoding: encoding,
                        body: Array(body.readableBytesView),
                        received: dependencies.clock.now().wall
                    )
                )
            }
        )
    }

    private func admit(_ opened: Opened) async throws -> VendorBatch {
        do throws(AdmissionError) {
            return try intake.admit(
                opened.body,
                encoding: opened.encoding,
                project: opened.project,
                allows: { dependencies.authorization.allows(.sensorsProject($0), for: opened.grant) },
                grant: opened.grant,
                received: opened.received,
                isErased: dependencies.store.isErased
            )
        } catch {
            throw await refusal(error, opened)
        }
    }

    /// Stores a body rejected as a whole, and returns the failure.
    private func refusal(_ error: AdmissionError, _ opened: Opened) async -> RequestFailure {
        let isLastCopy = error.kind == .malformed && error.code != "crc_mismatch"
        let outcome = await Quarantine(dependencies: dependencies).keep(
            opened.body,
            refusedWith: error,
            grant: opened.grant,
            received: opened.received,
            limit: isLastCopy ? dependencies.configuration.limits.sensorsBytes : VendorCommit.excerptBytes
        )
        var failure = RequestFailure(error)
        // Beyond the quota only its beginning is stored, and the client may delete the body nevertheless: otherwise it
        // would send the same body indefinitely, and hold back valid ones after it.
        if isLastCopy, outcome != .failed {
            failure.allowsDeletion = true
        } else if error.kind == .malformed {
            // Damaged in transit, or not stored anywhere yet: it must be sent again.
            failure.status = .serviceUnavailable
            failure.retryAfter = .seconds(1)
        }
        return failure
    }

    private static func reasons(_ faults: [RejectedEvent]) -> Response {
        Answer.json(.badRequest) { writer in
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

    private static let dryRun = Answer.name("dry-run")
}
