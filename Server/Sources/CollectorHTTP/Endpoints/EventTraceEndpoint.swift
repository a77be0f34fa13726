// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Hummingbird
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

/// `GET /v1/events/{id}/life`: an event's path from the device to the index.
struct EventTraceEndpoint: RoutedResource {
    let dependencies: CollectorDependencies

    func register(in routes: inout RouteTable) {
        routes.read("/v1/events/{id}/life", .lookup) { try await trace($0["id"]) }
    }

    /// Responds with an event's data from the index and the intake log.
    ///
    /// Erased or discarded events are reported as not found.
    func trace(_ text: String) async throws -> Response {
        guard let id = EventID(text) else {
            throw RequestFailure.malformed("id", "“\(text.prefix(64))” is not an event id.")
        }
        guard let event = try await dependencies.store.event(id) else {
            throw RequestFailure.notFound("No event with the id \(id) has arrived.")
        }
        let trace = EventTrace(
            event: event,
            batch: await batch(of: event),
            indexed: dependencies.store.indexed,
            durability: dependencies.intake.durability.rawValue
        )
        return JSONResponse.make { trace.write(to: &$0) }
    }

    /// Returns an event's batch from the log.
    ///
    /// Nil if the log no longer has the batch or cannot be read. The index still has the event, and the response states
    /// what is unknown.
    @concurrent
    private func batch(of event: StoredEvent) async -> EventTrace.Batch? {
        do {
            guard let record = try await dependencies.intake.batch(at: event.position) else { return nil }
            return try EventTrace.Batch(
                record,
                holding: event.position.ordinal,
                limits: dependencies.configuration.limits
            )
        } catch {
            return nil
        }
    }
}
