// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// The condition that `GET /v1/wait` waits for.
enum WaitCondition: Sendable {
    /// The index has passed a position of the intake log.
    ///
    /// The response to a batch contains such a position.
    case position(EventPosition)
    /// An event has arrived.
    case event(EventID)
    /// At least this many matching events have arrived.
    case count(Int, EventQuery)

    /// Parses the condition from a query.
    init(_ query: QueryParameters) throws(RequestFailure) {
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

    /// The state of a condition.
    struct State: Sendable {
        var isDone: Bool
        var indexed: EventPosition
        var count: Int?
        var event: StoredEvent?
    }

    /// Checks whether the condition holds.
    ///
    /// - Parameter counts: The counts shared by all waiting requests.
    func currentState(in store: any EventStore, counts: SharedCounts) async throws(StoreError) -> State {
        do throws(StoreError) {
            return try await state(of: store, counts)
        } catch  where error.kind == .behind {
            // While an index is being built, missing events prove nothing, so keep waiting.
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
/// request uses either the result for the current position of the index, or the result of the next count, which it
/// shares with all requests that arrived in the meantime.
actor SharedCounts {
    private struct CachedCount {
        /// The count's number, assigned when the count began.
        var number: Int
        var indexed: EventPosition
        var result: Result<Int, StoreError>
    }

    /// The maximum number of cached results.
    ///
    /// Cached results serve requests that repeat a query shortly afterward.
    private static let capacity = 256

    private let store: any EventStore
    private var cache: [EventQuery: CachedCount] = [:]
    /// The number of counts that have begun.
    private var startedCounts = 0
    private var isCounting = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates shared counts without cached results.
    ///
    /// - Parameter store: The store whose events are counted.
    init(in store: any EventStore) {
        self.store = store
    }

    /// Returns the number of matching events at the time of the call or later.
    func count(matching query: EventQuery) async throws(StoreError) -> Int {
        var query = query
        // The cursor does not affect the count.
        query.after = nil
        let position = store.indexed
        let before = startedCounts
        while true {
            if let cached = cache[query] {
                // A rebuilt index reaches every position again, so an old result is valid only for its own position.
                if cached.number > before || cached.indexed == position { return try cached.result.get() }
            }
            if isCounting {
                await withCheckedContinuation { waiting.append($0) }
            } else {
                await runCount(query)
            }
        }
    }

    private func runCount(_ query: EventQuery) async {
        isCounting = true
        startedCounts += 1
        let number = startedCounts
        let indexed = store.indexed
        let result: Result<Int, StoreError>
        do throws(StoreError) {
            result = .success(try await store.count(matching: query))
        } catch {
            result = .failure(error)
        }
        if cache.count >= Self.capacity { cache = [:] }
        cache[query] = CachedCount(number: number, indexed: indexed, result: result)
        isCounting = false
        let resumed = waiting
        waiting = []
        for waiter in resumed { waiter.resume() }
    }
}
