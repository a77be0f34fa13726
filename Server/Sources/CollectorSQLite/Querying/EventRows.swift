// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Reads stored events.
enum EventRows {
    private static let columns = """
        SELECT e.position, e.id, e.name, e.time, e.received, i.id, w.id, e.sequence, u.id, s.id, e.body, c.content,
        r.origin, r.time, r.key
        FROM events e
        LEFT JOIN installations i ON i.number = e.installation
        LEFT JOIN writers w ON w.number = e.writer
        LEFT JOIN users u ON u.number = e.person
        LEFT JOIN sessions s ON s.number = e.session
        LEFT JOIN contexts c ON c.number = e.context
        LEFT JOIN replays r ON r.position = e.position
        """

    static func matching(_ query: EventQuery, _ db: Database) throws -> [StoredEvent] {
        guard query.limit > 0, var walk = try EventIterator(query, columns, db) else { return [] }
        defer { walk.end() }
        var events: [StoredEvent] = []
        var bytes = 0
        while events.count < query.limit, bytes < ResponseBudget.bytes, let row = try walk.next() {
            guard let event = event(row) else { continue }
            bytes += event.responseBytes
            events.append(event)
        }
        return events
    }

    static func at(_ position: EventPosition, _ db: Database) throws -> StoredEvent? {
        let statement = try RawStatement(db, columns + " WHERE e.position = ?")
        statement.bind(1, position.rawValue)
        defer { statement.reset() }
        return try statement.step() ? event(statement) : nil
    }

    static func withID(_ id: EventID, _ db: Database) throws -> StoredEvent? {
        let statement = try RawStatement(db, columns + " WHERE e.id = ?")
        statement.bind(1, id)
        defer { statement.reset() }
        return try statement.step() ? event(statement) : nil
    }

    /// Counts all events of a query, not only those on the requested page.
    ///
    /// - Complexity: O(events of the name, the installation, the person, the session or the time range).
    static func count(_ query: EventQuery, _ db: Database) throws -> Int {
        var query = query
        query.after = nil
        var named = EventQuery(order: query.order, limit: query.limit)
        (named.names, named.from, named.to) = (query.names, query.from, query.to)
        if !query.names.isEmpty, query == named {
            return try query.names.reduce(0) { try $0 + Self.count(of: $1, query, db) }
        }
        guard var walk = try EventIterator(query, "SELECT 1 FROM events e", db) else { return 0 }
        defer { walk.end() }
        var count = 0
        while try walk.next() != nil { count += 1 }
        return count
    }

    /// Counts the events of a name in a query's time range, reading only the index.
    private static func count(of name: String, _ query: EventQuery, _ db: Database) throws -> Int {
        let statement = try RawStatement(
            db,
            """
            SELECT count(*) FROM events INDEXED BY events_by_question
            WHERE name = ? AND time >= ?\(query.to == nil ? "" : " AND time < ?")
            """
        )
        statement.bind(1, name)
        statement.bind(2, query.from?.milliseconds ?? .min)
        if let to = query.to { statement.bind(3, to.milliseconds) }
        defer { statement.reset() }
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    private static func event(_ row: RawStatement) -> StoredEvent? {
        guard let id = row.id(1, as: EventID.self) else { return nil }  // This index did not write the row.
        return StoredEvent(
            position: EventPosition(rawValue: row.integer(0)),
            id: id,
            name: row.text(2),
            time: Timestamp(milliseconds: row.integer(3)),
            received: Timestamp(milliseconds: row.integer(4)),
            installation: row.id(5),
            writer: row.id(6),
            sequence: row.optionalInteger(7).map { UInt64(clamping: $0) },
            user: row.optionalText(8),
            session: row.optionalText(9),
            json: row.bytes(10),
            context: row.bytes(11),
            replayed: row.optionalInteger(12).map { origin in
                StoredEvent.Replayed(
                    from: EventPosition(rawValue: origin),
                    at: Timestamp(milliseconds: row.integer(13)),
                    key: row.text(14)
                )
            }
        )
    }
}

/// Iterates over the events of a query in the query's order, range by range.
struct EventIterator {
    private var ranges: EventRanges
    private let rows: RawStatement
    private var isInRange = false

    /// Creates an iterator, or returns nil if no event can match.
    ///
    /// - Parameter columns: The columns to read for each event, as `SELECT … FROM events e …`.
    init?(_ query: EventQuery, _ columns: String, _ db: Database) throws {
        guard let place = try EventRanges.Filter(query, db) else { return nil }
        let filter = EventFilter(query, place)
        rows = try RawStatement(db, Self.sql(columns, filter, place))
        filter.bind(to: rows)
        ranges = try EventRanges(place, db)
    }

    /// Returns the statement that reads a range, or nil if no event can match.
    static func statement(for query: EventQuery, _ columns: String, _ db: Database) throws -> String? {
        guard let place = try EventRanges.Filter(query, db) else { return nil }
        return sql(columns, EventFilter(query, place), place)
    }

    private static func sql(_ columns: String, _ filter: EventFilter, _ place: EventRanges.Filter) -> String {
        let direction = place.isBackwards ? "DESC" : "ASC"
        return "\(columns) WHERE e.position >= ?1 AND e.position <= ?2\(filter.sql) ORDER BY e.position \(direction)"
    }

    /// Returns the next event's row, or nil at the end.
    mutating func next() throws -> RawStatement? {
        while true {
            if isInRange {
                if try rows.step() { return rows }
                isInRange = false
            }
            guard let range = try ranges.next() else { return nil }
            rows.bind(1, range.lowerBound)
            rows.bind(2, range.upperBound)
            isInRange = true
        }
    }

    /// Ends the iteration before the last event.
    func end() {
        rows.reset()
        ranges.end()
    }
}

/// A query's conditions on the `events` table (as `e`), as SQL.
///
/// Values are bound starting at the third parameter.
///
/// Query text never becomes part of the SQL.
private struct EventFilter {
    private(set) var sql = ""
    private var bindings: [(RawStatement, Int32) -> Void] = []

    /// Creates the conditions of a query.
    ///
    /// - Parameter place: The numbers of the query's ids.
    init(_ query: EventQuery, _ place: EventRanges.Filter) {
        // `+` prevents SQLite from using the index by name. For every range, it would scan that index from the name's
        // first event.
        if !query.names.isEmpty {
            let parameters = query.names.indices.map { "?\($0 + Self.first)" }
            sql += " AND +e.name IN (\(parameters.joined(separator: ", ")))"
            for name in query.names { bindings.append { $0.bind($1, name) } }
        }
        if let number = place.installation { add("e.installation = ") { $0.bind($1, number) } }
        if let number = place.person { add("e.person = ") { $0.bind($1, number) } }
        if let id = query.session {
            add("e.session IN (SELECT number FROM sessions WHERE id = ", ")") { $0.bind($1, id) }
        }
        if let project = query.project {
            add("e.context IN (SELECT number FROM contexts WHERE project = ", ")") { $0.bind($1, project) }
        }
        if let from = query.from { add("e.time >= ") { $0.bind($1, from.milliseconds) } }
        if let to = query.to { add("e.time < ") { $0.bind($1, to.milliseconds) } }
        if let run = query.run {
            // The condition uses the parameter twice, so it is numbered.
            let parameter = "?\(bindings.count + Self.first)"
            sql += " AND " + Self.runCondition(parameter)
            bindings.append { $0.bind($1, run) }
        }
    }

    /// The first parameter of these conditions; the parameters before it are the bounds of the range.
    private static let first = 3

    private mutating func add(
        _ condition: String,
        _ end: String = "",
        _ binding: @escaping (RawStatement, Int32) -> Void
    ) {
        sql += " AND \(condition)?\(bindings.count + Self.first)\(end)"
        bindings.append(binding)
    }

    /// Returns an SQL condition on the run tag of an event or its context.
    ///
    /// The context's tag is used only if the event itself has none. JSON is searched as text before it is parsed,
    /// because few events contain a tag.
    private static func runCondition(_ parameter: String) -> String {
        """
        CASE WHEN \(names("e.body")) AND \(tag(of: "e.body", "attributes")) IS NOT NULL
        THEN \(tag(of: "e.body", "attributes")) = \(parameter)
        ELSE e.context IN (
            SELECT number FROM contexts WHERE \(names("content")) AND \(tag(of: "content", "global")) = \(parameter)
        ) END
        """
    }

    private static func names(_ column: String) -> String {
        "instr(\(column), CAST('\"\(RunTag.attribute)\"' AS BLOB)) > 0"
    }

    private static func tag(of column: String, _ member: String) -> String {
        "CAST(json_extract(CAST(\(column) AS TEXT), '$.\(member).\(RunTag.attribute)') AS TEXT)"
    }

    /// Binds the values of the conditions.
    func bind(to statement: RawStatement) {
        for (index, binding) in bindings.enumerated() { binding(statement, Int32(index + Self.first)) }
    }
}
