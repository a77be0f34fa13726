// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The events of each person in one point of an answer.
public struct PeopleActivity: Sendable {
    /// The events of one person.
    public struct Entry: Sendable, Hashable {
        /// The time of the first event, in milliseconds since 1970.
        public var first: Int64
        /// The time of the last event, in milliseconds since 1970.
        public var last: Int64
        /// The number of events.
        public var events: Int64

        /// Adds the events of another entry.
        mutating func add(_ other: Entry) {
            first = min(first, other.first)
            last = max(last, other.last)
            events += other.events
        }
    }

    /// The people, by number.
    public private(set) var entries: [Int64: Entry] = [:]
    /// The number of events that belong to no person.
    public private(set) var eventsWithoutPerson: Int64 = 0
    private let limit: Int

    /// Creates an empty list.
    ///
    /// - Parameter limit: the maximum number of people.
    public init(limit: Int) {
        self.limit = limit
    }

    /// Adds events of a person; nil for events without one.
    ///
    /// - Throws: ``StoreError`` when the limit is exceeded.
    public mutating func add(_ person: Int64?, at time: Timestamp) throws(StoreError) {
        let moment = time.milliseconds
        try add(person, Entry(first: moment, last: moment, events: 1))
    }

    /// Adds events of a person; nil for events without one.
    ///
    /// - Throws: ``StoreError`` when the limit is exceeded.
    mutating func add(_ person: Int64?, _ entry: Entry) throws(StoreError) {
        guard let person else {
            eventsWithoutPerson += entry.events
            return
        }
        if entries[person]?.add(entry) == nil { entries[person] = entry }
        guard entries.count <= limit else {
            throw .overBudget("from", "it lists more than \(limit) people: choose a shorter time range")
        }
    }

    /// Adds the events of another list.
    ///
    /// - Throws: ``StoreError`` when the limit is exceeded.
    mutating func add(_ other: PeopleActivity) throws(StoreError) {
        eventsWithoutPerson += other.eventsWithoutPerson
        for (person, entry) in other.entries { try add(person, entry) }
    }

    /// Returns one page of the people, and the next page's cursor.
    ///
    /// The person with the last event comes first.
    ///
    /// - Complexity: O(people × log people).
    public func page(
        after: TimeCursor?,
        limit: Int
    ) -> (people: [(number: Int64, entry: Entry)], next: TimeCursor?) {
        let sorted = entries.map { (number: $0.key, entry: $0.value) }
            .filter { person in
                guard let after else { return true }
                return (person.entry.last, person.number) < (after.time.milliseconds, after.number)
            }
            .sorted { ($1.entry.last, $1.number) < ($0.entry.last, $0.number) }
        let page = Array(sorted.prefix(limit))
        guard page.count < sorted.count, let last = page.last else { return (page, nil) }
        return (page, TimeCursor(time: Timestamp(milliseconds: last.entry.last), number: last.number))
    }
}
