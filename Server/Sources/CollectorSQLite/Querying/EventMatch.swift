// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Checks whether an event matches a search.
struct EventMatch {
    private let conditions: [QueryCondition]
    private let fields: [QueryField]
    private let words: [SearchWord]
    private var values: QueryFieldReader
    /// Maps rows to people; nil if no condition is about people.
    private let people: PersonMap?
    private let personValues: PersonValues?

    /// Creates a matcher; an event must meet all conditions and contain all words.
    ///
    /// - Parameters:
    ///   - cohorts: The cohorts that the conditions name.
    ///   - meter: Counts the events that cohorts and first referrals require.
    init(
        conditions wanted: [QueryCondition],
        words: [String],
        cohorts: [String: Cohort],
        _ meter: QueryMeter,
        _ db: Database
    ) throws {
        conditions = wanted
        fields = QueryFilter(conditions: wanted).fields
        self.words = words.map(SearchWord.init)
        values = try QueryFieldReader(fields, db)
        guard fields.contains(where: \.isOfPerson) else {
            (people, personValues) = (nil, nil)
            return
        }
        let people = try PersonMap(db, cohorts: cohorts)
        let personValues = try people.values(db)
        var meter = meter
        try personValues.prepare(fields, people, &meter, db)
        (self.people, self.personValues) = (people, personValues)
    }

    /// Returns the person of an event, if the conditions depend on it; nil otherwise.
    ///
    /// - Parameter number: The number in the event's row.
    func person(_ number: Int64?, at time: Timestamp) -> Int64? { number.flatMap { people?.person($0, at: time) } }

    /// Returns whether the event of a row matches.
    ///
    /// - Parameters:
    ///   - context: The column with the number of the event's context.
    ///   - body: The column with the event itself; the next column contains its context.
    ///   - person: The event's person (``person(_:at:)``).
    mutating func matches(_ row: RawStatement, context: Int32, body: Int32, person: Int64?) throws -> Bool {
        guard
            words.allSatisfy({ word in
                row.withBytes(body) { word.occurs(in: $0) } || row.withBytes(body + 1) { word.occurs(in: $0) }
            })
        else { return false }
        guard !conditions.isEmpty else { return true }
        let number = row.optionalInteger(context)
        var found = try row.withBytes(body) { try values.values(body: $0, context: number) }
        if let person, let personValues {
            for (index, field) in fields.enumerated() where field.isOfPerson {
                found[index] = try personValues.value(personValues.slot(of: field), of: person)
            }
        }
        return conditions.allSatisfy { condition in
            condition.holds { field in fields.firstIndex(of: field).flatMap { found[$0] } }
        }
    }
}
