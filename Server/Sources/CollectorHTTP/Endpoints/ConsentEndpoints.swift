// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Hummingbird
internal import TrackwayCore

/// The endpoints for the consent decisions of a user or visitor.
struct ConsentEndpoints: RoutedResource {
    let dependencies: CollectorDependencies

    func register(in routes: inout RouteTable) {
        routes.read("/v1/users/{id}/consent", .lookup) { try await history(.user($0.decoded("id")), $0.query) }
        routes.read("/v1/visitors/{installation}/consent", .lookup) {
            try await history(try PeopleEndpoints.visitor($0), $0.query)
        }
    }

    /// `GET /v1/users/{id}/consent`, `GET /v1/visitors/{installation}/consent`
    private func history(_ person: PersonKey, _ query: QueryParameters) async throws -> Response {
        try query.rejectUnknown(["after", "limit"])
        let history = try await dependencies.store.consentHistory(
            of: person,
            after: try query.value("after", "a cursor such as 1718000000000.3.88213.7"),
            limit: try query.number("limit", in: 1...1_000) ?? 100
        )
        guard let history else { throw PeopleEndpoints.unknown(person) }
        return JSONResponse.make { history.write(to: &$0) }
    }
}
