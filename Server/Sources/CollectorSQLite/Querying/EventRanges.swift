// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// The ranges of log positions that may contain a filter's events, one after another.
///
/// Every event of the filter is in one of the ranges. A range may also contain other events, which the reader must
/// skip. Ranges do not overlap, and are in log order, either forward or backward.
struct EventRanges {
    /// The parts of a query that narrow the positions of its events.
    ///
    /// Ids are represented by their numbers in the index.
    struct Filter {
        var installation: Int64?
        var person: Int64?
        var sessions: [Int64]?
        var names: [String] = []
        /// The time range; the start is inclusive, the end exclusive.
        var from: Int64?
        var to: Int64?
        /// The position after which the ranges begin.
        var after: Int64?
        var isBackwards = true
        /// The maximum number of the names' events whose positions are looked up.
        ///
        /// For names with more events, the ranges in which a name occurs are scanned.
        var fewEvents: Int64 = 20_000
    }

    private enum Source {
        /// The first and last position of each range, from the index, in the requested order.
        case rows(RawStatement)
        /// Ranges that had to be sorted first.
        case list(IndexingIterator<[ClosedRange<Int64>]>)
        case everything
        case ended
    }

    private var source: Source
    private let after: Int64?
    private let isBackwards: Bool

    /// Finds the ranges of a filter.
    ///
    /// - Complexity: O(1) for an installation, a person or a name with many events; O(runs, or events, × log) for a
    ///   session, a name with few events, or a time range.
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
        } else if !filter.names.isEmpty {
            if let places = try Self.places(of: filter.names, filter, db) {
                source = .list(Self.sorted(places.map { $0...$0 }, filter))
            } else if filter.names.count == 1 {
                source = try .rows(Self.statement(of: filter.names[0], filter, db))
            } else {
                source = try .list(Self.sorted(Self.runs(of: filter.names, filter, db), filter))
            }
        } else if filter.from != nil || filter.to != nil {
            source = try .list(Self.sorted(Self.runs(from: filter.from ?? .min, to: filter.to ?? .max, db), filter))
        } else {
            source = .everything
        }
    }

    /// Returns the next range, or nil at the end.
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

    /// Removes the part of a range up to ``Filter/after`` in reading order.
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

    // MARK: From the index

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

    /// Returns the ranges in which any of several names occurs, joined where they overlap, in log order.
    ///
    /// - Complexity: O(names × chunks of the log).
    private static func runs(of names: [String], _ filter: Filter, _ db: Database) throws -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for name in names {
            let statement = try statement(of: name, filter, db)
            while try statement.step() { ranges.append(statement.integer(0)...statement.integer(1)) }
        }
        ranges.sort { $0.lowerBound < $1.lowerBound }
        return ranges.reduce(into: []) { joined, range in
            if let last = joined.last, last.overlaps(range) {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
    }

    /// Returns a statement for an owner's runs in log order.
    ///
    /// The runs come after the position where the filter begins.
    ///
    /// The condition's third parameter is the owner's number.
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

    /// Returns the start of the run that contains a position, or of the run before it.
    ///
    /// Forward reading skips all earlier runs.
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

    /// Returns the runs that may contain events of a time range.
    ///
    /// - Complexity: O(runs of the time range and the day after it).
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

    /// Returns the positions of the events of several names, or nil if there are too many.
    private static func places(of names: [String], _ filter: Filter, _ db: Database) throws -> [Int64]? {
        var places: [Int64] = []
        for name in names {
            guard let found = try self.places(of: name, filter, db), places.count + found.count <= filter.fewEvents
            else { return nil }
            places += found
        }
        return places
    }

    /// Returns the positions of a name's events, or nil if there are too many.
    ///
    /// With a time range, only events in that range are read.
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
    /// Resolves a query's ids to numbers.
    ///
    /// Returns nil if an id is unknown, because then no event can match.
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
        names = query.names
        from = query.from?.milliseconds
        to = query.to?.milliseconds
        after = query.after?.rawValue
        isBackwards = query.order == .newestFirst
        if !names.isEmpty { fewEvents = Self.fewEvents(for: query.limit, of: try IndexProgress(db).events) }
    }

    /// Returns the maximum number of events for which lookups are faster than scanning.
    ///
    /// Above that number, scanning is faster than looking up the positions of all of a name's events. A lookup costs a
    /// fifth as much as scanning a row, and the number of rows scanned per match depends on `total`.
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
