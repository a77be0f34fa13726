// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Events by what they hold, not only by what they are filed under: they have to be gone through.
public struct EventSearch: Sendable, Hashable {
    /// Which events are gone through, from where, in which order, and how many are wanted.
    public var query: EventQuery
    /// What must hold of attributes and context, all of it.
    public var conditions: [QuestionCondition]
    /// What must occur in the event or its context as they were received; A–Z and a–z are the same. At most
    /// ``QuestionLimits/conditions``, each of at most ``QuestionLimits/nameBytes``.
    public var words: [String]

    /// A search.
    public init(_ query: EventQuery, conditions: [QuestionCondition] = [], words: [String] = []) {
        self.query = query
        self.conditions = conditions
        self.words = words
    }

    /// Reads what is searched for from the parameters of an address: `where` and `text`, each several times.
    ///
    /// - Returns: nil when neither is given, and the index alone has the answer.
    /// - Throws: ``QuestionError`` with the parameter, its value, and what helps.
    public init?(_ query: EventQuery, parameters: [(name: String, value: String)]) throws(QuestionError) {
        let reader = QuestionParameters(parameters)
        let words = try reader.words("text")
        let conditions = try reader.conditions("where")
        guard !words.isEmpty || !conditions.isEmpty else { return nil }
        self.init(query, conditions: conditions, words: words)
    }
}

/// What a search found so far.
public struct FoundEvents: Sendable, Hashable {
    /// The events, in the query's order.
    public var events: [StoredEvent]
    /// How many events were gone through.
    public var searched: Int
    /// How many events the index has.
    public var of: UInt64
    /// Where to go on; nil when all were gone through.
    public var next: EventPosition?

    /// What was found.
    public init(events: [StoredEvent], searched: Int, of: UInt64, next: EventPosition?) {
        self.events = events
        self.searched = searched
        self.of = of
        self.next = next
    }

    /// Writes the answer.
    ///
    /// - Parameter keptFrom: Events that arrived before this moment are missing; nil when none are.
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
