// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Events by what they hold, not only by what they are filed under: they have to be gone through.
package struct EventSearch: Sendable, Hashable {
    /// Which events are gone through, from where, in which order, and how many are wanted.
    package var query: EventQuery
    /// What must hold of attributes and context, all of it.
    package var conditions: [QuestionCondition]
    /// What must occur in the event or its context as they were received; A–Z and a–z are the same. At most
    /// ``QuestionLimits/conditions``, each of at most ``QuestionLimits/nameBytes``.
    package var words: [String]

    /// A search.
    package init(_ query: EventQuery, conditions: [QuestionCondition] = [], words: [String] = []) {
        self.query = query
        self.conditions = conditions
        self.words = words
    }

    /// Reads what is searched for from the parameters of an address: `where` and `text`, each several times.
    ///
    /// - Returns: nil when neither is given, and the index alone has the answer.
    /// - Throws: ``QuestionError`` with the parameter, its value, and what helps.
    package init?(_ query: EventQuery, parameters: [(name: String, value: String)]) throws(QuestionError) {
        let reader = QuestionParameters(parameters)
        let words = try reader.words("text")
        let conditions = try reader.conditions("where")
        guard !words.isEmpty || !conditions.isEmpty else { return nil }
        self.init(query, conditions: conditions, words: words)
    }
}

/// What a search found so far.
package struct FoundEvents: Sendable, Hashable {
    /// The events, in the query's order.
    package var events: [StoredEvent]
    /// How many events were gone through.
    package var searched: Int
    /// How many events the index has.
    package var of: UInt64
    /// Where to go on; nil when all were gone through.
    package var next: EventPosition?

    /// What was found.
    package init(events: [StoredEvent], searched: Int, of: UInt64, next: EventPosition?) {
        self.events = events
        self.searched = searched
        self.of = of
        self.next = next
    }

    /// Writes the answer.
    ///
    /// - Parameter keptFrom: Events that arrived before this moment are missing; nil when none are.
    package func write(keptFrom: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("events", events) { $0.write(to: &$1) }
        writer.member("searched", Int64(searched))
        writer.member("of", of)
        if let next { writer.member("next", next.description) }
        writer.keptFrom(keptFrom)
        writer.endObject()
    }
}
