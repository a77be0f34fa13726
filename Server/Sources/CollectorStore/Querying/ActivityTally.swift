// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Which people were active in which intervals, each noted once.
struct PeopleByInterval {
    /// The person's number above, the interval below, sorted once ``settle()`` was called.
    private(set) var pairs: [UInt64] = []
    private let limit: Int
    private var settled = 0

    /// Nobody yet.
    ///
    /// - Parameter limit: how many pairs may be kept.
    init(limit: Int) {
        self.limit = limit
    }

    /// The most intervals that can be told apart.
    static let intervals = 1 << 12

    static func pair(_ person: Int64, _ interval: Int) -> UInt64 {
        UInt64(bitPattern: person) << 12 | UInt64(interval)
    }

    static func person(_ pair: UInt64) -> Int64 { Int64(bitPattern: pair >> 12) }
    static func interval(_ pair: UInt64) -> Int { Int(pair & 0xFFF) }

    /// A person was active in an interval.
    ///
    /// - Throws: ``StoreError`` when that is one too many.
    /// - Complexity: O(log) over many calls.
    mutating func insert(_ person: Int64, _ interval: Int) throws(StoreError) {
        let pair = Self.pair(person, interval)
        // Events of one person often lie together.
        if pairs.last == pair { return }
        pairs.append(pair)
        if pairs.count > max(2 * settled, limit) { try settle() }
    }

    /// Sorts the pairs, and keeps each once.
    ///
    /// - Throws: ``StoreError`` when they are too many.
    mutating func settle() throws(StoreError) {
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
    func forEachPerson(_ body: (_ person: Int64, _ intervals: ArraySlice<UInt64>) -> Void) {
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
struct LifecycleTally {
    private let intervals: Int
    /// Interval 0 stands for all the time before, 1 for the one before the first, 2 for the first.
    private var people: PeopleByInterval

    /// A tally of nobody, over so many intervals.
    init(intervals: Int, budget: QuestionBudget) {
        self.intervals = intervals
        people = PeopleByInterval(limit: budget.people)
    }

    /// A person was active in an interval, -1 for the one before the first, -2 for all the time before that.
    mutating func count(_ person: Int64, _ interval: Int) throws(StoreError) {
        try people.insert(person, interval + 2)
    }

    /// How many are new, come back, and stay away.
    mutating func answer() throws(StoreError) -> [Lifecycle.Counts] {
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
struct RetentionTally {
    /// A moment with its place in the log: which of two events came first.
    struct Moment: Comparable {
        var time: Int64
        var position: Int64
        /// Of a whole quarter only: how many events it has.
        var events: Int64 = 1
        var isQuarter = false

        static func < (left: Self, right: Self) -> Bool {
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
    /// Who had several events in the quarter of the first one, whose order is not known.
    private(set) var unsure: Set<UInt64> = []

    /// A tally of nobody.
    init(_ question: RetentionQuestion, budget: QuestionBudget) {
        self.question = question
        self.budget = budget
        returns = PeopleByInterval(limit: budget.people)
    }

    /// A person had the event before the time asked for: a later one is not the first.
    mutating func wasThere(_ person: Int64) throws(StoreError) {
        earlier.insert(person)
        try check(earlier.count)
    }

    /// A person had the event that makes cohorts. All of them are counted before the first return.
    mutating func came(_ person: Int64, _ interval: Int, at moment: Moment) throws(StoreError) {
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
    mutating func settle() {
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
    mutating func returned(_ person: Int64, _ interval: Int, at moment: Moment) throws(StoreError) {
        try returns.insert(person, interval)
        let key = PeopleByInterval.pair(person, interval)
        guard let first = firsts[key] else { return }
        guard moment.isQuarter else {
            if first < moment { same.insert(key) }
            return
        }
        let quarter = QuarterTables.quarter(of: first.time)
        if quarter < QuarterTables.quarter(of: moment.time) {
            same.insert(key)
        } else if quarter == QuarterTables.quarter(of: moment.time) {
            // Both are the same events, or the first one is of another kind and its place among these is not known.
            if first.isQuarter { if moment.events > 1 { same.insert(key) } } else { unsure.insert(key) }
        }
    }

    /// Settles whether somebody came back who is ``unsure``.
    mutating func settle(_ key: UInt64, cameBack: (_ person: Int64, _ first: Moment) throws -> Bool) rethrows {
        guard !same.contains(key), let first = firsts[key] else { return }
        if try cameBack(PeopleByInterval.person(key), first) { same.insert(key) }
    }

    /// The cohorts.
    ///
    /// - Complexity: O(people × log), and O(intervals²) for a person who is in each.
    mutating func answer() throws(StoreError) -> [Retention.Cohort] {
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
