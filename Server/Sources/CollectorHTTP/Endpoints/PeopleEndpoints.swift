// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Hummingbird
internal import TrackwayCore

/// The endpoints for finding users and showing a user's profile and events.
struct PeopleEndpoints: RoutedResource {
    let dependencies: CollectorDependencies

    func register(in routes: inout RouteTable) {
        routes.read("/v1/users") { try await list($0.request) }
        routes.read("/v1/users/{id}", .lookup) { try await profile(user($0), $0.query) }
        routes.read("/v1/users/{id}/events", .lookup) { try await timeline(user($0), $0.query) }
        routes.read("/v1/visitors/{installation}", .lookup) { try await profile(Self.visitor($0), $0.query) }
        routes.read("/v1/visitors/{installation}/events", .lookup) { try await timeline(Self.visitor($0), $0.query) }
    }

    /// `GET /v1/users`.
    ///
    /// With `where` or `text`, the request is a search that reports its progress.
    func list(_ request: Request) async throws -> Response {
        let query = QueryParameters(request.uri)
        try query.rejectUnknown(["user", "installation", "before", "after", "limit", "text", "where", "attributes"])
        let limit = try query.number("limit", in: 1...200) ?? 50
        let wanted = UserQuery(
            id: try query.text("user"),
            installation: try query.value("installation", "an installation id"),
            before: try query.time("before"),
            after: try query.value("after", "a cursor such as 1718000000000.17"),
            limit: limit,
            includesAttributes: try includesAttributes(query)
        )
        let search: UserSearch?
        do {
            search = try UserSearch(wanted, parameters: query.parameters)
        } catch {
            throw RequestFailure(error)
        }
        if let search {
            let found = try await dependencies.store.search(search)
            return JSONResponse.make { found.write(to: &$0) }
        }
        let users = try await dependencies.store.users(matching: wanted)
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.list("users", users) { $0.write(to: &$1) }
            writer.writeNextCursor(after: users, limit: limit) { $0.place.description }
            writer.endObject()
        }
    }

    private func includesAttributes(_ query: QueryParameters) throws(RequestFailure) -> Bool {
        guard let text = try query.text("attributes") else { return true }
        guard text == "none" else {
            throw .malformed("attributes", "“\(text.prefix(64))” is invalid: pass “none” to omit the attributes.")
        }
        return false
    }

    /// `GET /v1/users/{id}`, `GET /v1/visitors/{installation}`
    private func profile(_ person: PersonKey, _ query: QueryParameters) async throws -> Response {
        try query.rejectUnknown(["after", "limit"])
        let wanted = ProfileQuery(
            person,
            afterAttribute: try query.text("after"),
            attributes: try query.number("limit", in: 1...1_000) ?? 200
        )
        guard let profile = try await dependencies.store.profile(wanted) else { throw Self.unknown(person) }
        return JSONResponse.make { profile.write(to: &$0) }
    }

    /// `GET /v1/users/{id}/events`, `GET /v1/visitors/{installation}/events`
    private func timeline(_ person: PersonKey, _ query: QueryParameters) async throws -> Response {
        let wanted: TimelineQuery
        do {
            wanted = try TimelineQuery(person, parameters: query.parameters)
        } catch {
            throw RequestFailure(error)
        }
        guard let timeline = try await dependencies.store.timeline(wanted) else { throw Self.unknown(person) }
        let retainedSince = dependencies.store.retainedSince(queryStart: wanted.from)
        return JSONResponse.make { timeline.write(retainedSince: retainedSince, to: &$0) }
    }

    private func user(_ call: EndpointRequest) -> PersonKey { .user(call.decoded("id")) }

    /// Returns the visitor of the installation in the path.
    ///
    /// - Throws: ``RequestFailure`` if the path does not contain an installation's id.
    static func visitor(_ call: EndpointRequest) throws(RequestFailure) -> PersonKey {
        let text = call.decoded("installation")
        guard let installation = InstallationID(text) else {
            throw .malformed("installation", "“\(text.prefix(64))” is not an installation id.")
        }
        return .visitor(installation)
    }

    /// Returns the failure for a person who sent no events.
    static func unknown(_ person: PersonKey) -> RequestFailure {
        switch person {
        case .user(let id):
            .notFound(
                "No user has the id “\(id.prefix(64))”: no event of this user has arrived, or the user was erased."
            )
        case .visitor(let id):
            .notFound(
                "Installation \(id) has no visitor: it sent no events while no user was signed in."
            )
        }
    }
}
