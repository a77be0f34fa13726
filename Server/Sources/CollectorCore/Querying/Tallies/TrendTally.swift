// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Computes a trend from events, in any order.
public struct TrendTally: Sendable {
    /// The sums of a group's events in an interval or period.
    private struct Sum {
        var events: Int64 = 0
        var people: Int64 = 0
        var valueKinds = Trend.ValueKinds()
        var sum = ExactSum()
        var sorted: [JSONNumber] = []

        mutating func add(_ other: Sum) {
            events += other.events
            people += other.people
            valueKinds.numbers += other.valueKinds.numbers
            valueKinds.texts += other.valueKinds.texts
            valueKinds.others += other.valueKinds.others
            valueKinds.missing += other.valueKinds.missing
            sum.add(other.sum)
            sorted += other.sorted
        }
    }

    private struct Place: Hashable {
        var group: Int
        /// An interval, or ``now`` or ``before`` for a whole period.
        var slot: Int
    }

    private let query: TrendQuery
    private let budget: QueryBudget
    private let before: Int
    private let now: Int
    private let slots: Int
    private var groups: QueryGroups
    private var numbers: [Place: Int] = [:]
    private var places: [Place] = []
    private var sums: [Sum] = []
    private var people: [Int64: UInt64] = [:]
    /// The pairs of a sum and a person that were already counted.
    ///
    /// The sum's number is in the high bits, the person's in the low bits.
    private var seen: Set<UInt64> = []
    /// Caches of recent groups and sums, indexed by a small hash.
    ///
    /// The caches are effective because events adjacent in time often share groups and sums.
    private var recentGroups: [(value: QueryValue?, group: Int)] = Array(repeating: (nil, -1), count: Self.recent)
    private var recentSums: [(place: Place, sum: Int)] = Array(
        repeating: (Place(group: -1, slot: -1), -1),
        count: Self.recent
    )
    private static let recent = 64
    private var kept = 0
    /// The point whose people are listed; nil if none are.
    private let point: TrendPoint?
    /// The people of ``point``, by group.
    private var listed: [Int: PeopleActivity] = [:]

    /// Creates an empty tally.
    ///
    /// - Parameter point: the point whose people ``listedPeople()`` returns; nil for none.
    public init(_ query: TrendQuery, budget: QueryBudget, listing point: TrendPoint? = nil) {
        self.query = query
        self.budget = budget
        self.point = point
        groups = QueryGroups(query.grouping)
        now = query.time.edgesBefore.isEmpty ? query.time.count : 2 * query.time.count
        before = now + 1
        slots = now + 2
    }

    /// Counts events within the query's time range.
    ///
    /// - Parameters:
    ///   - events: the number of identical events.
    ///   - value: the events' value of the grouping field.
    ///   - person: the number of the person, installation or group that the query counts; nil if it counts none.
    ///   - measured: the events' value of the measured field; nil for none.
    /// - Throws: ``StoreError`` when the budget is exhausted.
    public mutating func count(
        _ events: Int64 = 1,
        at time: Timestamp,
        value: QueryValue?,
        person: Int64?,
        measured: QueryValue? = nil
    ) throws(StoreError) {
        guard query.time.contains(time) else { return }
        let number = measured.flatMap { $0.number ?? (query.readsTextsAsNumbers ? $0.spelledNumber : nil) }
        let slot = query.time.slot(of: time)
        let group = try self.group(of: value)
        if let point, isInPoint(slot, point) {
            try listed[group, default: PeopleActivity(limit: budget.people)].add(
                person,
                PeopleActivity.Entry(first: time.milliseconds, last: time.milliseconds, events: events)
            )
        }
        // The numbers of the whole period are those of its intervals, so they are stored once.
        try count(events, in: Place(group: group, slot: slot), person, number, of: measured, keeping: true)
        try count(
            events,
            in: Place(group: group, slot: slot < query.time.count ? now : before),
            person,
            number,
            of: measured,
            keeping: false
        )
    }

    private func isInPoint(_ slot: Int, _ point: TrendPoint) -> Bool {
        let count = query.time.count
        guard (slot >= count) == point.isBefore else { return false }
        return point.interval.map { $0 == slot % count } ?? true
    }

    private mutating func group(of value: QueryValue?) throws(StoreError) -> Int {
        let bits: Int
        if case .text(let text)? = value {
            bits = text.count &* 5 &+ Int(text.first ?? 0) &+ Int(text.last ?? 0) &* 3
        } else {
            bits = value == nil ? 0 : 1
        }
        let recent = recentGroups[bits % Self.recent]
        if recent.group >= 0, recent.value == value { return recent.group }
        let group = try knownGroup(of: value)
        recentGroups[bits % Self.recent] = (value, group)
        return group
    }

    private mutating func knownGroup(of value: QueryValue?) throws(StoreError) -> Int {
        let number = groups.number(of: value)
        guard groups.bytes <= budget.groupBytes else {
            throw .overBudget("by", "its groups exceed \(budget.groupBytes) bytes: group by another attribute")
        }
        return number
    }

    private mutating func count(
        _ events: Int64,
        in place: Place,
        _ person: Int64?,
        _ number: JSONNumber?,
        of measured: QueryValue?,
        keeping: Bool
    ) throws(StoreError) {
        let index: Int
        let bits = (place.group &* 7 &+ place.slot) % Self.recent
        if recentSums[bits].place == place {
            index = recentSums[bits].sum
        } else if let known = numbers[place] {
            index = known
        } else {
            guard sums.count < budget.sums else {
                throw .overBudget(
                    query.grouping == nil ? "interval" : "by",
                    """
                    it has more than \(budget.sums) sums: choose a longer interval, a shorter range, or another \
                    attribute
                    """
                )
            }
            index = sums.count
            numbers[place] = index
            places.append(place)
            sums.append(Sum())
        }
        recentSums[bits] = (place, index)
        sums[index].events += events
        if let number {
            sums[index].valueKinds.numbers += events
            sums[index].sum.add(number, times: events)
            if keeping, case .p95 = query.measure {
                kept += Int(events)
                guard kept <= budget.numbers else {
                    throw .overBudget("from", "it sorts more than \(budget.numbers) numbers: choose a shorter range")
                }
                sums[index].sorted += repeatElement(number, count: Int(events))
            }
        } else if query.measure.field != nil {
            switch measured {
            case nil: sums[index].valueKinds.missing += events
            case .text?: sums[index].valueKinds.texts += events
            case .number?, .boolean?, .structure?: sums[index].valueKinds.others += events
            }
        }
        guard let person else { return }
        if seen.insert(UInt64(index) << 32 | self.number(of: person)).inserted {
            sums[index].people += 1
            guard seen.count <= budget.people else {
                throw .overBudget(
                    "from",
                    "it counts more than \(budget.people) people: choose a shorter time range or a longer interval"
                )
            }
        }
    }

    /// Returns a person's number in this tally.
    ///
    /// There are never more numbers than people counted.
    private mutating func number(of person: Int64) -> UInt64 {
        if let known = people[person] { return known }
        let next = UInt64(people.count)
        people[person] = next
        return next
    }

    // MARK: Result

    /// Returns one series per top group, and one for all others.
    ///
    /// The top groups are those with the most events; all other groups form one series together.
    ///
    /// - Complexity: O(sums + distinct people + stored numbers × log stored numbers).
    public func series() -> [Trend.Series] {
        guard let grouping = query.grouping else {
            return [series(.all, rows([0: 0]).first ?? [:])]
        }
        let values = groups.values
        let ranked = ranked()
        let top = ranked.prefix(grouping.top)
        let others = ranked.dropFirst(grouping.top)
        var series: [Int: Int] = [:]
        for (number, group) in top.enumerated() { series[group] = number }
        // Groups that occur only in the previous period belong to the series of all other groups, but do not count
        // toward its number of values.
        for group in values.indices where series[group] == nil { series[group] = top.count }
        let rows = rows(series)
        var result = zip(top, rows).map { self.series(.value(values[$0]), $1) }
        if values.count > top.count, let rest = rows.last, rows.count > top.count {
            result.append(self.series(.other(others.count), rest))
        }
        return result
    }

    /// The groups with events in the requested period, most events first.
    private func ranked() -> [Int] {
        let values = groups.values
        return values.indices.filter { events(of: $0) > 0 }.sorted { left, right in
            let (more, less) = (events(of: left), events(of: right))
            return more == less ? QueryValue.precedes(values[left], values[right]) : more > less
        }
    }

    /// Returns the people of the point for which the tally was created.
    ///
    /// They are the people, installations or groups that the point's number counts.
    ///
    /// - Throws: ``StoreError`` when there are too many.
    public func listedPeople() throws(StoreError) -> PeopleActivity {
        var people = PeopleActivity(limit: budget.people)
        guard let point else { return people }
        let wanted = groups.numbers(of: point.group) { ranked().prefix(query.grouping?.top ?? 0) }
        for (group, activity) in listed where wanted?.contains(group) ?? true { try people.add(activity) }
        return people
    }

    private func events(of group: Int) -> Int64 {
        numbers[Place(group: group, slot: now)].map { sums[$0].events } ?? 0
    }

    /// Returns each series' sums by slot.
    ///
    /// - Parameter series: the series of each group.
    private func rows(_ series: [Int: Int]) -> [[Int: Sum]] {
        var rows = Array(repeating: [Int: Sum](), count: (series.values.max() ?? -1) + 1)
        var sizes: [Int: Int] = [:]
        for number in series.values { sizes[number, default: 0] += 1 }
        for (index, place) in places.enumerated() {
            guard let row = series[place.group] else { continue }
            rows[row][place.slot, default: Sum()].add(sums[index])
        }
        // A person in two groups of one series counts only once in that series.
        var together: Set<UInt64> = []
        var people: [Place: Int64] = [:]
        for entry in seen {
            let place = places[Int(entry >> 32)]
            guard let row = series[place.group], sizes[row] ?? 0 > 1 else { continue }
            let key = UInt64(row * slots + place.slot) << 32 | (entry & 0xFFFF_FFFF)
            if together.insert(key).inserted { people[Place(group: row, slot: place.slot), default: 0] += 1 }
        }
        for (place, count) in people { rows[place.group][place.slot]?.people = count }
        return rows
    }

    private func series(_ group: Trend.Group, _ row: [Int: Sum]) -> Trend.Series {
        let count = query.time.count
        let first = numbers(row, 0..<count, total: now)
        guard now == 2 * count else { return Trend.Series(group: group, now: first) }
        return Trend.Series(group: group, now: first, before: numbers(row, count..<2 * count, total: before))
    }

    private func numbers(_ row: [Int: Sum], _ intervals: Range<Int>, total: Int) -> Trend.Numbers {
        var whole = row[total] ?? Sum()
        whole.sorted = intervals.flatMap { row[$0]?.sorted ?? [] }
        return Trend.Numbers(
            values: intervals.map { value(row[$0] ?? Sum()) },
            total: value(whole),
            valueKinds: query.measure.field == nil ? nil : whole.valueKinds
        )
    }

    private func value(_ sum: Sum) -> JSONNumber? {
        switch query.measure {
        case .events: return .integer(sum.events)
        case .users, .installations, .groups: return .integer(sum.people)
        case .sum: return sum.sum.value
        case .average:
            return sum.valueKinds.numbers == 0 ? nil : .double(sum.sum.nearest / Double(sum.valueKinds.numbers))
        case .p95:
            guard !sum.sorted.isEmpty else { return nil }
            // The nearest rank: the smallest number that at least 95% of the numbers do not exceed.
            let rank = (95 * sum.sorted.count + 99) / 100
            return sum.sorted.sorted { $0.isLess(than: $1) }[rank - 1]
        }
    }
}
