// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Reads the values of people for one query, each person's at most once.
///
/// The readers of a query share one object (``PersonMap/values(_:)``), so that a funnel evaluates a cohort once.
final class PersonValues {
    /// The maximum number of values in memory; beyond it, values are read again.
    private static let maximumValues = 500_000

    /// A field with the values read so far.
    private struct Slot {
        let field: QueryField
        var known: [Int64: QueryValue?] = [:]
    }

    private let rows: PersonMap.Rows
    private let attributes: PersonAttributeReader
    private let firstEvents: FirstEventReader
    private var contexts: FirstTouchContexts
    private let cohorts: [String: Cohort]
    private var slots: [Slot] = []
    private var firsts: [Int64: FirstEventReader.Event?] = [:]
    /// The values of the first referral of each person, by attribute.
    private var referrals: [String: [Int64: QueryValue]] = [:]
    /// The number of matching events of each person, up to the number required, by condition.
    private var counts: [Cohort.Behavior: [Int64: Int]] = [:]
    private var remembered = 0

    init(_ rows: PersonMap.Rows, cohorts: [String: Cohort], _ db: Database) throws {
        self.rows = rows
        self.cohorts = cohorts
        attributes = try PersonAttributeReader(db)
        firstEvents = try FirstEventReader(db)
        contexts = try FirstTouchContexts(db)
    }

    /// Reads what the values of fields require of other events, once for the query.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget, or a cohort is missing.
    /// - Complexity: O(events of the cohorts' names and of referrals).
    func prepare(_ fields: [QueryField], _ people: PersonMap, _ meter: inout QueryMeter, _ db: Database) throws {
        for field in fields {
            switch field {
            case .person(.first(let fact)):
                if let attribute = fact.referralAttribute, referrals[attribute] == nil {
                    referrals[attribute] = try referral(attribute, people, &meter, db)
                }
            case .cohort(let name):
                guard let cohort = cohorts[name] else { throw StoreError.unknownCohort(name) }
                try prepare(QueryFilter(conditions: cohort.conditions).fields, people, &meter, db)
                for behavior in cohort.behaviors where counts[behavior] == nil {
                    counts[behavior] = try count(behavior, people, &meter, db)
                }
            case .person(.attribute), .attribute, .context: break
            }
        }
    }

    /// Returns the number of a field, for ``value(_:of:)``.
    func slot(of field: QueryField) -> Int {
        if let known = slots.firstIndex(where: { $0.field == field }) { return known }
        slots.append(Slot(field: field))
        return slots.count - 1
    }

    /// Returns the value of a field, by its number; nil if the person has none.
    ///
    /// - Complexity: O(1) for a known value, otherwise O(installations of the person × log).
    func value(_ slot: Int, of person: Int64) throws -> QueryValue? {
        if let known = slots[slot].known[person] { return known }
        let value = try read(slots[slot].field, of: person)
        if remembered >= Self.maximumValues { forget() }
        remembered += 1
        slots[slot].known[person] = .some(value)
        return value
    }

    private func forget() {
        for slot in slots.indices { slots[slot].known = [:] }
        firsts = [:]
        remembered = 0
    }

    private func read(_ field: QueryField, of person: Int64) throws -> QueryValue? {
        switch field {
        case .attribute, .context: return nil
        case .person(.attribute(let name)): return try attributes.value(name, of: rows.wholeNumbers(of: person))
        case .person(.first(let fact)):
            if let attribute = fact.referralAttribute { return referrals[attribute]?[person] }
            return try self.fact(fact, of: person)
        case .cohort(let name):
            guard let cohort = cohorts[name] else { throw StoreError.unknownCohort(name) }
            return try contains(cohort, person) ? .boolean(true) : nil
        }
    }

    private func contains(_ cohort: Cohort, _ person: Int64) throws -> Bool {
        for behavior in cohort.behaviors {
            guard (counts[behavior]?[person] ?? 0 >= behavior.times) != behavior.isNegated else { return false }
        }
        return try cohort.conditions.allSatisfy { condition in
            try condition.holds { field in try value(slot(of: field), of: person) }
        }
    }

    private func fact(_ fact: FirstTouch, of person: Int64) throws -> QueryValue? {
        let first: FirstEventReader.Event?
        if let known = firsts[person] {
            first = known
        } else {
            first = try firstEvents.first(of: rows.of(person))
            firsts[person] = .some(first)
            remembered += 1
        }
        guard let first else { return nil }
        return fact == .seen ? .text(first.day) : try contexts.value(fact, in: first.context)
    }

    private func referral(
        _ attribute: String,
        _ people: PersonMap,
        _ meter: inout QueryMeter,
        _ db: Database
    ) throws -> [Int64: QueryValue] {
        var found: [Int64: (time: Timestamp, position: Int64, value: QueryValue)] = [:]
        let filter = QueryFilter(names: [FirstTouch.referralEvent])
        var reader = try EventReader(filter, fields: [.attribute(attribute)], people: people, db)
        let budget = meter.budget.people
        try reader.read(from: Self.always.lowerBound, to: Self.always.upperBound, &meter, db) { event in
            guard let person = event.person, let value = event.value(0) else { return }
            if let known = found[person], (known.time, known.position) < (event.time, event.position) { return }
            found[person] = (event.time, event.position, value)
            try Self.check(found.count, budget)
        }
        return found.mapValues(\.value)
    }

    private func count(
        _ behavior: Cohort.Behavior,
        _ people: PersonMap,
        _ meter: inout QueryMeter,
        _ db: Database
    ) throws -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        var reader = try EventReader(behavior.filter, people: people, db)
        let budget = meter.budget.people
        let from = behavior.from ?? Self.always.lowerBound
        try reader.read(from: from, to: behavior.to ?? Self.always.upperBound, &meter, db) { event in
            guard let person = event.person else { return }
            counts[person, default: 0] += 1
            try Self.check(counts.count, budget)
        }
        return counts
    }

    private static let always = Timestamp(milliseconds: .min)..<Timestamp(milliseconds: .max)

    private static func check(_ people: Int, _ limit: Int) throws(StoreError) {
        guard people <= limit else {
            throw .overBudget(
                "where",
                "a cohort or referral in its conditions concerns more than \(limit) people: give the cohort a shorter "
                    + "range or more conditions"
            )
        }
    }
}

extension PersonMap {
    /// The values of people, created when first used.
    final class SharedValues {
        fileprivate var values: PersonValues?
        fileprivate let cohorts: [String: Cohort]

        init(cohorts: [String: Cohort]) { self.cohorts = cohorts }
    }

    /// Returns the values of people for the query that uses this map.
    func values(_ db: Database) throws -> PersonValues {
        if let values = shared.values { return values }
        let values = try PersonValues(rows, cohorts: shared.cohorts, db)
        shared.values = values
        return values
    }
}

/// Reads the latest values of people's attributes, as a person's profile shows them.
struct PersonAttributeReader {
    private let find: RawStatement

    init(_ db: Database) throws {
        find = try RawStatement(
            db,
            """
            SELECT a.value, a.set_at, i.id, u.id IS NULL, u.mark FROM user_attributes a
            LEFT JOIN installations i ON i.number = a.installation LEFT JOIN users u ON u.number = a.user
            WHERE a.user = ? AND a.name = ?
            """
        )
    }

    /// Returns the value that was set last.
    ///
    /// Of two values set at the same time, the person's own is used, then that of the lesser installation id, then that
    /// of a merged user.
    ///
    /// - Parameter numbers: The person's number, followed by those of merged users and of the visitors who became the
    ///   person.
    func value(_ name: String, of numbers: [Int64]) throws -> QueryValue? {
        var found: (value: [UInt8], set: Int64, installation: [UInt8]?, order: (Int64, Int64))?
        for (index, number) in numbers.enumerated() {
            find.bind(1, number)
            find.bind(2, name)
            defer { find.reset() }
            guard try find.step() else { continue }
            let (set, installation, order) = (find.integer(1), find.bytes(2), (find.integer(3), find.integer(4)))
            if let found {
                guard set >= found.set else { continue }
                if set == found.set {
                    guard let other = found.installation else { continue }
                    let isFirst =
                        installation == other
                        ? order < found.order : installation.lexicographicallyPrecedes(other)
                    guard isFirst else { continue }
                }
            }
            found = (find.bytes(0), set, index == 0 ? nil : installation, order)
        }
        // The index wrote the value; an unreadable value is treated as missing.
        return found.flatMap { try? JSONValue.parse($0.value) }.flatMap(QueryValue.init)
    }
}

/// Finds the first events of people.
struct FirstEventReader {
    /// A person's first event.
    struct Event {
        /// The time, in milliseconds since 1970.
        let time: Int64
        /// The number of the context; nil if the event has none.
        let context: Int64?
        /// The day in UTC, such as `2026-11-21`.
        var day: [UInt8] { Array(Timestamp(milliseconds: time).iso8601.utf8.prefix(10)) }
    }

    private let runs: RawStatement
    private let events: RawStatement

    init(_ db: Database) throws {
        runs = try RawStatement(
            db,
            """
            SELECT first, last, earliest, latest FROM runs INDEXED BY runs_by_person_time
            WHERE person = ?1 AND latest >= ?2 AND earliest <= ?3 ORDER BY latest
            """
        )
        events = try RawStatement(
            db,
            """
            SELECT time, position, context FROM events
            WHERE position >= ?1 AND position <= ?2 AND time >= ?3 AND time <= ?4 ORDER BY time, position LIMIT 1
            """
        )
    }

    /// Returns the first event by time, then by arrival; nil without events.
    ///
    /// - Parameter parts: The numbers of the person's rows, each with the times in which they belong to the person.
    /// - Complexity: O(parts × (log + runs and events of the first days)).
    func first(of parts: [(number: Int64, times: ClosedRange<Int64>)]) throws -> Event? {
        var found: (time: Int64, position: Int64, context: Int64?)?
        for part in parts {
            runs.bind(1, part.number)
            runs.bind(2, part.times.lowerBound)
            runs.bind(3, part.times.upperBound)
            defer { runs.reset() }
            while try runs.step() {
                // Runs are shorter than their maximum span, so all later runs begin after the event found.
                let (begin, isBelow) = runs.integer(3).subtractingReportingOverflow(RunTable.span)
                if let found, !isBelow, begin > found.time { break }
                if let found, runs.integer(2) > found.time { continue }
                events.bind(1, runs.integer(0))
                events.bind(2, runs.integer(1))
                events.bind(3, part.times.lowerBound)
                events.bind(4, part.times.upperBound)
                defer { events.reset() }
                guard try events.step() else { continue }
                let event = (events.integer(0), events.integer(1), events.optionalInteger(2))
                if found.map({ (event.0, event.1) < ($0.time, $0.position) }) ?? true { found = event }
            }
        }
        return found.map { Event(time: $0.time, context: $0.context) }
    }
}

/// Numbers the groups, such as companies, that a query counts instead of people.
///
/// The readers of a query share one object, so that a group has the same number in every step.
final class GroupNumbers {
    /// The context's member with the group's id.
    let field: QueryField
    private let budget: QueryBudget
    private var numbers: [[UInt8]: Int64] = [:]
    private var bytes = 0

    init(_ type: String, budget: QueryBudget) {
        field = QueryUnit.field(ofGroup: type)
        self.budget = budget
    }

    /// The ids of the groups, by number.
    ///
    /// - Complexity: O(groups).
    var ids: [Int64: String] {
        Dictionary(uniqueKeysWithValues: numbers.map { ($0.value, String(decoding: $0.key, as: UTF8.self)) })
    }

    /// Returns the number of a group, by its id; nil if the value is not an id.
    ///
    /// Ids are compared as text, so the number 5 and the text "5" are one group.
    ///
    /// - Throws: ``StoreError`` when there are too many groups.
    func number(of value: QueryValue?) throws(StoreError) -> Int64? {
        let id: [UInt8]
        switch value {
        case .text(let text)?: id = text
        case .number?: id = value?.text ?? []
        case .boolean?, .structure?, nil: return nil
        }
        guard !id.isEmpty else { return nil }
        if let known = numbers[id] { return known }
        bytes += id.count
        guard numbers.count < budget.people, bytes <= budget.groupBytes else {
            throw .overBudget("from", "it counts more than \(numbers.count) groups: choose a shorter time range")
        }
        let number = Int64(numbers.count)
        numbers[id] = number
        return number
    }
}
