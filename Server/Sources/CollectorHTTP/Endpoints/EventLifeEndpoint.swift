// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Hummingbird
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// `GET /v1/events/{id}/life`: an event's way from the device to the index.
struct EventLifeEndpoint: RoutedResource {
    let dependencies: CollectorDependencies

    func register(in routes: inout RouteTable) {
        routes.read("/v1/events/{id}/life", .lookup) { try await life($0["id"]) }
    }

    /// Answers from the index and the record of the intake log that brought the event. An erased or forgotten event has none.
    func life(_ text: String) async throws -> Response {
        guard let id = EventID(text) else {
            throw RequestFailure.malformed("id", "“\(text.prefix(64))” is not an event's id.")
        }
        guard let event = try await dependencies.store.event(id) else {
            throw RequestFailure.notFound("No event with the id \(id) has arrived.")
        }
        let life = EventLife(
            event: event,
            batch: await batch(of: event),
            indexed: dependencies.store.indexed,
            durability: dependencies.intake.durability.rawValue
        )
        return Answer.json { life.write(to: &$0) }
    }

    /// The batch as the log keeps it; nil when it does not, or when what lies there cannot be read: the index has the event
    /// nevertheless, and the answer says what is not known.
    @concurrent
    private func batch(of event: StoredEvent) async -> EventLife.Batch? {
        do {
            guard let record = try await dependencies.intake.batch(at: event.position) else { return nil }
            return try EventLife.Batch(
                record,
                holding: event.position.ordinal,
                limits: dependencies.configuration.limits
            )
        } catch {
            return nil
        }
    }
}
