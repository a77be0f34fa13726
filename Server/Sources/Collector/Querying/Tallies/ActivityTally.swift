// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Which people were active in which intervals, each noted once.
public struct PeopleByInterval: Sendable {
    /// The person's number above, the interval below, sorted once ``settle()`` was called.
    public private(set) var pairs: [UInt64] = []
    private let limit: Int
    private var settled = 0

    /// Nobody yet.
    ///
    /// - Parameter limit: how many pairs may be kept.
    public init(limit: Int) {
        self.limit = limit
    }

    /// The most intervals that can be told apart.
    public static let intervals = 1 << 12

    /// A person and an interval in one number.
    public static func pair(_ person: Int64, _ interval: Int) -> UInt64 {
        UInt64(bitPattern: person) << 12 | UInt64(interval)
    }

    /// The person's number.
    public static func person(_ pair: UInt64) -> Int64 { Int64(bitPattern: pair >> 12) }

    /// The interval.
    public static func interval(_ pair: UInt64) -> Int { Int(pair & 0xFFF) }

    /// A person was active in an interval.
    ///
    /// - Throws: ``StoreError`` when that is one too many.
    /// - Complexity: O(log) over many calls.
    public mutating func insert(_ person: Int64, _ interval: Int) throws(StoreError) {
        let pair = Self.pair(person, interval)
        // Events of one person often lie together.
        if pairs.last == pair { return }
        pairs.append(pair)
        if pairs.count > max(2 * settled, limit) { try settle() }
    }

    /// Sorts the pairs, and keeps each once.
    ///
    /// - Throws: ``StoreError`` when they are too many.
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
                "it tells more than \(limit) people apart: choose a shorter time or a longer interval"
            )
        }
    }

    /// Calls `body` with each person's intervals, ascending. ``settle()`` comes first.
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

/// Tells new people from those who come back and those who stay away.
public struct LifecycleTally: Sendable {
    private let intervals: Int
    /// Interval 0 stands for all the time before, 1 for the one before the first, 2 for the first.
    private var people: PeopleByInterval

    /// A tally of nobody, over so many intervals.
    public init(intervals: Int, budget: QuestionBudget) {
        self.intervals = intervals
        people = PeopleByInterval(limit: budget.people)
    }

    /// A person was active in an interval, -1 for the one before the first, -2 for all the time before that.
    public mutating func count(_ person: Int64, _ interval: Int) throws(StoreError) {
        try people.insert(person, interval + 2)
    }

    /// How many are new, come back, and stay away.
    public mutating func answer() throws(StoreError) -> [Lifecycle.Counts] {
        try people.settle()
        var counts = Array(repeating: Lifecycle.Counts(), count: intervals)
        people.forEachPerson { _, active in
            var before: Int?
            for pair in active {
                let interval = PeopleByInterval.interval(pair) - 2
                if interval >= 0 {
                    switch before {
                    case nil: counts[interval].new += 1
                    case interval - 1: counts[interval].returning += 1
                    default: counts[interval].resurrected += 1
                    }
                }
                if let before, before >= -1, before + 1 < interval { counts[before + 1].dormant += 1 }
                before = interval
            }
            if let before, before >= -1, before + 1 < intervals { counts[before + 1].dormant += 1 }
        }
        return counts
    }
}

/// Counts who comes back, by when they came first.
public struct RetentionTally: Sendable {
    /// A moment with its place in the log: which of two events came first.
    public struct Moment: Sendable, Comparable {
        /// When, in milliseconds since 1970; of a quarter its beginning.
        public var time: Int64
        /// The event's place.
        public var position: Int64
        /// Of a whole quarter only: how many events it has.
        public var events: Int64
        /// Whether it stands for a whole quarter of an hour, within which no order is known.
        public var isQuarter: Bool

        /// A moment.
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

    private let question: RetentionQuestion
    private let budget: QuestionBudget
    /// Who had the event before the time.
    private var earlier: Set<Int64> = []
    /// The first event of each cohort that a person is in.
    private var firsts: [UInt64: Moment] = [:]
    private var returns: PeopleByInterval
    /// Who came back in the interval of the cohort itself, and later than the first event.
    private var same: Set<UInt64> = []
    /// The events counted so far in the quarter that the first event is in.
    private var eventsOfFirst: [UInt64: Int64] = [:]
    /// People with several events in the quarter of the first one, whose order is not known.
    public private(set) var unsure: Set<UInt64> = []

    /// A tally of nobody.
    public init(_ question: RetentionQuestion, budget: QuestionBudget) {
        self.question = question
        self.budget = budget
        returns = PeopleByInterval(limit: budget.people)
    }

    /// A person had the event before the time asked for: a later one is not the first.
    public mutating func wasThere(_ person: Int64) throws(StoreError) {
        earlier.insert(person)
        try check(earlier.count)
    }

    /// A person had the event that makes cohorts. All of them are counted before the first return.
    public mutating func came(_ person: Int64, _ interval: Int, at moment: Moment) throws(StoreError) {
        // The first interval is found when all are known; until then a person has one entry, that of the first event.
        let key = PeopleByInterval.pair(person, question.cohort == .first ? 0 : interval)
        guard firsts[key].map({ moment < $0 }) ?? true else { return }
        firsts[key] = moment
        try check(firsts.count)
    }

    private func check(_ count: Int) throws(StoreError) {
        guard count <= budget.people else {
            throw .overBudget("from", "it tells more than \(budget.people) people apart: choose a shorter time")
        }
    }

    /// All who came are counted: those who were there before belong to no cohort, if only the first event ever counts.
    public mutating func settle() {
        guard question.cohort == .first else { return }
        var settled: [UInt64: Moment] = [:]
        settled.reserveCapacity(firsts.count)
        for (key, moment) in firsts {
            let person = PeopleByInterval.person(key)
            guard !earlier.contains(person) else { continue }
            let interval = question.time.slot(of: Timestamp(milliseconds: moment.time))
            settled[PeopleByInterval.pair(person, interval)] = moment
        }
        firsts = settled
    }

    /// A person had the event that counts as coming back.
    public mutating func returned(_ person: Int64, _ interval: Int, at moment: Moment) throws(StoreError) {
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
            // Both are the same events, or the first one is of another kind and its place among these is not known.
            guard first.isQuarter else {
                unsure.insert(key)
                return
            }
            // A visitor who signed in and the user each have a count of the quarter.
            let events = min(2, moment.events) + (eventsOfFirst[key] ?? 0)
            if events > 1 { same.insert(key) } else { eventsOfFirst[key] = events }
        }
    }

    /// Settles whether somebody came back who is ``unsure``.
    public mutating func settle(_ key: UInt64, cameBack: (_ person: Int64, _ first: Moment) throws -> Bool) rethrows {
        guard !same.contains(key), let first = firsts[key] else { return }
        if try cameBack(PeopleByInterval.person(key), first) { same.insert(key) }
    }

    /// The cohorts.
    ///
    /// - Complexity: O(people × log), and O(intervals²) for a person who is in each.
    public mutating func answer() throws(StoreError) -> [Retention.Cohort] {
        let count = question.time.count
        var cohorts = (0..<count).map { Retention.Cohort(people: 0, returned: Array(repeating: 0, count: count - $0)) }
        for key in same { cohorts[PeopleByInterval.interval(key)].returned[0] += 1 }
        try returns.settle()
        let pairs = returns.pairs
        var place = 0
        // Both are in the order of people.
        for key in firsts.keys.sorted() {
            let (person, cohort) = (PeopleByInterval.person(key), PeopleByInterval.interval(key))
            cohorts[cohort].people += 1
            while place < pairs.count, PeopleByInterval.person(pairs[place]) < person { place += 1 }
            var next = place
            while next < pairs.count, PeopleByInterval.person(pairs[next]) == person {
                let interval = PeopleByInterval.interval(pairs[next])
                if interval > cohort { cohorts[cohort].returned[interval - cohort] += 1 }
                next += 1
            }
        }
        return cohorts
    }
}

/// Quarters of an hour, counted from 1970: the clocks of all zones in use differ from UTC by quarters.
public enum QuarterOfHour {
    /// How long one is, in milliseconds.
    public static let length: Int64 = 900_000

    /// The quarter that a moment lies in.
    ///
    /// - Parameter milliseconds: the moment, in milliseconds since 1970.
    public static func number(of milliseconds: Int64) -> Int64 {
        // Any number may have been sent: nothing is added to it.
        milliseconds / length - (milliseconds % length < 0 ? 1 : 0)
    }
}
