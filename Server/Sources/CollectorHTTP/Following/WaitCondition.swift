// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// What `GET /v1/wait` waits for.
enum WaitCondition: Sendable {
    /// The index has passed a place of the intake log, as an answer to a batch names it.
    case position(EventPosition)
    /// An event has arrived.
    case event(EventID)
    /// So many matching events have arrived.
    case count(Int, EventQuery)

    /// Reads the condition from a query.
    init(_ query: Query) throws(RequestFailure) {
        if let position: EventPosition = try query.value("position", "a position such as 3.88213") {
            self = .position(position)
        } else if let id: EventID = try query.value("id", "an event's id") {
            self = .event(id)
        } else if let count = try query.number("count", in: 0...1_000_000_000) {
            self = .count(count, try query.filter(order: .oldestFirst, limit: 1))
        } else {
            throw .malformed("position", "Say what to wait for: position, id, or count.")
        }
    }

    /// How things stand.
    struct State: Sendable {
        var isDone: Bool
        var indexed: EventPosition
        var count: Int?
        var event: StoredEvent?
    }

    /// Looks whether the condition holds.
    ///
    /// - Parameter counts: Counts for all who wait.
    func look(at store: any EventStore, counts: SharedCounts) async throws(StoreError) -> State {
        switch self {
        case .position(let position):
            let indexed = store.indexed
            return State(isDone: indexed >= position, indexed: indexed)
        case .event(let id):
            let event = try await store.event(id)
            return State(isDone: event != nil, indexed: store.indexed, event: event)
        case .count(let wanted, let query):
            let count = try await counts.count(matching: query)
            return State(isDone: count >= wanted, indexed: store.indexed, count: count)
        }
    }
}

extension WaitCondition.State {
    /// Writes `{"done":…,"indexed":…,"count":…,"event":…}`.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("done")
        writer.boolean(isDone)
        writer.key("indexed")
        writer.string(indexed.description)
        if let count {
            writer.key("count")
            writer.integer(Int64(count))
        }
        if let event {
            writer.key("event")
            event.write(to: &writer)
        }
        writer.endObject()
    }
}
