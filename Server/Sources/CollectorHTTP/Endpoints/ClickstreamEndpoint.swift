// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore
internal import TrackwayDestinationKit

/// `POST /collect` and related endpoints, for clients of the Clickstream format.
struct ClickstreamEndpoint: RoutedResource {
    private let dependencies: CollectorDependencies
    private let intake: ClickstreamIntake
    private let commit: VendorCommit

    init(dependencies: CollectorDependencies) {
        self.dependencies = dependencies
        intake = ClickstreamIntake(limits: dependencies.configuration.limits)
        commit = VendorCommit(dependencies: dependencies)
    }

    func register(in routes: inout RouteTable) {
        routes.add(.post, "/collect", .account(), .intake) { try await collect($0.request, from: $0.origin) }
        routes.add(.get, "/ping", .open) { _ in ping() }
        routes.add(.get, "/health", .open) { _ in try health() }
    }

    /// Receives one body.
    ///
    /// An empty response with status 200 means that the whole body is on stable storage, including invalid events with
    /// the reasons for their rejection.
    func collect(_ request: Request, from origin: RequestOrigin) async throws -> Response {
        let query = QueryParameters(request.uri)
        guard let app = query.lastText("appId") else {
            throw RequestFailure(
                status: .forbidden,
                code: .accountMissing,
                field: "appId",
                message: "Name the app in the query: /collect?appId=…"
            )
        }
        let (grant, encoding) = try prepare(request, app)
        let limits = dependencies.configuration.limits
        let hashCode = query.lastText("hashCode")
        return try await RequestBody.with(
            request,
            upTo: limits.body.wireBytes,
            under: grant,
            from: origin,
            dependencies,
            unpacked: { RequestBody.unpackedVendorBytes($0, limits: limits) },
            { try await take(Array($0.readableBytesView), encoding, app: app, hashCode: hashCode, grant, origin) }
        )
    }

    private func take(
        _ body: [UInt8],
        _ encoding: ContentEncoding,
        app: String,
        hashCode: String?,
        _ grant: KeyGrant,
        _ origin: RequestOrigin
    ) async throws -> Response {
        let received = dependencies.clock.now().wall
        let batch: VendorBatch
        do throws(AdmissionError) {
            batch = try intake.admit(
                body,
                encoding: encoding,
                app: app,
                hashCode: hashCode,
                grant: grant,
                received: received,
                isErased: { [store = dependencies.store] in store.isErased($0) },
                isErasedUser: { [store = dependencies.store] in store.isErased(user: $0) }
            )
        } catch {
            // Clients of this format retry after any response except 200, so a damaged body is sent repeatedly.
            let isDamaged = ResponseCode(rawValue: error.code) == .hashMismatch
            _ = await Quarantine(dependencies: dependencies).store(
                body,
                refusedWith: error,
                grant: grant,
                received: received,
                limit: isDamaged ? VendorCommit.excerptBytes : dependencies.configuration.limits.quarantineBytes
            )
            throw RequestFailure(error)
        }
        try await commit.store(batch, grant: grant, received: received, wireBytes: body.count, from: origin)
        return JSONResponse.empty()
    }

    /// `GET /ping`: the current time in seconds, with millisecond precision.
    ///
    /// The heartbeats of this format's clients expect this response.
    func ping() -> Response {
        let now = dependencies.clock.now().wall
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.key("timestamp")
            writer.double(Double(now.milliseconds) / 1000)
            writer.endObject()
        }
    }

    /// `GET /health`: whether events are accepted.
    func health() throws(RequestFailure) -> Response {
        if let failureReason = dependencies.intake.failure { throw RequestFailure(failureReason) }
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("ok", true)
            writer.endObject()
        }
    }

    private func prepare(_ request: Request, _ app: String) throws(RequestFailure) -> (KeyGrant, ContentEncoding) {
        do throws(AdmissionError) {
            let grant = try dependencies.authorization.grant(
                account: .clickstreamApp(app),
                header: request.headers[.authorization]
            )
            let encoding = try grant.withNameInErrors { () throws(AdmissionError) in
                try ContentEncoding(header: request.headers[.contentEncoding])
            }
            return (grant, encoding)
        } catch {
            throw RequestFailure(error)
        }
    }
}
