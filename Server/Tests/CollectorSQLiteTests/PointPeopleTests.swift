// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("People behind the points of an answer")
struct PointPeopleTests {
    /// Midnight UTC.
    private static let start: Int64 = 1_700_006_400_000
    private static let day: Int64 = 86_400_000
    private static let days: Int64 = 5

    /// An event, as the test knows it.
    private struct Sample {
        var name: String
        var time: Int64
        var user: String?
        var installation: UInt64?
        var tier: String?
        var company: String?
        /// The user of the next sign-in, else the visitor; nil for neither.
        var person: String?
    }

    private static func moment(_ offset: Int64) -> Timestamp { Timestamp(milliseconds: start + offset) }

    private static func range(
        _ from: Int64,
        _ to: Int64,
        _ interval: QueryInterval = .day,
        comparing: Bool = false
    ) throws -> QueryTimeRange {
        try #require(
            QueryTimeRange(from: moment(from), to: moment(to), interval: interval, in: .utc, comparing: comparing)
        )
    }

    /// Indexes random events of a few people.
    ///
    /// No two events have the same time.
    private static func events(
        _ random: inout SeededGenerator,
        _ environment: IndexEnvironment
    ) async throws -> [Sample] {
        var samples: [Sample] = []
        for number in 0..<30 {
            let installation = random.oneIn(6) ? nil : UInt64(random.number(1...8))
            let user = random.oneIn(2) ? nil : "user-\(random.number(1...6))"
            let company = user == nil || random.oneIn(3) ? nil : ["acme", "globex"][random.number(0...1)]
            var batch = installation.map { Batch($0, UInt64(number + 1), 1...9) } ?? Batch()
            if let user {
                let groups = company.map { #","groups":{"company":"\#($0)"}"# } ?? ""
                batch.lines.append(#"{"context":{"user":{"id":"\#(user)"\#(groups)}}}"#)
            }
            for index in 0..<9 {
                let sample = Sample(
                    name: ["a", "b", "c"][random.number(0...2)],
                    time: start + Int64(random.number(-1_000...Int(days) * 1_000)) * day / 1_000
                        + Int64(number * 9 + index),
                    user: user,
                    installation: installation,
                    tier: random.oneIn(3) ? nil : ["gold", "silver", "iron"][random.number(0...2)],
                    company: company
                )
                samples.append(sample)
                let attributes = sample.tier.map { #"{"tier":"\#($0)"}"# } ?? "{}"
                batch.lines.append(
                    line(UInt64(number * 9 + index + 1), sample.name, time: sample.time, attributes: attributes)
                )
            }
            try environment.append(batch)
        }
        try await environment.index()
        return samples.map { sample in
            var sample = sample
            sample.person = person(of: sample, samples)
            return sample
        }
    }

    private static func person(of sample: Sample, _ samples: [Sample]) -> String? {
        if let user = sample.user { return user }
        guard let installation = sample.installation else { return nil }
        let next = samples.filter { $0.installation == installation && $0.user != nil && $0.time > sample.time }
            .min { $0.time < $1.time }
        return next?.user ?? visitor(installation)
    }

    private static func visitor(_ installation: UInt64) -> String { InstallationID.numbered(installation).description }

    private static func key(_ person: PointPeople.Person) -> String {
        person.group ?? person.user ?? person.installation?.description ?? "missing"
    }

    /// Returns all people of a point, read in pages of a few.
    private static func list(
        _ point: PointPeopleQuery.Point,
        _ environment: IndexEnvironment,
        pages: Int = 3
    ) async throws -> PointPeople {
        var query = PointPeopleQuery(point, limit: pages)
        var all = try await environment.store.people(query)
        while let next = all.next {
            query.after = next
            let page = try await environment.store.people(query)
            #expect(page.total == all.total && page.eventsWithoutPerson == all.eventsWithoutPerson)
            #expect(!page.people.isEmpty && page.people.count <= pages)
            all.people += page.people
            all.next = page.next
        }
        #expect(all.total == all.people.count)
        #expect(Set(all.people.map(key)).count == all.people.count)
        #expect(zip(all.people, all.people.dropFirst()).allSatisfy { $0.last >= $1.last })
        return all
    }

    /// Checks a list against the events that the test expects in the point, by person.
    private static func check(_ people: PointPeople, _ expected: [String?: [Sample]], _ comment: String) {
        for person in people.people {
            let events = expected[key(person)] ?? []
            #expect(Int(person.events) == events.count, "\(comment) \(person)")
            #expect(person.first.milliseconds == events.map(\.time).min(), "\(comment) \(person)")
            #expect(person.last.milliseconds == events.map(\.time).max(), "\(comment) \(person)")
        }
        #expect(people.total == expected.keys.count { $0 != nil }, "\(comment)")
    }

    private static func isIn(_ group: PointGroup, _ sample: Sample, _ named: [QueryValue?]) -> Bool {
        let value = sample.tier.map { QueryValue.text(Array($0.utf8)) }
        switch group {
        case .all: return true
        case .value(let own): return value == own
        case .other: return !named.contains(value)
        }
    }

    /// Returns what a measure counts of an event.
    private static func counted(_ sample: Sample, _ measure: TrendQuery.Measure) -> String? {
        switch measure {
        case .installations: sample.installation.map(visitor)
        case .groups: sample.company
        case .events, .users, .sum, .average, .p95: sample.person
        }
    }

    // MARK: Trends

    @Test(arguments: 1...6)
    func `the people of each point of a trend are those that its number counts`(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let environment = try IndexEnvironment()
        let samples = try await Self.events(&random, environment)
        let measures: [TrendQuery.Measure] = [.users, .events, .installations, .groups("company")]
        for _ in 0..<12 {
            let measure = measures[random.number(0...3)]
            let from = Int64(random.number(1...3)) * Self.day / 2
            let time = try Self.range(from, from + Int64(random.number(1...8)) * Self.day / 4, comparing: true)
            let isGrouped = random.oneIn(2)
            var filter = QueryFilter()
            if random.oneIn(2) { filter.names = ["a"] }
            if random.oneIn(3) {
                filter.conditions = [try QueryCondition("tier~gold or tier=[iron]", parameter: "where")]
            }
            let wanted = samples.filter { sample in
                (filter.names.isEmpty || sample.name == "a")
                    && (filter.conditions.isEmpty || sample.tier == "gold" || sample.tier == "iron")
            }
            let grouping = TrendQuery.Grouping(by: .attribute("tier"), top: 2)
            let query = TrendQuery(filter, in: time, measure: measure, grouping: isGrouped ? grouping : nil)
            let series = try await environment.store.trend(query).series
            for one in series {
                let group: PointGroup
                switch one.group {
                case .all: group = .all
                case .value(let value): group = .value(value)
                case .other: group = .other
                }
                var named: [QueryValue?] = []
                for other in series { if case .value(let value) = other.group { named.append(value) } }
                for (isBefore, numbers) in [(false, one.now), (true, one.before ?? one.now)] {
                    let edges = isBefore ? time.edgesBefore : time.edges
                    for interval in [nil] + numbers.values.indices.map(Optional.some) {
                        let point = TrendPoint(interval: interval, isBefore: isBefore, group: group)
                        let comment = "\(query) \(point)"
                        let people = try await Self.list(.trend(query, point), environment)
                        let number = interval.map { numbers.values[$0] } ?? numbers.total
                        let (first, end) =
                            interval.map { (edges[$0], edges[$0 + 1]) } ?? (edges[0], edges[edges.count - 1])
                        let inPoint = wanted.filter { sample in
                            sample.time >= first.milliseconds && sample.time < end.milliseconds
                                && Self.isIn(group, sample, named)
                        }
                        let expected = Dictionary(grouping: inPoint) { Self.counted($0, measure) }
                        Self.check(people, expected, comment)
                        let without = expected[String?.none]?.count ?? 0
                        #expect(Int(people.eventsWithoutPerson) == without)
                        if measure == .events {
                            let sum = people.people.map(\.events).reduce(people.eventsWithoutPerson, +)
                            #expect(number == .integer(sum), "\(comment)")
                        } else {
                            #expect(number == .integer(Int64(people.total)), "\(comment)")
                        }
                    }
                }
            }
        }
    }

    @Test
    func `values with the same text are one group of people`() async throws {
        let environment = try IndexEnvironment()
        for (number, tier) in ["1", "\"1\"", "\"x\""].enumerated() {
            var batch = Batch(UInt64(number + 1), 1, 1...1)
            batch.lines = [line(UInt64(number + 1), "a", time: Self.start, attributes: #"{"tier":\#(tier)}"#)]
            try environment.append(batch)
        }
        try await environment.index()
        let grouping = TrendQuery.Grouping(by: .attribute("tier"), readsValuesAsTexts: true)
        let query = TrendQuery(in: try Self.range(0, Self.day), measure: .users, grouping: grouping)
        for value in [QueryValue.text([49]), .number(.integer(1))] {
            let point = TrendPoint(interval: 0, group: .value(value))
            #expect(try await Self.list(.trend(query, point), environment).total == 2)
        }
        let missing = TrendPoint(interval: 0, group: .value(.text(Array("none".utf8))))
        #expect(try await Self.list(.trend(query, missing), environment).total == 0)
    }

    // MARK: Other queries

    @Test(arguments: 11...16)
    func `the people of each step of a funnel are those that its number counts`(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let environment = try IndexEnvironment()
        _ = try await Self.events(&random, environment)
        for _ in 0..<12 {
            let names = (0..<random.number(1...3)).map { _ in ["a", "b", "c"][random.number(0...2)] }
            let isGrouped = random.oneIn(2)
            let query = FunnelQuery(
                steps: names.map { QueryFilter(names: [$0]) },
                from: Self.moment(0),
                to: Self.moment(Int64(random.number(1...5)) * Self.day),
                window: Int64(random.number(1...4)) * Self.day / 2,
                grouping: isGrouped ? .init(by: .attribute("tier"), top: random.number(1...2)) : nil,
                unit: random.oneIn(4) ? .group("company") : .person
            )
            for series in try await environment.store.funnel(query).series {
                let group: PointGroup
                switch series.group {
                case .all: group = .all
                case .value(let value): group = .value(value)
                case .other: group = .other
                }
                for (index, step) in series.steps.enumerated() {
                    func list(_ isDropOff: Bool) async throws -> PointPeople {
                        let point = FunnelPoint(step: index + 1, isDropOff: isDropOff, group: group)
                        return try await Self.list(.funnel(query, point), environment)
                    }
                    let reached = try await list(false)
                    #expect(Int64(reached.total) == step.people, "\(query)")
                    #expect(reached.people.allSatisfy { $0.events == Int64(index + 1) })
                    let next = index + 1 < series.steps.count ? series.steps[index + 1].people : 0
                    let dropped = try await list(true)
                    #expect(Int64(dropped.total) == step.people - next, "\(query)")
                    #expect(Set(dropped.people.map(Self.key)).isSubset(of: Set(reached.people.map(Self.key))))
                    let durations = reached.people.map { $0.last.milliseconds - $0.first.milliseconds }.sorted()
                    if index > 0, !durations.isEmpty {
                        #expect(durations[(durations.count + 1) / 2 - 1] == step.medianTotal)
                    }
                }
            }
        }
    }

    @Test(arguments: 21...26)
    func `the people of each cohort and return are those that their numbers count`(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let environment = try IndexEnvironment()
        let samples = try await Self.events(&random, environment)
        for _ in 0..<8 {
            let isAny = random.oneIn(2)
            let offset = random.oneIn(2) ? 0 : Int64(random.number(1...1_000_000))
            let query = RetentionQuery(
                first: isAny ? QueryFilter() : QueryFilter(names: ["a"]),
                returning: isAny ? QueryFilter() : QueryFilter(names: [random.oneIn(2) ? "a" : "b"]),
                in: try Self.range(offset, offset + 3 * Self.day),
                cohort: random.oneIn(2) ? .first : .each
            )
            let edges = query.time.edges.map(\.milliseconds)
            func events(_ filter: QueryFilter, _ interval: Int) -> [Sample] {
                samples.filter {
                    (filter.names.isEmpty || filter.names.contains($0.name))
                        && $0.time >= edges[interval] && $0.time < edges[interval + 1]
                }
            }
            for (index, cohort) in try await environment.store.retention(query).cohorts.enumerated() {
                let all = try await Self.list(.retention(query, RetentionPoint(cohort: index)), environment)
                #expect(Int64(all.total) == cohort.people, "\(query)")
                let members = Set(all.people.map(Self.key))
                let firsts = Dictionary(grouping: events(query.first, index), by: \.person)
                Self.check(all, firsts.filter { members.contains($0.key ?? "") }, "\(query) \(index)")
                for (later, returned) in cohort.returned.enumerated() {
                    let point = RetentionPoint(cohort: index, later: later)
                    let people = try await Self.list(.retention(query, point), environment)
                    #expect(Int64(people.total) == returned, "\(query) \(point)")
                    #expect(Set(people.people.map(Self.key)).isSubset(of: members))
                    let returns = events(query.returning, index + later).filter { sample in
                        guard let person = sample.person, members.contains(person) else { return false }
                        return later > 0 || sample.time > firsts[person]?.map(\.time).min() ?? .max
                    }
                    Self.check(people, Dictionary(grouping: returns, by: \.person), "\(query) \(point)")
                }
            }
        }
    }

    @Test(arguments: 31...36)
    func `the people of each state and bar are those that its number counts`(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let environment = try IndexEnvironment()
        let samples = try await Self.events(&random, environment)
        for _ in 0..<8 {
            let offset = random.oneIn(2) ? Self.day : Int64(random.number(1...1_000_000))
            let query = ActivityQuery(
                random.oneIn(2) ? QueryFilter() : QueryFilter(names: ["b"]),
                in: try Self.range(offset, offset + 3 * Self.day),
                unit: random.oneIn(4) ? .group("company") : .person
            )
            let edges = [query.time.preceding.milliseconds] + query.time.edges.map(\.milliseconds)
            func events(_ interval: Int) -> [String?: [Sample]] {
                let all = samples.filter {
                    (query.filter.names.isEmpty || $0.name == "b") && $0.time >= edges[interval]
                        && $0.time < edges[interval + 1]
                }
                let byPerson = Dictionary(grouping: all) { query.unit == .person ? $0.person : $0.company }
                return byPerson.filter { $0.key != nil }
            }
            for (index, counts) in try await environment.store.lifecycle(query).intervals.enumerated() {
                var active = 0
                for state in LifecyclePoint.State.allCases {
                    let point = LifecyclePoint(interval: index, state: state)
                    let people = try await Self.list(.lifecycle(query, point), environment)
                    let number =
                        switch state {
                        case .new: counts.new
                        case .returning: counts.returning
                        case .resurrected: counts.resurrected
                        case .dormant: counts.dormant
                        }
                    #expect(Int64(people.total) == number, "\(query) \(point)")
                    let keys = Set(people.people.map(Self.key))
                    let interval = state == .dormant ? index : index + 1
                    Self.check(people, events(interval).filter { keys.contains($0.key ?? "") }, "\(point)")
                    if state != .dormant { active += people.total }
                }
                #expect(active == events(index + 1).count)
            }
            for (index, number) in try await environment.store.stickiness(query).people.enumerated() {
                let people = try await Self.list(.stickiness(query, intervals: index + 1), environment)
                #expect(Int64(people.total) == number, "\(query)")
                let whole = (1...query.time.count).map(events).reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
                let wanted = whole.filter { entry in
                    (1...query.time.count).count { events($0)[entry.key] != nil } == index + 1
                }
                Self.check(people, wanted, "\(query) \(index + 1)")
            }
        }
    }

    @Test
    func `a list over the budget of people fails instead of being truncated`() async throws {
        var random = SeededGenerator(seed: 3)
        let environment = try IndexEnvironment()
        _ = try await Self.events(&random, environment)
        var budget = QueryBudget()
        budget.people = 3
        let store = try SQLiteEventStore(path: environment.path, timeout: .zero, budget: budget)
        defer { #expect(throws: Never.self) { try store.close() } }
        let query = TrendQuery(in: try Self.range(0, Self.days * Self.day), measure: .events)
        let error = await #expect(throws: StoreError.self) {
            try await store.people(PointPeopleQuery(.trend(query, TrendPoint(interval: nil))))
        }
        #expect(error?.kind == .overBudget(parameter: "from"))
    }
}
