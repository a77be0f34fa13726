// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Where in the log the events that a filter means may lie: ranges of places, one after another.
///
/// Every event of the filter lies in one of them, and between two of them lies none; what else lies in them is for whoever reads
/// them to leave out. They do not overlap, and come in the order of the log, backwards or forwards.
struct EventRanges {
    /// Which events are meant, as far as it says where they lie. Numbers are those of the index.
    struct Filter {
        var installation: Int64?
        var person: Int64?
        var sessions: [Int64]?
        var name: String?
        /// Times, the first inclusive and the last exclusive.
        var from: Int64?
        var to: Int64?
        /// The place beyond which the ranges begin.
        var after: Int64?
        var isBackwards = true
        /// A name with so many events or fewer has its places looked up; of others the stretches are walked in which they occur.
        var fewEvents: Int64 = 20_000
    }

    private enum Source {
        /// First and last place of each range, out of the index, in the order that is wanted.
        case rows(RawStatement)
        /// Ranges that had to be put in order first.
        case list(IndexingIterator<[ClosedRange<Int64>]>)
        case everything
        case ended
    }

    private var source: Source
    private let after: Int64?
    private let isBackwards: Bool

    /// The ranges of a filter.
    ///
    /// - Complexity: O(1) for an installation, a person or a name with many events; O(runs, or events, × log) of a session, a name with few
    ///   events, or a time.
    init(_ filter: Filter, _ db: Database) throws {
        after = filter.after
        isBackwards = filter.isBackwards
        if let sessions = filter.sessions {
            source = try .list(Self.sorted(Self.runs(of: sessions, db), filter))
        } else if let person = filter.person {
            source = try .rows(Self.statement("runs INDEXED BY runs_by_person WHERE person = ?3", filter, db, person))
        } else if let installation = filter.installation {
            let table = "runs INDEXED BY runs_by_installation WHERE installation = ?3"
            source = try .rows(Self.statement(table, filter, db, installation))
        } else if let name = filter.name {
            if let places = try Self.places(of: name, filter, db) {
                source = .list(Self.sorted(places.map { $0...$0 }, filter))
            } else {
                source = try .rows(Self.statement(of: name, filter, db))
            }
        } else if filter.from != nil || filter.to != nil {
            source = try .list(Self.sorted(Self.runs(from: filter.from ?? .min, to: filter.to ?? .max, db), filter))
        } else {
            source = .everything
        }
    }

    /// The next range; nil at the end.
    mutating func next() throws -> ClosedRange<Int64>? {
        switch source {
        case .ended:
            return nil
        case .everything:
            source = .ended
            return clipped(.min ... .max)
        case .rows(let statement):
            while try statement.step() {
                if let range = clipped(statement.integer(0)...statement.integer(1)) { return range }
            }
            source = .ended
            return nil
        case .list(var ranges):
            defer { if case .list = source { source = .list(ranges) } }
            while let range = ranges.next() {
                if let range = clipped(range) { return range }
            }
            return nil
        }
    }

    /// Ends reading before the last range.
    func end() {
        if case .rows(let statement) = source { statement.reset() }
    }

    /// Without what lies before ``Filter/after``.
    private func clipped(_ range: ClosedRange<Int64>) -> ClosedRange<Int64>? {
        guard let after else { return range }
        if isBackwards {
            return range.lowerBound < after ? range.lowerBound...min(range.upperBound, after - 1) : nil
        }
        return range.upperBound > after ? max(range.lowerBound, after + 1)...range.upperBound : nil
    }

    private static func sorted(
        _ ranges: [ClosedRange<Int64>],
        _ filter: Filter
    ) -> IndexingIterator<[ClosedRange<Int64>]> {
        let ranges = ranges.sorted { $0.lowerBound < $1.lowerBound }
        return (filter.isBackwards ? ranges.reversed() : ranges).makeIterator()
    }

    // MARK: Out of the index

    private static func statement(of name: String, _ filter: Filter, _ db: Database) throws -> RawStatement {
        let statement = try RawStatement(
            db,
            """
            SELECT first, last FROM name_runs WHERE name = ?1 AND chunk >= ?2 AND chunk <= ?3
            ORDER BY chunk \(filter.isBackwards ? "DESC" : "ASC")
            """
        )
        let chunk = filter.after.map { $0 >> NameRuns.chunkBits }
        statement.bind(1, name)
        statement.bind(2, filter.isBackwards ? .min : chunk ?? .min)
        statement.bind(3, filter.isBackwards ? chunk ?? .max : .max)
        return statement
    }

    /// The runs of somebody in the order of the log, beyond the place where the filter begins. Whose they are is the third
    /// parameter of the condition.
    private static func statement(
        _ condition: String,
        _ filter: Filter,
        _ db: Database,
        _ number: Int64
    ) throws -> RawStatement {
        let statement = try RawStatement(
            db,
            """
            SELECT first, last FROM \(condition) AND first <= ?1 AND first >= ?2 AND latest >= ?4 AND earliest <= ?5
            ORDER BY first \(filter.isBackwards ? "DESC" : "ASC")
            """
        )
        statement.bind(1, filter.isBackwards ? filter.after ?? .max : .max)
        statement.bind(
            2,
            filter.isBackwards ? .min : try filter.after.map { try start($0, condition, number, db) } ?? .min
        )
        statement.bind(3, number)
        statement.bind(4, filter.from ?? .min)
        statement.bind(5, filter.to ?? .max)
        return statement
    }

    /// Where the run begins that a place lies in, or the one before it: forwards those before it are passed over.
    private static func start(_ place: Int64, _ condition: String, _ number: Int64, _ db: Database) throws -> Int64 {
        let statement = try RawStatement(
            db,
            "SELECT first FROM \(condition) AND first <= ?1 ORDER BY first DESC LIMIT 1"
        )
        statement.bind(1, place)
        statement.bind(3, number)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : .min
    }

    private static func runs(of sessions: [Int64], _ db: Database) throws -> [ClosedRange<Int64>] {
        let statement = try RawStatement(
            db,
            "SELECT first, last FROM runs INDEXED BY runs_by_session WHERE session = ?"
        )
        var ranges: [ClosedRange<Int64>] = []
        for session in sessions {
            statement.bind(1, session)
            while try statement.step() { ranges.append(statement.integer(0)...statement.integer(1)) }
        }
        return ranges
    }

    /// The runs that may have events of a time.
    ///
    /// - Complexity: O(runs of the time and the day behind it).
    private static func runs(from: Int64, to: Int64, _ db: Database) throws -> [ClosedRange<Int64>] {
        let statement = try RawStatement(
            db,
            """
            SELECT first, last FROM runs INDEXED BY runs_by_time WHERE latest >= ?1 AND latest <= ?2 AND earliest <= ?3
            """
        )
        let (end, isOver) = to.addingReportingOverflow(RunTable.span)
        statement.bind(1, from)
        statement.bind(2, isOver ? .max : end)
        statement.bind(3, to)
        var ranges: [ClosedRange<Int64>] = []
        while try statement.step() { ranges.append(statement.integer(0)...statement.integer(1)) }
        return ranges
    }

    /// The places of a name's events; nil when there are many. With a time on both sides only those in it are looked at.
    private static func places(of name: String, _ filter: Filter, _ db: Database) throws -> [Int64]? {
        let statement = try RawStatement(
            db,
            """
            SELECT position FROM events INDEXED BY events_by_question WHERE name = ?1 AND time >= ?2 AND time <= ?3 LIMIT ?4
            """
        )
        statement.bind(1, name)
        statement.bind(2, filter.from ?? .min)
        statement.bind(3, filter.to ?? .max)
        statement.bind(4, filter.fewEvents + 1)
        defer { statement.reset() }
        var places: [Int64] = []
        while try statement.step() {
            guard places.count < filter.fewEvents else { return nil }
            places.append(statement.integer(0))
        }
        return places
    }
}

extension EventRanges.Filter {
    /// What a query says about where its events lie; nil when there cannot be any, because nobody has the id that it names.
    init?(_ query: EventQuery, _ db: Database) throws {
        if let id = query.installation {
            let number = try Self.number("SELECT number FROM installations WHERE id = ?", db) { $0.bind(1, id) }
            guard let number else { return nil }
            installation = number
        }
        if let id = query.user {
            let number = try Self.number("SELECT number FROM users WHERE id = ?", db) { $0.bind(1, id) }
            guard let number else { return nil }
            person = number
        }
        if let id = query.session {
            let statement = try RawStatement(db, "SELECT number FROM sessions WHERE id = ?")
            statement.bind(1, id)
            var numbers: [Int64] = []
            while try statement.step() { numbers.append(statement.integer(0)) }
            guard !numbers.isEmpty else { return nil }
            sessions = numbers
        }
        name = query.name
        from = query.from?.milliseconds
        to = query.to?.milliseconds
        after = query.after?.rawValue
        isBackwards = query.order == .newestFirst
        if name != nil { fewEvents = Self.fewEvents(for: query.limit, of: try IndexProgress(db).events) }
    }

    /// Up to how many events of a name it is quicker to look up all their places than to walk over what lies between those that are
    /// wanted: a place costs a fifth of a row that is walked over, and of `total` rows so many have to be walked for each.
    static func fewEvents(for limit: Int, of total: Int64) -> Int64 {
        let even = (5 * Double(max(1, limit)) * Double(max(1, total))).squareRoot()
        return Int64(min(max(even, 20_000), 1_000_000))
    }

    private static func number(_ sql: String, _ db: Database, _ bind: (RawStatement) -> Void) throws -> Int64? {
        let statement = try RawStatement(db, sql)
        bind(statement)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : nil
    }
}
