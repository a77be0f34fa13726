// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Hummingbird
internal import TrackwayCore

/// The endpoints for app usage: sessions and screens.
struct BehaviorEndpoints: RoutedResource {
    let dependencies: CollectorDependencies

    func register(in routes: inout RouteTable) {
        routes.read("/v1/sessions") { try await sessions($0.request) }
        routes.read("/v1/screens") { try await screens($0.request) }
    }

    /// `GET /v1/sessions`
    func sessions(_ request: Request) async throws -> Response {
        let query = QueryParameters(request.uri)
        let limit = try query.number("limit", in: 1...200) ?? 50
        let wanted = SessionQuery(
            installation: try query.value("installation", "an installation id"),
            user: try query.text("user"),
            id: try query.text("session"),
            after: try query.value("after", "a cursor such as 1718000000000.17"),
            limit: limit
        )
        let sessions = try await dependencies.store.sessions(matching: wanted)
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.list("sessions", sessions) { $0.write(to: &$1) }
            writer.writeNextCursor(after: sessions, limit: limit) { $0.place.description }
            writer.endObject()
        }
    }

    /// `GET /v1/screens`
    func screens(_ request: Request) async throws -> Response {
        let query = QueryParameters(request.uri)
        let wanted = ScreenQuery(
            installation: try query.value("installation", "an installation id"),
            from: try query.time("from"),
            limit: try query.number("limit", in: 1...200) ?? 50
        )
        let flow = try await dependencies.store.screens(matching: wanted)
        return JSONResponse.make { flow.write(to: &$0) }
    }
}
