// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// The condition that `GET /v1/wait` waits for.
enum WaitCondition: Sendable {
    /// The index has passed a position of the intake log.
    ///
    /// The response to a batch contains such a position.
    case position(EventPosition)
    /// An event has arrived.
    case event(EventID)
    /// This many matching events have arrived.
    case count(Int, EventQuery)

    /// Reads the condition from a query.
    init(_ query: Query) throws(RequestFailure) {
        if let position: EventPosition = try query.value("position", "a position such as 3.88213") {
            self = .position(position)
        } else if let id: EventID = try query.value("id", "an event id") {
            self = .event(id)
        } else if let count = try query.number("count", in: 0...1_000_000_000) {
            self = .count(count, try query.filter(order: .oldestFirst, limit: 1))
        } else {
            throw .malformed("position", "Specify what to wait for: position, id, or count.")
        }
    }

    /// The current state of a condition.
    struct State: Sendable {
        var isDone: Bool
        var indexed: EventPosition
        var count: Int?
        var event: StoredEvent?
    }

    /// Checks whether the condition holds.
    ///
    /// - Parameter counts: The counts shared by all waiting requests.
    func look(at store: any EventStore, counts: SharedCounts) async throws(StoreError) -> State {
        do throws(StoreError) {
            return try await state(of: store, counts)
        } catch  where error.kind == .behind {
            // While an index is being built, missing events prove nothing: keep waiting.
            return State(isDone: false, indexed: store.indexed)
        }
    }

    private func state(of store: any EventStore, _ counts: SharedCounts) async throws(StoreError) -> State {
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
        writer.member("done", isDone)
        writer.member("indexed", indexed.description)
        if let count {
            writer.member("count", Int64(count))
        }
        if let event {
            writer.key("event")
            event.write(to: &writer)
        }
        writer.endObject()
    }
}

/// Counts events for waiting requests, one count at a time.
///
/// Requests that wait for the same query share a count.
///
/// A count that began at an earlier position of the index may lack the event for which a request was woken. Therefore a
/// request uses the result for the current position of the index, or that of the next count, together with all requests
/// that arrived in the meantime.
actor SharedCounts {
    private struct Made {
        /// Its number, assigned when it began.
        var number: Int
        var indexed: EventPosition
        var result: Result<Int, StoreError>
    }

    /// The maximum number of results kept.
    ///
    /// They serve requests that repeat a query a moment later.
    private static let capacity = 256

    private let store: any EventStore
    private var made: [EventQuery: Made] = [:]
    /// The number of counts that have begun.
    private var begun = 0
    private var isCounting = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter store: The store whose events are counted.
    init(in store: any EventStore) {
        self.store = store
    }

    /// Returns the number of matching events, as of now or later.
    func count(matching query: EventQuery) async throws(StoreError) -> Int {
        var query = query
        // The cursor does not affect the count.
        query.after = nil
        let asked = store.indexed
        let before = begun
        while true {
            if let made = made[query] {
                // A rebuilt index reaches every position again, so an old result is valid only for its own position.
                if made.number > before || made.indexed == asked { return try made.result.get() }
            }
            if isCounting {
                await withCheckedContinuation { waiting.append($0) }
            } else {
                await make(query)
            }
        }
    }

    private func make(_ query: EventQuery) async {
        isCounting = true
        begun += 1
        let number = begun
        let indexed = store.indexed
        let result: Result<Int, StoreError>
        do throws(StoreError) {
            result = .success(try await store.count(matching: query))
        } catch {
            result = .failure(error)
        }
        if made.count >= Self.capacity { made = [:] }
        made[query] = Made(number: number, indexed: indexed, result: result)
        isCounting = false
        let woken = waiting
        waiting = []
        for waiter in woken { waiter.resume() }
    }
}
