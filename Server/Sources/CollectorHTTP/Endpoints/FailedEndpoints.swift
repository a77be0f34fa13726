// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Hummingbird
internal import TrackwayCore

/// The endpoints for rejected events and batches.
struct FailedEndpoints: RoutedResource {
    private let dependencies: CollectorDependencies
    private let zones: ZoneDirectory
    private let slots = ConcurrencySlots(limit: 2)

    init(dependencies: CollectorDependencies, zones: @escaping ZoneDirectory) {
        self.dependencies = dependencies
        self.zones = zones
    }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/failed") { try await list($0.request) }
        routes.read("/v1/failed/groups") { try await groups($0.query).run() }
    }

    /// `GET /v1/failed`: rejected events and batches.
    ///
    /// A list contains only the beginning of each entry's content; a single entry contains all of its content.
    ///
    /// A `position` selects a single entry.
    func list(_ request: Request) async throws -> Response {
        let query = QueryParameters(request.uri)
        if let position: EventPosition = try query.value("position", "a position such as 3.88213.7") {
            guard let event = try await dependencies.store.failed(at: position) else {
                throw RequestFailure.notFound("There is no rejected event or batch at \(position).")
            }
            return JSONResponse.make { event.write(to: &$0) }
        }
        let wanted = FailedQuery(
            before: try query.value("before", "a position such as 3.88213.7"),
            code: try query.text("code"),
            name: try query.text("name"),
            limit: try query.number("limit", in: 1...500) ?? 50
        )
        let failed = try await dependencies.store.failed(matching: wanted)
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.list("failed", failed) { $0.write(to: &$1) }
            writer.writeNextCursor(after: failed, limit: wanted.limit) { $0.position.description }
            writer.endObject()
        }
    }

    /// `GET /v1/failed/groups`
    ///
    /// - Parameter isDetailed: Whether to include individual events and the error messages that clients provided.
    func groups(_ query: QueryParameters, isDetailed: Bool = true) throws -> DeferredResponse {
        try query.rejectUnknown(["last", "from", "to", "interval", "zone", "week_start", "top"])
        let top = try query.number("top", in: 1...FailedGroups.shown) ?? 50
        let time = try time(query)
        return DeferredResponse { [dependencies, slots] in
            let slot = try slots.takeForQuery()
            defer { withExtendedLifetime(slot) {} }
            let groups = try await dependencies.store.failedGroups(in: time)
            return JSONResponse.make { groups.write(in: time, top: top, isDetailed: isDetailed, to: &$0) }
        }
    }

    private func time(_ query: QueryParameters) throws(RequestFailure) -> QueryTimeRange {
        do {
            return try TrendQuery(
                parameters: dependencies.configuration.calendar.completing(
                    query.parameters.filter { $0.name != "top" }
                ),
                now: dependencies.clock.now().wall,
                zones: zones
            ).time
        } catch {
            throw RequestFailure(error)
        }
    }
}
