// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

/// Erases users for an operator, and shows the state and the receipts of erasures.
struct UserErasureEndpoints: RoutedResource {
    let dependencies: CollectorDependencies
    /// The maximum size of a receipt in bytes.
    private static let receiptBytes = 16 << 10

    func register(in routes: inout RouteTable) {
        routes.read("/v1/users/{id}/erasure", .lookup) { try await preview($0.decoded("id"), $0.query) }
        routes.add(.delete, "/v1/users/{id}", .sending) { try await erase($0.request, $0.decoded("id")) }
        routes.read("/v1/erasures", .lookup) { try list($0.query) }
        routes.read("/v1/erasures/{erasure}", .lookup) { try show($0.decoded("erasure"), $0.query) }
        routes.add(.post, "/v1/erasures/verify", .reading) { try await verify($0.request) }
    }

    /// `GET /v1/users/{id}/erasure`
    private func preview(_ user: String, _ query: QueryParameters) async throws -> Response {
        try query.rejectUnknown([])
        _ = try register()
        guard let preview = try await dependencies.store.erasurePreview(of: user) else { throw unknown(user) }
        return JSONResponse.make { preview.write(to: &$0) }
    }

    /// `DELETE /v1/users/{id}`
    ///
    /// The response means that the request is on stable storage. From the request's position on, events of the user are
    /// refused; removing the stored ones takes as long as reading the log once.
    private func erase(_ request: Request, _ user: String) async throws -> Response {
        let grant = try dependencies.operatorGrant(request, to: "erase")
        let register = try register()
        guard !PlaceholderUserID.contains(user) else {
            throw RequestFailure.malformed("id", "“\(user.prefix(64))” is a placeholder and does not identify a user.")
        }
        // A merge that is not indexed yet adds users to the person.
        try await dependencies.waitForIndex()
        let preview = try await dependencies.store.erasurePreview(of: user)
        guard preview != nil || dependencies.store.isErased(user: user) else { throw unknown(user) }
        // If a request fails, the ones that are missing can be repeated with the user, whose request is the last.
        let merged = (preview?.users ?? []).filter { ByteText($0) != ByteText(user) }
        let received = dependencies.clock.now().wall
        var erasures: [String] = []
        for id in merged { erasures.append(try await requestErasure(of: id, register, grant, received: received).id) }
        let (id, commit) = try await requestErasure(of: user, register, grant, received: received)
        erasures.append(id)
        return JSONResponse.make(.accepted) { writer in
            writer.beginObject()
            writer.member("erasure", id)
            if erasures.count > 1 { writer.list("erasures", erasures) { $1.string($0) } }
            writer.member("position", commit.position.description)
            writer.member("durability", commit.durability.rawValue)
            writer.endObject()
        }
    }

    /// Requests the erasure of one user id, and returns the erasure's id.
    private func requestErasure(
        of user: String,
        _ register: any ErasureRegister,
        _ grant: KeyGrant,
        received: Timestamp
    ) async throws(RequestFailure) -> (id: String, commit: Commit) {
        let record = UserErasureRecord(
            received: received,
            key: grant.name,
            identity: register.key.hash(user: user),
            user: user
        )
        do {
            return (ErasurePlan(record, user: user).id, try await register.requestErasure(record, dependencies.intake))
        } catch {
            throw RequestFailure(error)
        }
    }

    /// `GET /v1/erasures`
    private func list(_ query: QueryParameters) throws -> Response {
        try query.rejectUnknown(["limit"])
        let limit = try query.number("limit", in: 1...1_000) ?? 50
        let register = try register()
        let receipts = try register.receipts().prefix(limit)
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.list("pending", register.pending) { $0.writeStatus(to: &$1) }
            writer.list("erasures", Array(receipts)) { $0.write(to: &$1) }
            if let reason = register.failureReason { writer.member("problem", reason) }
            writer.endObject()
        }
    }

    /// `GET /v1/erasures/{erasure}`
    private func show(_ id: String, _ query: QueryParameters) throws -> Response {
        try query.rejectUnknown([])
        let register = try register()
        if let receipt = try register.receipt(id) {
            return JSONResponse.make { receipt.write(to: &$0) }
        }
        if let plan = register.pending.first(where: { $0.id == id }) {
            return JSONResponse.make(.accepted) { writer in plan.writeStatus(to: &writer) }
        }
        throw RequestFailure.notFound(
            "No erasure has the id “\(id.prefix(64))”. GET /v1/erasures lists erasures; a request appears there once "
                + "the index has read it."
        )
    }

    /// `POST /v1/erasures/verify`
    ///
    /// With `id`, also checks that the receipt was issued for this user or installation.
    private func verify(_ request: Request) async throws -> Response {
        let query = QueryParameters(request.uri)
        try query.rejectUnknown(["id"])
        let register = try register()
        var body = ByteBuffer()
        for try await part in request.body {
            guard body.readableBytes + part.readableBytes <= Self.receiptBytes else {
                throw RequestBody.tooLarge(Self.receiptBytes, "send only a receipt")
            }
            body.writeImmutableBuffer(part)
        }
        let receipt: ErasureReceipt
        do {
            receipt = try ErasureReceipt(json: Array(body.readableBytesView))
        } catch {
            throw RequestFailure.malformed("receipt", error.description)
        }
        let verdict = ErasureVerdict(receipt, id: try query.text("id"), key: register.key)
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("valid", verdict == .valid)
            writer.member("verdict", verdict.rawValue)
            writer.member("message", verdict.message)
            writer.endObject()
        }
    }

    private func register() throws(RequestFailure) -> any ErasureRegister {
        if let register = dependencies.erasureRegister { return register }
        throw RequestFailure(
            status: .notImplemented,
            code: .erasureUnavailable,
            message: "This collector of a cluster erases only installations. To erase users, run all collectors with "
                + "--no-index and --erasure-key."
        )
    }

    private func unknown(_ user: String) -> RequestFailure {
        .notFound("No user has the id “\(user.prefix(64))”: no event of this user has arrived.")
    }
}
