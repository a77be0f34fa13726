// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A search for events by content that is not indexed.
///
/// The events must be scanned.
public struct EventSearch: Sendable, Hashable {
    /// The events to scan, the start, the order, and the limit.
    public var query: EventQuery
    /// The conditions on attributes and context; all must hold.
    public var conditions: [QueryCondition]
    /// The strings that the event or its context, as received, must contain.
    ///
    /// ASCII case is ignored. At most ``QueryLimits/conditions``, each of at most ``QueryLimits/nameBytes``.
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
    /// - Returns: nil when neither is given, so the index alone can answer.
    /// - Throws: ``InvalidQueryError`` with the parameter, its value, and a hint.
    public init?(_ query: EventQuery, parameters: [(name: String, value: String)]) throws(InvalidQueryError) {
        let reader = QueryParameterReader(parameters)
        let words = try reader.words("text")
        let conditions = try reader.conditions("where")
        guard !words.isEmpty || !conditions.isEmpty else { return nil }
        self.init(query, conditions: conditions, words: words)
    }
}

/// The results of a search so far.
public struct EventSearchResult: Sendable, Hashable {
    /// The events, in the query's order.
    public var events: [StoredEvent]
    /// The number of events scanned.
    public var searched: Int
    /// The number of events in the index.
    public var of: UInt64
    /// Where the next page continues; nil when all events were scanned.
    public var next: EventPosition?

    /// Creates results.
    public init(events: [StoredEvent], searched: Int, of: UInt64, next: EventPosition?) {
        self.events = events
        self.searched = searched
        self.of = of
        self.next = next
    }

    /// Writes the response.
    ///
    /// - Parameter keptFrom: Events that arrived before this time are missing; nil when none are.
    public func write(keptFrom: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("events", events) { $0.write(to: &$1) }
        writer.member("searched", Int64(searched))
        writer.member("of", of)
        if let next { writer.member("next", next.description) }
        writer.keptFrom(keptFrom)
        writer.endObject()
    }
}
