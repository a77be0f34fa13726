// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A search for events by content that is not indexed.
///
/// The store scans the events to find matches.
public struct EventSearch: Sendable, Hashable {
    /// The query for the events to scan, with start, order and limit.
    public var query: EventQuery
    /// The conditions on attributes and context; all must hold.
    public var conditions: [QueryCondition]
    /// The strings that the event or its context, as received, must contain.
    ///
    /// ASCII case is ignored. There are at most ``QueryLimits/conditions`` strings of at most ``QueryLimits/nameBytes``
    /// bytes each.
    public var words: [String]

    /// Creates a search.
    public init(_ query: EventQuery, conditions: [QueryCondition] = [], words: [String] = []) {
        self.query = query
        self.conditions = conditions
        self.words = words
    }

    /// Parses a search from URL parameters.
    ///
    /// `where` and `text` may each occur several times.
    ///
    /// - Returns: nil when neither is given, because the index alone can answer such a query.
    /// - Throws: ``InvalidQueryError`` with the parameter, its value, and a hint.
    public init?(_ query: EventQuery, parameters: [(name: String, value: String)]) throws(InvalidQueryError) {
        let reader = QueryParameterReader(parameters)
        let words = try reader.words("text")
        let conditions = try reader.conditions("where")
        guard !words.isEmpty || !conditions.isEmpty else { return nil }
        self.init(query, conditions: conditions, words: words)
    }
}

/// A page of search results.
public struct EventSearchResult: Sendable, Hashable {
    /// The events, in the query's order.
    public var events: [StoredEvent]
    /// The number of events scanned.
    public var searched: Int
    /// The number of events in the index.
    public var total: UInt64
    /// The cursor for the next page; nil when all events were scanned.
    public var next: EventPosition?

    /// Creates results.
    public init(events: [StoredEvent], searched: Int, total: UInt64, next: EventPosition?) {
        self.events = events
        self.searched = searched
        self.total = total
        self.next = next
    }

    /// Writes the response.
    ///
    /// - Parameter retainedSince: The arrival time before which events are missing; nil when none are missing.
    public func write(retainedSince: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("events", events) { $0.write(to: &$1) }
        writer.member("searched", Int64(searched))
        writer.member("of", total)
        if let next { writer.member("next", next.description) }
        writer.writeRetainedSince(retainedSince)
        writer.endObject()
    }
}
