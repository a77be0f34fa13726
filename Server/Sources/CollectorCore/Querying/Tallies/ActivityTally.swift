// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The people who were active in each interval, without duplicates.
public struct PeopleByInterval: Sendable {
    /// Pairs of a person and an interval.
    ///
    /// The person's number is in the high bits, the interval in the low bits. The pairs are sorted and unique after a
    /// call to ``settle()``.
    public private(set) var pairs: [UInt64] = []
    private let limit: Int
    private var settled = 0

    /// Creates an empty set.
    ///
    /// - Parameter limit: the maximum number of pairs.
    public init(limit: Int) {
        self.limit = limit
    }

    /// The maximum number of intervals.
    public static let intervals = 1 << 12

    /// Combines a person and an interval into one number.
    public static func pair(_ person: Int64, _ interval: Int) -> UInt64 {
        UInt64(bitPattern: person) << 12 | UInt64(interval)
    }

    /// Returns the person's number in a pair.
    public static func person(_ pair: UInt64) -> Int64 { Int64(bitPattern: pair >> 12) }

    /// Returns the interval in a pair.
    public static func interval(_ pair: UInt64) -> Int { Int(pair & 0xFFF) }

    /// Records that a person was active in an interval.
    ///
    /// - Throws: ``StoreError`` when the limit is exceeded.
    /// - Complexity: O(log pairs), amortized over many calls.
    public mutating func insert(_ person: Int64, _ interval: Int) throws(StoreError) {
        let pair = Self.pair(person, interval)
        // Events of one person are often adjacent.
        if pairs.last == pair { return }
        pairs.append(pair)
        if pairs.count > max(2 * settled, limit) { try settle() }
    }

    /// Sorts the pairs and removes duplicates.
    ///
    /// - Throws: ``StoreError`` when the limit is exceeded.
    public mutating func settle() throws(StoreError) {
        pairs.sort()
        var kept = 0
        for pair in pairs where kept == 0 || pairs[kept - 1] != pair {
            pairs[kept] = pair
            kept += 1
        }
        pairs.removeLast(pairs.count - kept)
        settled = kept
        guard kept <= limit else {
            throw .overBudget(
                "from",
                "it counts more than \(limit) people: choose a shorter time range or a longer interval"
            )
        }
    }

    /// Returns the people active in exactly a number of intervals.
    ///
    /// Call ``settle()`` first.
    public func people(activeIn count: Int) -> Set<Int64> {
        var people: Set<Int64> = []
        forEachPerson { person, intervals in if intervals.count == count { people.insert(person) } }
        return people
    }

    /// Calls `body` with each person's pairs, in ascending order of intervals.
    ///
    /// Call ``settle()`` first.
    public func forEachPerson(_ body: (_ person: Int64, _ intervals: ArraySlice<UInt64>) -> Void) {
        var start = 0
        while start < pairs.count {
            let person = Self.person(pairs[start])
            var end = start + 1
            while end < pairs.count, Self.person(pairs[end]) == person { end += 1 }
            body(person, pairs[start..<end])
            start = end
        }
    }
}

/// Counts new, returning, resurrected and dormant people.
public struct LifecycleTally: Sendable {
    private let intervals: Int
    /// The people by interval, with interval numbers shifted by two.
    ///
    /// Number 0 stands for all earlier time, 1 for the interval before the first, and 2 for the first interval.
    private var people: PeopleByInterval

    /// Creates an empty tally for a number of intervals.
    public init(intervals: Int, budget: QueryBudget) {
        self.intervals = intervals
        people = PeopleByInterval(limit: budget.people)
    }

    /// Records that a person was active in an interval.
    ///
    /// Interval -1 is the one before the first; -2 stands for all time before that.
    public mutating func count(_ person: Int64, _ interval: Int) throws(StoreError) {
        try people.insert(person, interval + 2)
    }

    /// Returns the counts by interval.
    public mutating func result() throws(StoreError) -> [Lifecycle.Counts] {
        var counts = Array(repeating: Lifecycle.Counts(), count: intervals)
        try forEachState { _, state, interval in
            switch state {
            case .new: counts[interval].new += 1
            case .returning: counts[interval].returning += 1
            case .resurrected: counts[interval].resurrected += 1
            case .dormant: counts[interval].dormant += 1
            }
        }
        return counts
    }

    /// Returns the people in a state.
    public mutating func people(at point: LifecyclePoint) throws(StoreError) -> Set<Int64> {
        var people: Set<Int64> = []
        try forEachState { person, state, interval in
            if state == point.state, interval == point.interval { people.insert(person) }
        }
        return people
    }

    /// Calls `body` with each person's state in an interval.
    private mutating func forEachState(
        _ body: (_ person: Int64, _ state: LifecyclePoint.State, _ interval: Int) -> Void
    ) throws(StoreError) {
        try people.settle()
        people.forEachPerson { person, active in
            var before: Int?
            for pair in active {
                let interval = PeopleByInterval.interval(pair) - 2
                if interval >= 0 {
                    switch before {
                    case nil: body(person, .new, interval)
                    case interval - 1: body(person, .returning, interval)
                    default: body(person, .resurrected, interval)
                    }
                }
                if let before, before >= -1, before + 1 < interval { body(person, .dormant, before + 1) }
                before = interval
            }
            if let before, before >= -1, before + 1 < intervals { body(person, .dormant, before + 1) }
        }
    }
}

/// Counts returning people by cohort.
public struct RetentionTally: Sendable {
    /// The time and log position of an event.
    ///
    /// The position orders events with the same time.
    public struct Occurrence: Sendable, Comparable {
        /// The time in milliseconds since 1970.
        ///
        /// For a quarter of an hour, this is the start of the quarter.
        public var time: Int64
        /// The event's position.
        public var position: Int64
        /// The number of events.
        ///
        /// Relevant only for a whole quarter of an hour.
        public var events: Int64
        /// Whether the occurrence stands for a whole quarter of an hour.
        ///
        /// The order of events within the quarter is unknown.
        public var isQuarter: Bool

        /// Creates an occurrence.
        public init(time: Int64, position: Int64, events: Int64 = 1, isQuarter: Bool = false) {
            self.time = time
            self.position = position
            self.events = events
            self.isQuarter = isQuarter
        }

        public static func < (left: Self, right: Self) -> Bool {
            (left.time, left.position) < (right.time, right.position)
        }
    }

    private let query: RetentionQuery
    private let budget: QueryBudget
    /// The people who had a cohort event before the time range.
    private var earlier: Set<Int64> = []
    /// The first event of each person in each of the person's cohorts.
    private var firsts: [UInt64: Occurrence] = [:]
    private var returns: PeopleByInterval
    /// The people who returned in the cohort's own interval.
    ///
    /// These people returned after their first event.
    private var same: Set<UInt64> = []
    /// The number of events counted in the first event's quarter so far.
    private var firstEventCounts: [UInt64: Int64] = [:]
    /// People whose return may precede the first event.
    ///
    /// The return and the first event are in the same quarter of an hour, and their order is unknown.
    public private(set) var undecided: Set<UInt64> = []

    /// Creates an empty tally.
    public init(_ query: RetentionQuery, budget: QueryBudget) {
        self.query = query
        self.budget = budget
        returns = PeopleByInterval(limit: budget.people)
    }

    /// Records that a person had a cohort event before the time range.
    ///
    /// No later event of the person counts as the person's first.
    public mutating func addEarlierPerson(_ person: Int64) throws(StoreError) {
        earlier.insert(person)
        try check(earlier.count)
    }

    /// Records an event that puts a person into a cohort.
    ///
    /// All such events must be recorded before the first return.
    public mutating func addFirst(_ person: Int64, _ interval: Int, at moment: Occurrence) throws(StoreError) {
        // For the cohort rule `first`, the interval is determined once all events are known; until then, each person
        // has one entry, for the first event.
        let key = PeopleByInterval.pair(person, query.cohort == .first ? 0 : interval)
        guard firsts[key].map({ moment < $0 }) ?? true else { return }
        firsts[key] = moment
        try check(firsts.count)
    }

    private func check(_ count: Int) throws(StoreError) {
        guard count <= budget.people else {
            throw .overBudget("from", "it counts more than \(budget.people) people: choose a shorter time range")
        }
    }

    /// Completes the cohorts after all first events have been recorded.
    ///
    /// If only a person's first event ever counts, people who had that event before the time range are in no cohort.
    public mutating func settle() {
        guard query.cohort == .first else { return }
        var settled: [UInt64: Occurrence] = [:]
        settled.reserveCapacity(firsts.count)
        for (key, moment) in firsts {
            let person = PeopleByInterval.person(key)
            guard !earlier.contains(person) else { continue }
            let interval = query.time.slot(of: Timestamp(milliseconds: moment.time))
            settled[PeopleByInterval.pair(person, interval)] = moment
        }
        firsts = settled
    }

    /// Records an event that counts as a return.
    public mutating func addReturn(_ person: Int64, _ interval: Int, at moment: Occurrence) throws(StoreError) {
        try returns.insert(person, interval)
        let key = PeopleByInterval.pair(person, interval)
        guard let first = firsts[key] else { return }
        guard moment.isQuarter else {
            if first < moment { same.insert(key) }
            return
        }
        let quarter = QuarterOfHour.number(of: first.time)
        if quarter < QuarterOfHour.number(of: moment.time) {
            same.insert(key)
        } else if quarter == QuarterOfHour.number(of: moment.time) {
            // Either the first event is one of these events, or it is of another kind and its order among them is
            // unknown.
            guard first.isQuarter else {
                undecided.insert(key)
                return
            }
            // A visitor who signed in and the resulting user have separate counts for the quarter.
            let events = min(2, moment.events) + (firstEventCounts[key] ?? 0)
            if events > 1 { same.insert(key) } else { firstEventCounts[key] = events }
        }
    }

    /// Resolves whether an ``undecided`` person returned.
    public mutating func settle(_ key: UInt64, hasReturned: (_ person: Int64, _ first: Occurrence) throws -> Bool)
        rethrows
    {
        guard !same.contains(key), let first = firsts[key] else { return }
        if try hasReturned(PeopleByInterval.person(key), first) { same.insert(key) }
    }

    /// Returns the cohorts.
    ///
    /// - Complexity: O(people × log people), and O(intervals²) for a person who is in every cohort.
    public mutating func result() throws(StoreError) -> [Retention.Cohort] {
        let count = query.time.count
        var cohorts = (0..<count).map { Retention.Cohort(people: 0, returned: Array(repeating: 0, count: count - $0)) }
        try forEachMember { _, point in
            if let later = point.later {
                cohorts[point.cohort].returned[later] += 1
            } else {
                cohorts[point.cohort].people += 1
            }
        }
        return cohorts
    }

    /// Returns the people of a cohort, or those of them who returned.
    public mutating func people(at point: RetentionPoint) throws(StoreError) -> Set<Int64> {
        var people: Set<Int64> = []
        try forEachMember { key, itsPoint in
            if itsPoint == point { people.insert(PeopleByInterval.person(key)) }
        }
        return people
    }

    /// Calls `body` with each person's cohorts and returns.
    ///
    /// The key is the pair of the person and the cohort.
    private mutating func forEachMember(_ body: (_ key: UInt64, _ point: RetentionPoint) -> Void) throws(StoreError) {
        for key in same { body(key, RetentionPoint(cohort: PeopleByInterval.interval(key), later: 0)) }
        try returns.settle()
        let pairs = returns.pairs
        var place = 0
        // Both sequences are sorted by person.
        for key in firsts.keys.sorted() {
            let (person, cohort) = (PeopleByInterval.person(key), PeopleByInterval.interval(key))
            body(key, RetentionPoint(cohort: cohort))
            while place < pairs.count, PeopleByInterval.person(pairs[place]) < person { place += 1 }
            var next = place
            while next < pairs.count, PeopleByInterval.person(pairs[next]) == person {
                let interval = PeopleByInterval.interval(pairs[next])
                if interval > cohort { body(key, RetentionPoint(cohort: cohort, later: interval - cohort)) }
                next += 1
            }
        }
    }
}

/// Quarters of an hour, counted from 1970.
///
/// The offsets of all time zones in use are multiples of a quarter of an hour.
public enum QuarterOfHour {
    /// The length in milliseconds.
    public static let length: Int64 = 900_000

    /// Returns the number of the quarter that contains a time.
    ///
    /// - Parameter milliseconds: the time in milliseconds since 1970.
    public static func number(of milliseconds: Int64) -> Int64 {
        // A client may have sent any number, so avoid an addition that could overflow.
        milliseconds / length - (milliseconds % length < 0 ? 1 : 0)
    }

    /// Returns the time at which a quarter starts, in milliseconds since 1970.
    ///
    /// The first quarter that has times starts at the earliest time.
    public static func start(of quarter: Int64) -> Int64 {
        let (start, isOutside) = quarter.multipliedReportingOverflow(by: length)
        return isOutside ? (quarter < 0 ? .min : .max) : start
    }
}
