// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Maps the person number of a row (`users.number`) to a person.
///
/// A visitor who signed in maps to the user, and a merged user to the other user.
///
/// Event rows contain the visitor's number even after a sign-in, so a later sign-in or merge changes no event.
struct PersonMap {
    /// The user of each visitor, and of each merged user.
    ///
    /// The value is 0 for a separate person, and ``severalPeople`` if the user depends on the time.
    private var users: [UInt32] = []
    private var histories: [Int64: SignInHistory] = [:]
    /// The values of people, which all readers of a query share.
    let shared: SharedValues
    private static let severalPeople = UInt32.max

    /// Reads the map of the whole index.
    ///
    /// - Parameter cohorts: The cohorts that the query's conditions name.
    /// - Complexity: O(visitors who signed in); 4 bytes for each user and visitor if there are any.
    init(_ db: Database, cohorts: [String: Cohort] = [:]) throws {
        shared = SharedValues(cohorts: cohorts)
        let visitors = try RawStatement(db, "SELECT number, joined FROM users WHERE joined IS NOT NULL")
        let highest = try RawStatement(db, "SELECT max(number) FROM users")
        defer { highest.reset() }
        while try visitors.step() {
            if users.isEmpty, try highest.step() { users = Array(repeating: 0, count: Int(highest.integer(0)) + 1) }
            let joined = visitors.integer(1)
            users[Int(visitors.integer(0))] = joined > 0 ? UInt32(clamping: joined) : Self.severalPeople
        }
        let several = try RawStatement(
            db,
            """
            SELECT u.number, s.periods FROM users u JOIN sign_ins s ON s.installation = u.installation
            WHERE u.joined <= 0
            """
        )
        while try several.step() {
            histories[several.integer(0)] = several.withBytes(1) { SignInHistory(bytes: $0) }
        }
        // A visitor's user may be merged into another one.
        for (number, user) in users.enumerated() where user != 0 && user != Self.severalPeople {
            users[number] = UInt32(clamping: root(of: Int64(user)))
        }
    }

    /// Returns the user with whom a user is counted.
    ///
    /// - Parameter user: The number of a user, not of a visitor.
    private func root(of user: Int64) -> Int64 {
        guard let index = Int(exactly: user), users.indices.contains(index), users[index] != 0,
            users[index] != Self.severalPeople
        else { return user }
        return Int64(users[index])
    }

    /// Returns the person that an event with this number belongs to.
    ///
    /// - Complexity: O(1), or O(log sign-ins) if it depends on the time.
    func person(_ number: Int64, at time: Timestamp) -> Int64 {
        guard let index = Int(exactly: number), users.indices.contains(index), users[index] != 0 else { return number }
        guard users[index] == Self.severalPeople else { return Int64(users[index]) }
        return histories[number]?.owner(at: time.milliseconds).map(root) ?? number
    }

    /// Returns the owner of all events with this number within a time range.
    ///
    /// Nil if there are several owners.
    ///
    /// - Complexity: O(1), or O(log sign-ins) if it depends on the time.
    func person(_ number: Int64, within times: ClosedRange<Int64>) -> Int64? {
        guard let index = Int(exactly: number), users.indices.contains(index), users[index] != 0 else { return number }
        guard users[index] == Self.severalPeople else { return Int64(users[index]) }
        switch histories[number]?.owner(of: times) {
        case nil, .visitor?: return number
        case .user(let user)?: return root(of: user)
        case .several?: return nil
        }
    }

    /// Returns the people who have an event with this number before a time.
    ///
    /// - Complexity: O(sign-ins × log).
    func people(_ number: Int64, before moment: Timestamp, _ db: Database) throws -> [Int64] {
        guard moment.milliseconds > .min else { return [] }
        let times = Int64.min...(moment.milliseconds - 1)
        if let person = person(number, within: times) { return [person] }
        guard let history = histories[number] else { return [number] }
        var people: [Int64] = []
        for user in Set(history.periods.map(\.user)).sorted() {
            let parts = history.times(of: user).filter { $0.overlaps(times) }.map { $0.clamped(to: times) }
            if try parts.contains(where: { try Self.hasEvent(number, $0, db) }) { people.append(root(of: user)) }
        }
        if let rest = history.visitorTimes, rest.overlaps(times), try Self.hasEvent(number, rest.clamped(to: times), db)
        {
            people.append(number)
        }
        return people
    }

    /// The rows of each person, for queries that look up many people.
    ///
    /// - Complexity: O(visitors who signed in).
    var rows: Rows {
        var rows = Rows(histories: histories)
        let all = Int64.min...Int64.max
        for (number, user) in users.enumerated() where user != 0 && user != Self.severalPeople {
            rows.visitors[Int64(user), default: []].append((Int64(number), all))
        }
        for (number, history) in histories {
            for user in Set(history.periods.map(\.user)) {
                rows.visitors[root(of: user), default: []] += history.times(of: user).map { (number, $0) }
            }
        }
        return rows
    }

    /// The rows of each person.
    struct Rows {
        fileprivate var visitors: [Int64: [(number: Int64, times: ClosedRange<Int64>)]] = [:]
        fileprivate let histories: [Int64: SignInHistory]

        /// Returns the numbers of a person's rows.
        ///
        /// Each number is paired with the time range in which its rows belong to the person.
        func of(_ person: Int64) -> [(number: Int64, times: ClosedRange<Int64>)] {
            if let history = histories[person] { return history.visitorTimes.map { [(person, $0)] } ?? [] }
            return [(person, .min ... .max)] + (visitors[person] ?? [])
        }

        /// Returns the numbers whose rows all belong to the person.
        func wholeNumbers(of person: Int64) -> [Int64] {
            [person] + (visitors[person] ?? []).filter { histories[$0.number] == nil }.map(\.number)
        }
    }

    private static func hasEvent(_ number: Int64, _ times: ClosedRange<Int64>, _ db: Database) throws -> Bool {
        var order = PersonEventOrder(of: [PersonEventOrder.Part(number: number, times: times, isVisit: false)])
        if case .place = try order.next(RunRows(db)) { return true }
        return false
    }
}

/// A part of a person's events: the rows with one number in a time range.
struct PersonPart {
    /// The person number of the rows (`users.number`).
    let number: Int64
    /// The time range, in milliseconds since 1970.
    let times: ClosedRange<Int64>
    /// Whether all rows with the number belong to the person.
    let isWhole: Bool
    /// Whether the events were recorded before the user signed in.
    let isVisit: Bool
    /// Whether the events are those of a user, not of a visitor.
    var isOfUser: Bool { isWhole && !isVisit }

    private init(_ number: Int64, _ times: ClosedRange<Int64>, isWhole: Bool, isVisit: Bool) {
        self.number = number
        self.times = times
        self.isWhole = isWhole
        self.isVisit = isVisit
    }

    /// Returns the parts of a person.
    ///
    /// The person's own events come first, followed by those of users who are merged into this one, and of visitors who
    /// signed in as one of them.
    ///
    /// Visitors are ordered by the user's last use of their installation, latest first.
    ///
    /// - Complexity: O(installations of the user × log).
    static func all(of person: Int64, _ db: Database) throws -> [PersonPart] {
        let own = try RawStatement(
            db,
            """
            SELECT u.id IS NOT NULL, u.joined, s.periods, u.id IS NOT NULL AND u.joined IS NOT NULL FROM users u
            LEFT JOIN sign_ins s ON s.installation = u.installation AND u.joined <= 0 WHERE u.number = ?
            """
        )
        own.bind(1, person)
        defer { own.reset() }
        guard try own.step() else { return [] }
        if own.integer(3) == 1 { return try all(of: own.integer(1), db) }
        let everything = PersonPart(person, .min ... .max, isWhole: true, isVisit: false)
        guard own.integer(0) == 1 else {
            guard let joined = own.optionalInteger(1) else { return [everything] }
            guard joined == JoinedVisitor.severalWithVisitor, !own.isNull(2),
                let rest = own.withBytes(2, { SignInHistory(bytes: $0) }).visitorTimes
            else { return [] }
            return [PersonPart(person, rest, isWhole: false, isVisit: false)]
        }
        let users = try [person] + merged(into: person, db)
        let numbers = users.map(String.init).joined(separator: ", ")
        let visitors = try RawStatement(
            db,
            """
            SELECT u.number, u.joined, s.periods FROM (
                SELECT installation, max(last) AS last FROM visits WHERE user IN (\(numbers)) GROUP BY installation
            ) v
            CROSS JOIN users u ON u.installation = v.installation AND u.id IS NULL AND u.joined IS NOT NULL
            CROSS JOIN installations i ON i.number = v.installation
            LEFT JOIN sign_ins s ON s.installation = u.installation AND u.joined <= 0
            ORDER BY v.last DESC, i.id
            """
        )
        var parts = users.map { PersonPart($0, .min ... .max, isWhole: true, isVisit: false) }
        while try visitors.step() {
            let (number, joined) = (visitors.integer(0), visitors.integer(1))
            if users.contains(joined) {
                parts.append(PersonPart(number, .min ... .max, isWhole: true, isVisit: true))
            } else if joined <= 0, !visitors.isNull(2) {
                let history = visitors.withBytes(2) { SignInHistory(bytes: $0) }
                let times = users.flatMap { history.times(of: $0) }.sorted { $0.lowerBound < $1.lowerBound }
                parts += times.map { PersonPart(number, $0, isWhole: false, isVisit: true) }
            }
        }
        return parts
    }

    /// Returns the numbers of the users who are merged into a user, in an order that is the same in every index.
    ///
    /// - Complexity: O(merged users and visitors of the user).
    static func merged(into user: Int64, _ db: Database) throws -> [Int64] {
        let find = try RawStatement(
            db,
            "SELECT number FROM users WHERE joined = ? AND id IS NOT NULL ORDER BY mark, id"
        )
        find.bind(1, user)
        var numbers: [Int64] = []
        while try find.step() { numbers.append(find.integer(0)) }
        return numbers
    }

    /// Counts the part's events.
    ///
    /// - Complexity: O(log) if ``isWhole``, otherwise O(events in the time range).
    func events(_ db: Database) throws -> Int64 {
        guard isWhole else { return try sums(excluding: [], db).events }
        return try Int64.fetchOne(db, sql: "SELECT events FROM users WHERE number = ?", arguments: [number]) ?? 0
    }

    /// The event totals of a part.
    struct Sums {
        /// The time of the first event; nil without events.
        private(set) var first: Int64?
        /// The time of the last event; nil without events.
        private(set) var last: Int64?
        /// The number of events.
        private(set) var events: Int64 = 0
        /// The number of sessions of whole parts.
        private var wholeSessions: Int64 = 0
        /// The sessions of time ranges; a session can have events in several ranges of one visitor.
        private var sessionsInRanges: Set<Int64> = []

        /// Creates the sums of a whole part; without arguments, those of no events.
        init(first: Int64? = nil, last: Int64? = nil, events: Int64 = 0, sessions: Int64 = 0) {
            self.first = first
            self.last = last
            self.events = events
            wholeSessions = sessions
        }

        /// The number of sessions in which the user has no other events.
        var sessions: Int64 { wholeSessions + Int64(sessionsInRanges.count) }

        /// Adds the sums of another part.
        mutating func add(_ other: Sums) {
            add(first: other.first, last: other.last, events: other.events)
            wholeSessions += other.wholeSessions
            sessionsInRanges.formUnion(other.sessionsInRanges)
        }

        /// Adds a session's events in a time range.
        ///
        /// - Parameter session: The session; nil for events outside sessions, and for a session that is already counted.
        fileprivate mutating func add(_ session: Int64?, first: Int64?, last: Int64?, events: Int64) {
            add(first: first, last: last, events: events)
            if let session { sessionsInRanges.insert(session) }
        }

        private mutating func add(first: Int64?, last: Int64?, events: Int64) {
            self.first = [self.first, first].compactMap(\.self).min()
            self.last = [self.last, last].compactMap(\.self).max()
            self.events += events
        }
    }

    /// Returns the sums of the part.
    ///
    /// - Parameter users: The users whose sessions are not counted again; empty if every session counts.
    /// - Complexity: O(sessions × users) if ``isWhole``, otherwise O(events in the time range).
    func sums(excluding users: [Int64], _ db: Database) throws -> Sums {
        let numbers = users.map(String.init).joined(separator: ", ")
        let isNew =
            "session > 0 AND NOT EXISTS (SELECT 1 FROM visits o WHERE o.user IN (\(numbers)) AND o.installation = p.installation AND o.session = p.session)"
        guard isWhole else { return try sumsInRange(isNew: isNew, db) }
        let statement = try RawStatement(
            db,
            "SELECT min(p.first), max(p.last), coalesce(sum(p.events), 0), coalesce(sum(\(isNew)), 0) FROM visits p WHERE p.user = ?1"
        )
        statement.bind(1, number)
        defer { statement.reset() }
        guard try statement.step() else { return Sums() }
        return Sums(
            first: statement.optionalInteger(0),
            last: statement.optionalInteger(1),
            events: statement.integer(2),
            sessions: statement.integer(3)
        )
    }

    /// Returns the sums of the events in ``times``.
    ///
    /// - Parameter isNew: The condition on `runs` (as `p`) for sessions in which the user has no other events.
    private func sumsInRange(isNew: String, _ db: Database) throws -> Sums {
        let statement = try RawStatement(
            db,
            """
            SELECT CASE WHEN p.\(isNew) THEN p.session END, min(time), max(time), count(*)
            FROM runs p INDEXED BY runs_by_person_time CROSS JOIN events ON position BETWEEN p.first AND p.last
            WHERE p.person = ?1 AND p.latest >= ?2 AND p.earliest <= ?3 AND time >= ?2 AND time <= ?3 GROUP BY p.session
            """
        )
        statement.bind(1, number)
        statement.bind(2, times.lowerBound)
        statement.bind(3, times.upperBound)
        defer { statement.reset() }
        var sums = Sums()
        while try statement.step() {
            sums.add(
                statement.optionalInteger(0),
                first: statement.optionalInteger(1),
                last: statement.optionalInteger(2),
                events: statement.integer(3)
            )
        }
        return sums
    }
}
