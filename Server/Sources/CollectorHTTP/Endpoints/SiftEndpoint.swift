// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore
internal import TrackwayDestinationKit

/// `PUT /v3/accounts/{id}/mobile_events`: receives events from clients of the Sift format.
///
/// Clients accept only 200 as success, delete a body after 400, and give up after three other responses. Therefore 400
/// is returned only for data that would stay invalid, and only if the collector has stored a copy.
struct SiftEndpoint: RoutedResource {
    private let dependencies: CollectorDependencies
    private let intake: SiftIntake
    private let commit: VendorCommit

    init(dependencies: CollectorDependencies) {
        self.dependencies = dependencies
        intake = SiftIntake(limits: dependencies.configuration.limits)
        commit = VendorCommit(dependencies: dependencies)
    }

    func register(in routes: inout RouteTable) {
        // Clients insert the account unescaped into the path, so the account may contain slashes, which the endpoint
        // rejects.
        routes.add(.put, "/v3/accounts/{account...}/mobile_events", .sending, .intake) {
            try await collect($0.request, account: $0["account"], from: $0.origin)
        }
    }

    /// Receives one body.
    ///
    /// 200 means that the whole body is on stable storage, including invalid events with the reasons for their
    /// rejection. If all events are invalid, they are stored in the same way, and the response is 400.
    func collect(_ request: Request, account text: String, from origin: RequestOrigin) async throws -> Response {
        let account = try VendorCommit.name(text, as: "account", "an account", code: .accountInvalid)
        let grant = try prepare(request, account)
        let limits = dependencies.configuration.limits
        // Deflate expands one byte to at most about a thousand bytes, so this value sets no effective limit on the
        // ratio.
        var widest = limits
        widest.body.ratio = 1_032
        return try await RequestBody.with(
            request,
            upTo: limits.siftBytes,
            under: grant,
            from: origin,
            dependencies,
            unpacked: { [widest] in RequestBody.unpackedVendorBytes($0, limits: widest) },
            { try await take(Array($0.readableBytesView), account, grant, origin) }
        )
    }

    private func take(
        _ body: [UInt8],
        _ account: String,
        _ grant: KeyGrant,
        _ origin: RequestOrigin
    ) async throws -> Response {
        let received = dependencies.clock.now().wall
        let batch: VendorBatch
        do throws(AdmissionError) {
            batch = try intake.admit(
                body,
                account: account,
                grant: grant,
                received: received,
                isErased: { [store = dependencies.store] in store.isErased($0) },
                isErasedUser: { [store = dependencies.store] in store.isErased(user: $0) }
            )
        } catch {
            // The client deletes a malformed body, so the collector stores the whole body.
            throw await commit.refusal(
                error,
                of: body,
                grant: grant,
                received: received,
                limit: dependencies.configuration.limits.siftBytes,
                reporting: RequestFailure(error)
            )
        }
        try await commit.store(batch, grant: grant, received: received, wireBytes: body.count, from: origin)
        return Self.response(batch)
    }

    private func prepare(_ request: Request, _ account: String) throws(RequestFailure) -> KeyGrant {
        do throws(AdmissionError) {
            let header = request.headers[.authorization]
            let grant = try dependencies.authorization.grant(basic: header, for: .siftAccount(account))
            try grant.withNameInErrors { () throws(AdmissionError) in
                _ = try ContentEncoding(header: request.headers[.contentEncoding])
                try ContentType.check(request.headers[.contentType])
            }
            return grant
        } catch {
            var failure = RequestFailure(error)
            if failure.status == .unauthorized { failure.headers[.wwwAuthenticate] = "Basic realm=\"trackway\"" }
            throw failure
        }
    }

    private static func response(_ batch: VendorBatch) -> Response {
        let fault = batch.onlyFault
        return JSONResponse.make(fault == nil ? .ok : .badRequest) { writer in
            writer.beginObject()
            if let fault { writer.object("error") { fault.writeReason(to: &$0) } }
            writer.member("accepted", Int64(batch.accepted))
            batch.writeRejected(to: &writer)
            writer.endObject()
        }
    }
}
