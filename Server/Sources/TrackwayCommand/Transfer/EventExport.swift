// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Reads stored events from a collector in order of arrival.
struct EventExport: Sendable {
    /// The number of events requested at once.
    static let pageSize = 1_000

    /// The collector.
    let client: CollectorClient
    /// The filter as parameters of the query.
    let query: [(name: String, value: String)]
    /// The position after which the export begins.
    let since: EventPosition
    /// The position before which the export ends, so that it ends although events arrive.
    let end: EventPosition

    /// Creates an export of the events that the index has now.
    ///
    /// - Throws: ``CommandFailure`` if the collector does not answer.
    init(
        _ client: CollectorClient,
        query: [(name: String, value: String)],
        since: EventPosition
    ) async throws(CommandFailure) {
        (self.client, self.query, self.since) = (client, query, since)
        let state = try await client.get("/v1/ledger", query: [("limit", "1")])
        guard let text = state["indexed"]?.string, let end = EventPosition(text) else {
            throw CommandFailure(.unavailable, "\(client.address.root) did not report the position of its index")
        }
        self.end = end
    }

    /// Passes the events to `body`, page by page.
    ///
    /// - Returns: The position of the last event that was passed, or ``since`` without one. The next export can begin
    ///   after it.
    /// - Throws: ``CommandFailure`` if a request fails, or the error of `body`.
    func read(_ body: (_ events: [JSONValue]) async throws -> Void) async throws -> EventPosition {
        var after = since
        var last = since
        while after < end {
            let parameters = [("order", "asc"), ("limit", "\(Self.pageSize)"), ("after", after.description)]
            let page = try await client.get("/v1/events", query: query + parameters)
            var events = page["events"]?.array ?? []
            let positions = events.map { $0["position"]?.string.flatMap { EventPosition($0) } ?? end }
            // Events that arrived later belong to the next export.
            let count = positions.firstIndex { $0 >= end } ?? events.count
            events.removeLast(events.count - count)
            if !events.isEmpty {
                try await body(events)
                last = positions[count - 1]
            }
            guard count == positions.count, let next = page["next"]?.string.flatMap({ EventPosition($0) }), next > after
            else { break }
            after = next
        }
        return last
    }
}
