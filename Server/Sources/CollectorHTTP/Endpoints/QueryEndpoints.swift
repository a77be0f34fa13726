// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Hummingbird
internal import NIOCore
internal import TrackwayEvents
internal import TrackwayJournal

/// The endpoints that read the index and answer at once.
struct QueryEndpoints: Sendable {
    let rooms: CollectorRooms
    /// An answer ends after the event that passes this many bytes; the rest comes with the next page.
    private static let answerBytes = 8 << 20
    /// The most erased installations the ledger names; `/v1/stats` counts all.
    private static let mostErasures = 100

    /// `GET /v1/events`
    func events(_ request: Request) async throws -> Response {
        let query = Query(request.uri)
        let order = try query.order() ?? .newestFirst
        let limit = try query.number("limit", in: 1...1_000) ?? 100
        let filter = try query.filter(order: order, limit: limit)
        let events = try await rooms.store.events(matching: filter)
        return Answer.json { writer in
            var shown = 0
            writer.beginObject()
            writer.key("events")
            writer.beginArray()
            for event in events where writer.count < Self.answerBytes {
                writer.element()
                event.write(to: &writer)
                shown += 1
            }
            writer.endArray()
            if shown == limit || shown < events.count, shown > 0 {
                writer.key("next")
                writer.string(events[shown - 1].position.description)
            }
            writer.endObject()
        }
    }

    /// `GET /v1/events/{id}`
    func event(_ text: String) async throws -> Response {
        guard let id = EventID(text) else {
            throw RequestFailure.malformed("id", "“\(text.prefix(64))” is not an event's id.")
        }
        guard let event = try await rooms.store.event(id) else {
            throw RequestFailure.notFound("No event with the id \(id) has arrived.")
        }
        return Answer.json { event.write(to: &$0) }
    }

    /// `GET /v1/ledger`: the accounts as of `indexed`; `end` is where the intake log ended when it was asked, so that a
    /// client can wait for it (`GET /v1/wait?position=…`) and ask again.
    func ledger(_ request: Request) async throws -> Response {
        let installation: InstallationID? = try Query(request.uri).value("installation", "an installation's id")
        let end = rooms.intake.end
        let indexed = rooms.store.indexed
        let rows = try await rooms.store.ledger(installation: installation)
        let erasures = try await rooms.store.erasures(installation: installation, limit: Self.mostErasures)
        return Answer.json { writer in
            writer.beginObject()
            writer.key("indexed")
            writer.string(indexed.description)
            writer.key("end")
            writer.string(end.description)
            writer.key("writers")
            writer.beginArray()
            for row in rows {
                writer.element()
                row.write(to: &writer)
            }
            writer.endArray()
            writer.key("erasures")
            writer.beginArray()
            for erasure in erasures {
                writer.element()
                erasure.write(to: &writer)
            }
            writer.endArray()
            writer.endObject()
        }
    }

    /// `GET /v1/failed`
    func failed(_ request: Request) async throws -> Response {
        let query = Query(request.uri)
        let limit = try query.number("limit", in: 1...500) ?? 50
        let before: EventPosition? = try query.value("before", "a position such as 3.88213.7")
        let failed = try await rooms.store.failed(before: before, limit: limit)
        return Answer.json { writer in
            writer.beginObject()
            writer.key("failed")
            writer.beginArray()
            for event in failed {
                writer.element()
                event.write(to: &writer)
            }
            writer.endArray()
            if failed.count == limit, let last = failed.last {
                writer.key("next")
                writer.string(last.position.description)
            }
            writer.endObject()
        }
    }

    /// `GET /v1/rate`
    func rate(_ request: Request) async throws -> Response {
        let minutes = try Query(request.uri).number("minutes", in: 1...10_080) ?? 60
        let since = rooms.clock.now().wall.milliseconds - Int64(minutes) * 60_000
        let counts = try await rooms.store.minutes(since: Timestamp(milliseconds: since))
        return Answer.json { writer in
            writer.beginObject()
            writer.key("minutes")
            writer.beginArray()
            for count in counts {
                writer.element()
                count.write(to: &writer)
            }
            writer.endArray()
            writer.endObject()
        }
    }

    /// `GET /v1/stats`
    func stats() async throws -> Response {
        let totals = try await rooms.store.totals()
        let indexed = rooms.store.indexed
        return Answer.json { writer in
            writer.beginObject()
            for (key, value) in [
                ("events", totals.events), ("installations", totals.installations), ("failed", totals.failed),
                ("duplicates", totals.duplicates), ("damaged", totals.damaged),
                ("erased_installations", totals.erasedInstallations), ("erased_events", totals.erasedEvents),
            ] {
                writer.key(key)
                writer.integer(value)
            }
            if let trouble = totals.trouble {
                writer.key("trouble")
                writer.string(trouble)
            }
            writer.key("indexed")
            writer.string(indexed.description)
            writer.endObject()
        }
    }
}
