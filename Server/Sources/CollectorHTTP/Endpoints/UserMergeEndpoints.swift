// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

/// Merges users for an operator, and undoes merges.
struct UserMergeEndpoints: RoutedResource {
    let dependencies: CollectorDependencies

    func register(in routes: inout RouteTable) {
        routes.read("/v1/users/{id}/merge", .lookup) { try await preview($0.decoded("id"), $0.query) }
        routes.add(.post, "/v1/users/{id}/merge", .sending) { try await merge($0.request, $0.decoded("id")) }
        routes.add(.post, "/v1/users/{id}/unmerge", .sending) { try await undo($0.request, $0.decoded("id")) }
    }

    /// `GET /v1/users/{id}/merge?into=`
    private func preview(_ user: String, _ query: QueryParameters) async throws -> Response {
        let (preview, _) = try await preview(of: user, query)
        return JSONResponse.make { preview.write(to: &$0) }
    }

    /// `POST /v1/users/{id}/merge?into=`
    ///
    /// The response means that the merge is on stable storage; answers include it when the index has read it.
    private func merge(_ request: Request, _ user: String) async throws -> Response {
        let grant = try dependencies.operatorGrant(request, to: "merge users")
        let (preview, statements) = try await preview(of: user, QueryParameters(request.uri))
        switch preview.outcome {
        case .conflict:
            throw refused(
                "“\(user.prefix(64))” is already counted as “\(preview.person.prefix(64))”. Undo that merge first: "
                    + "POST /v1/users/{id}/unmerge."
            )
        case .cycle:
            throw refused(
                "“\(preview.target.prefix(64))” is already counted as “\(user.prefix(64))”, so merging them in the other "
                    + "direction would form a cycle. Undo that merge first: POST /v1/users/{id}/unmerge."
            )
        case .repeated: return JSONResponse.make { preview.write(to: &$0) }
        default: return try await commit(user, into: preview.target, after: statements, grant, preview.outcome)
        }
    }

    /// `POST /v1/users/{id}/unmerge`
    private func undo(_ request: Request, _ user: String) async throws -> Response {
        let grant = try dependencies.operatorGrant(request, to: "undo merges")
        try QueryParameters(request.uri).rejectUnknown([])
        let statements = try await dependencies.store.merges(connectedWith: [user])
        let isMerged = statements.contains { merge in
            merge.outcome == .merged && ByteText(merge.statement.user) == ByteText(user)
        }
        guard isMerged else {
            throw RequestFailure.notFound(
                "“\(user.prefix(64))” is not merged into another user; GET /v1/users/{id} lists merges in `merges`."
            )
        }
        return try await commit(user, into: nil, after: statements, grant, .undoes)
    }

    private func preview(
        of user: String,
        _ query: QueryParameters
    ) async throws -> (MergePreview, [StoredMerge]) {
        try query.rejectUnknown(["into"])
        guard let target = try query.text("into") else {
            throw RequestFailure.malformed("into", "“into” is missing: pass the id of the user who remains.")
        }
        for (field, id) in [("id", user), ("into", target)] {
            guard !PlaceholderUserID.contains(id) else {
                throw RequestFailure.malformed(
                    field,
                    "“\(id.prefix(64))” is a placeholder and does not identify a user."
                )
            }
            guard id.utf8.count <= MergeStatement.maximumIDBytes else {
                throw RequestFailure.malformed(
                    field,
                    "The id has \(id.utf8.count) bytes; at most \(MergeStatement.maximumIDBytes) are allowed."
                )
            }
            guard !dependencies.store.isErased(user: id) else {
                throw refused("“\(id.prefix(64))” was erased and cannot be merged.")
            }
        }
        guard ByteText(user) != ByteText(target) else {
            throw RequestFailure.malformed("into", "“\(user.prefix(64))” cannot be merged into itself.")
        }
        let profile = try await dependencies.store.profile(ProfileQuery(.user(user), attributes: 1))
        guard let profile else { throw PeopleEndpoints.unknown(.user(user)) }
        let statements = try await dependencies.store.merges(connectedWith: [user, target])
        return (MergePreview(user, into: target, statements, profile: profile.person), statements)
    }

    private func commit(
        _ user: String,
        into target: String?,
        after statements: [StoredMerge],
        _ grant: KeyGrant,
        _ outcome: MergeStatement.Outcome
    ) async throws -> Response {
        let now = dependencies.clock.now().wall
        let record = UserMergeRecord(
            received: now,
            time: statements.nextTime(atLeast: now),
            key: grant.name,
            user: user,
            target: target
        )
        do {
            let commit = try await dependencies.intake.commit(kind: .userMerge, record: record.bytes, route: .unrouted)
            return JSONResponse.make(.accepted) { writer in
                writer.beginObject()
                writer.member("user", user)
                writer.member("into", target)
                writer.member("outcome", outcome.rawValue)
                writer.member("position", commit.position.description)
                writer.member("durability", commit.durability.rawValue)
                writer.endObject()
            }
        } catch {
            throw RequestFailure(error)
        }
    }

    private func refused(_ message: String) -> RequestFailure {
        RequestFailure(status: .conflict, code: .mergeRefused, field: "into", message: message)
    }
}
