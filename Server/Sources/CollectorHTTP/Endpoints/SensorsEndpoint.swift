// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayEvents

/// `POST /sa`, `POST /debug` and `GET /config/iOS.conf`: for clients that speak the Sensors Analytics format.
///
/// Such clients delete what is answered with anything but 403, 404 and 5xx. Every status here is chosen by that.
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

    /// Takes one body. 200 means that all of it is on stable storage, faulty records with the reason.
    func collect(_ request: Request, from origin: RequestOrigin) async throws -> Response {
        try await open(request, from: origin) { opened in
            let batch = try await admit(opened)
            try await commit.store(batch, grant: opened.grant, received: opened.received, wireBytes: opened.body.count)
            return Answer.empty()
        }
    }

    /// Looks at records as a person does who is integrating a client: 200 when they break no rule, otherwise 400 with
    /// every rule that is broken. What can be accepted is accepted nevertheless, unless the request is a dry run.
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

    /// The remote configuration, or 304 when the client has it already.
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

    /// A token that is a key of ours counts as one.
    static func token(_ query: Query) -> String? {
        query.text("token").flatMap { $0.hasPrefix("tw_") ? "Bearer \($0)" : nil }
    }

    private func open(
        _ request: Request,
        from origin: RequestOrigin,
        _ use: (Opened) async throws -> Response
    ) async throws -> Response {
        let query = Query(request.uri)
        // What the format calls the project of a server that has one only.
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

    /// What a body is answered that cannot be taken as a whole.
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
        // Beyond the quota only its beginning is kept, and the client may delete it nevertheless: it would send the same body for
        // ever, and hold back what is good behind it.
        if isLastCopy, outcome != .failed {
            failure.allowsDeletion = true
        } else if error.kind == .malformed {
            // Damaged on the way, or not kept anywhere yet: it must be sent again.
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
