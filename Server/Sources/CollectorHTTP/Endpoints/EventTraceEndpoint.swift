// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Hummingbird
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// `GET /v1/events/{id}/life`: an event's path from the device to the index.
struct EventTraceEndpoint: RoutedResource {
    let dependencies: CollectorDependencies

    func register(in routes: inout RouteTable) {
        routes.read("/v1/events/{id}/life", .lookup) { try await life($0["id"]) }
    }

    /// Responds with an event's data from the index and the intake log.
    ///
    /// An erased or discarded event is not found.
    func life(_ text: String) async throws -> Response {
        guard let id = EventID(text) else {
            throw RequestFailure.malformed("id", "“\(text.prefix(64))” is not an event id.")
        }
        guard let event = try await dependencies.store.event(id) else {
            throw RequestFailure.notFound("No event with the id \(id) has arrived.")
        }
        let life = EventTrace(
            event: event,
            batch: await batch(of: event),
            indexed: dependencies.store.indexed,
            durability: dependencies.intake.durability.rawValue
        )
        return Answer.json { life.write(to: &$0) }
    }

    /// Returns the batch from the log.
    ///
    /// Nil if the log does not have it or it cannot be read: the index has the event nevertheless, and the response
    /// states what is unknown.
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
