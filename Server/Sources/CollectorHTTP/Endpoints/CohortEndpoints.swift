// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayCore

/// The endpoints for saved cohorts.
struct CohortEndpoints: RoutedResource {
    let dependencies: CollectorDependencies
    let cohorts: CohortStore
    let zones: ZoneDirectory

    func register(in routes: inout RouteTable) {
        routes.read("/v1/cohorts", .other, handler: saved { _ in try list() })
        routes.read("/v1/cohorts/{name}", .other, handler: saved { try cohort($0.decoded("name")) })
        routes.add(
            .put,
            "/v1/cohorts/{name}",
            .boards(changesReadAccess: false),
            handler: saved { try await save($0.decoded("name"), $0.request, from: $0.origin) }
        )
        routes.add(
            .delete,
            "/v1/cohorts/{name}",
            .boards(changesReadAccess: false),
            handler: saved { try remove($0.decoded("name")) }
        )
    }

    private func saved(_ handler: @escaping Endpoint.Handler) -> Endpoint.Handler {
        SavedObjectRequest.handler(of: .cohort, handler)
    }

    /// `GET /v1/cohorts`
    private func list() throws -> Response {
        let all = try cohorts.all()
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.list("cohorts", all) { $0.write(to: &$1) }
            writer.endObject()
        }
    }

    /// `GET /v1/cohorts/{name}`
    private func cohort(_ name: String) throws -> Response {
        let cohort = try cohorts.saved(name)
        return JSONResponse.make { cohort.write(to: &$0) }
    }

    /// `PUT /v1/cohorts/{name}`: creates a cohort, or replaces the one with the name.
    private func save(_ name: String, _ request: Request, from origin: RequestOrigin) async throws -> Response {
        let value = try await SavedObjectRequest(request, of: .cohort).body(
            upTo: CohortLimits.definitionBytes,
            from: origin,
            dependencies
        )
        let cohort = try SavedCohort(value, name: name, zones: zones)
        let isNew = try cohorts.save(cohort, at: dependencies.clock.now().wall)
        let stored = try cohorts.saved(name)
        return JSONResponse.make(isNew ? .created : .ok) { stored.write(to: &$0) }
    }

    /// `DELETE /v1/cohorts/{name}`
    private func remove(_ name: String) throws -> Response {
        try cohorts.remove(name)
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("name", name)
            writer.endObject()
        }
    }
}
