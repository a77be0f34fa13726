// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Reads the first-touch facts of one person.
///
/// The facts are those of ``PersonValues``, which reads them for many people.
enum FirstTouchRows {
    /// Returns the known facts.
    ///
    /// - Complexity: O(events named ``FirstTouch/referralEvent`` in the index, as index rows), until both of its facts
    ///   are found.
    static func facts(of parts: [PersonPart], _ db: Database) throws -> [FirstTouch: QueryValue] {
        let owned = parts.map { (number: $0.number, times: $0.times) }
        var facts = try referral(of: owned, db)
        guard let first = try FirstEventReader(db).first(of: owned) else { return facts }
        facts[.seen] = .text(first.day)
        var contexts = try FirstTouchContexts(db)
        for fact in FirstTouchContexts.facts { facts[fact] = try contexts.value(fact, in: first.context) }
        return facts
    }

    private static func referral(
        of parts: [(number: Int64, times: ClosedRange<Int64>)],
        _ db: Database
    ) throws -> [FirstTouch: QueryValue] {
        let wanted = FirstTouch.allCases.filter { $0.referralAttribute != nil }
        var reader = try QueryFieldReader(wanted.compactMap { $0.referralAttribute.map(QueryField.attribute) }, db)
        let places = try RawStatement(
            db,
            "SELECT time, person, position FROM events INDEXED BY events_by_question WHERE name = ? ORDER BY time, position"
        )
        let event = try RawStatement(db, "SELECT body, context FROM events WHERE position = ?")
        places.bind(1, FirstTouch.referralEvent)
        defer { places.reset() }
        var facts: [FirstTouch: QueryValue] = [:]
        while facts.count < wanted.count, try places.step() {
            let (time, person) = (places.integer(0), places.optionalInteger(1))
            guard parts.contains(where: { $0.number == person && $0.times.contains(time) }) else { continue }
            event.bind(1, places.integer(2))
            defer { event.reset() }
            guard try event.step() else { continue }
            let context = event.optionalInteger(1)
            let values = try event.withBytes(0) { try reader.values(body: $0, context: context) }
            for (fact, value) in zip(wanted, values) where facts[fact] == nil { facts[fact] = value }
        }
        return facts
    }
}

/// Reads the facts in the contexts of first events.
struct FirstTouchContexts {
    /// The facts that contexts contain.
    static let facts = FirstTouch.allCases.filter { $0.contextPath != nil }
    private var reader: QueryFieldReader

    init(_ db: Database) throws {
        reader = try QueryFieldReader(Self.facts.compactMap { $0.contextPath.map(QueryField.context) }, db)
    }

    /// Returns a fact; nil if the context does not contain it.
    ///
    /// - Parameter context: The number of the context; nil for none.
    mutating func value(_ fact: FirstTouch, in context: Int64?) throws -> QueryValue? {
        guard let place = Self.facts.firstIndex(of: fact) else { return nil }
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        return fact.value(inContext: try reader.values(attributes: nothing, context: context)[place])
    }
}
