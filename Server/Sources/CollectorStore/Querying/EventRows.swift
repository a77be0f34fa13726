// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Reading stored events.
enum EventRows {
    private static let columns = """
        SELECT e.position, e.id, e.name, e.time, e.received, i.id, w.id, e.sequence, e.user, e.session, e.body, c.content,
        r.origin, r.time, r.key
        FROM events e
        LEFT JOIN installations i ON i.number = e.installation
        LEFT JOIN writers w ON w.number = e.writer
        LEFT JOIN contexts c ON c.number = e.context
        LEFT JOIN replays r ON r.position = e.position
        """

    static func matching(_ query: EventQuery, _ db: Database) throws -> [StoredEvent] {
        let filter = EventFilter(query, paging: true)
        let direction = query.order == .oldestFirst ? "ASC" : "DESC"
        // Positions first, which indexes have, then the rows: events that are not in the answer are not read.
        let statement = try RawStatement(
            db,
            """
            \(columns) WHERE e.position IN (SELECT e.position FROM events e\(filter.sql)
            ORDER BY e.position \(direction) LIMIT ?) ORDER BY e.position \(direction)
            """
        )
        let next = filter.bind(to: statement)
        statement.bind(next, Int64(max(0, query.limit)))
        return try statement.withinBudget { event($0) }
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

    static func count(_ query: EventQuery, _ db: Database) throws -> Int {
        let filter = EventFilter(query, paging: false)
        let statement = try RawStatement(db, "SELECT count(*) FROM events e" + filter.sql)
        _ = filter.bind(to: statement)
        defer { statement.reset() }
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    private static func event(_ row: RawStatement) -> StoredEvent? {
        guard let id = row.id(1, as: EventID.self) else { return nil }  // Written by hand: not one of ours.
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

/// A query's conditions as SQL with bound values. No text of a query ever becomes part of the SQL.
struct EventFilter {
    private(set) var sql: String
    private var bindings: [(RawStatement, Int32) -> Void] = []

    /// The conditions of `query` on the `events` table (as `e`).
    ///
    /// - Parameter paging: whether `after` and `order` count too.
    init(_ query: EventQuery, paging: Bool) {
        var conditions: [String] = []
        var bindings: [(RawStatement, Int32) -> Void] = []
        func add(_ condition: String, _ binding: @escaping (RawStatement, Int32) -> Void) {
            conditions.append(condition)
            bindings.append(binding)
        }
        if let name = query.name { add("e.name = ?") { $0.bind($1, name) } }
        if let id = query.installation {
            add("e.installation = (SELECT number FROM installations WHERE id = ?)") { $0.bind($1, id) }
        }
        if let user = query.user { add("e.person = (SELECT number FROM users WHERE id = ?)") { $0.bind($1, user) } }
        if let session = query.session { add("e.session = ?") { $0.bind($1, session) } }
        if let project = query.project {
            add("e.context IN (SELECT number FROM contexts WHERE project = ?)") { $0.bind($1, project) }
        }
        if let run = query.run {
            // Twice in the condition, so it goes by its number; those behind it count on from there.
            add(Self.isOfRun("?\(bindings.count + 1)")) { $0.bind($1, run) }
        }
        if let from = query.from { add("e.time >= ?") { $0.bind($1, from.milliseconds) } }
        if let to = query.to { add("e.time < ?") { $0.bind($1, to.milliseconds) } }
        if paging, let after = query.after {
            switch query.order {
            case .oldestFirst: add("e.position > ?") { $0.bind($1, after.rawValue) }
            case .newestFirst: add("e.position < ?") { $0.bind($1, after.rawValue) }
            }
        }
        sql = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        self.bindings = bindings
    }

    /// The tag of an event, else that of all events in its context. Texts are searched before they are taken apart: few have one.
    private static func isOfRun(_ parameter: String) -> String {
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

    /// Binds the values from the first parameter on; returns the number of the next one.
    func bind(to statement: RawStatement) -> Int32 {
        for (index, binding) in bindings.enumerated() { binding(statement, Int32(index + 1)) }
        return Int32(bindings.count + 1)
    }
}
