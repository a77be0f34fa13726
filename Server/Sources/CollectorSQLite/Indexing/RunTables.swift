// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB

/// The `runs` table: ranges of the log with one owner.
///
/// The stored events of a run arrived in one batch and have the same installation, person and session.
///
/// Lookups by installation, person, session and time use this table.
enum RunTable {
    /// The maximum time span of one run's events, exclusive: a day, in milliseconds.
    ///
    /// A lookup by time therefore reads only runs whose latest event is within a day of that time.
    static let span: Int64 = 86_400_000

    /// An SQL table expression for an installation's stored events.
    ///
    /// The installation's number is the statement's only argument.
    static let eventsOfInstallation = """
        (SELECT events.* FROM runs CROSS JOIN events ON events.position BETWEEN runs.first AND runs.last
        WHERE runs.installation = ?) AS events
        """

    /// Returns an SQL query for the positions of an installation's rows.
    ///
    /// The row numbers of `table` must be positions.
    ///
    /// The only argument of the query is the installation's number.
    static func positions(in table: String) -> String {
        """
        SELECT \(table).position FROM runs CROSS JOIN \(table) ON \(table).position BETWEEN runs.first AND runs.last
        WHERE runs.installation = ?
        """
    }
}

/// Writes runs while events are indexed in the order of the log.
final class RunWriter: IndexTable {
    private struct Run {
        let first: Int64
        var last: Int64
        let installation: Int64?
        let person: Int64?
        let session: Int64?
        var earliest: Int64
        var latest: Int64
    }

    private let insert: GroupedInsert
    private var run: Run?
    /// Runs that have ended but have not been written yet.
    private var runs: [Run] = []

    /// Creates a writer without a run.
    init(_ db: Database) throws {
        // A batch that is indexed again, after its rows were deleted, has the same positions.
        insert = try GroupedInsert(
            db,
            "INSERT OR REPLACE INTO runs (first, last, installation, person, session, earliest, latest)",
            columns: 7
        )
    }

    /// Adds a stored event.
    func add(_ position: EventPosition, at time: Int64, installation: Int64?, person: Int64?, session: Int64?) {
        let place = position.rawValue
        if var known = run, known.installation == installation, known.person == person, known.session == session {
            let (earliest, latest) = (min(known.earliest, time), max(known.latest, time))
            // A time may be any number, so the difference may overflow.
            let (length, isOver) = latest.subtractingReportingOverflow(earliest)
            if !isOver, length < RunTable.span {
                (known.last, known.earliest, known.latest) = (place, earliest, latest)
                run = known
                return
            }
        }
        end()
        run = Run(
            first: place,
            last: place,
            installation: installation,
            person: person,
            session: session,
            earliest: time,
            latest: time
        )
    }

    /// Ends the batch's last run.
    func end() {
        if let run { runs.append(run) }
        run = nil
    }

    /// Writes the runs that have ended.
    func flush() throws {
        try insert.write(runs) { run, insert, place in
            insert.bind(place + 1, run.first)
            insert.bind(place + 2, run.last)
            insert.bind(place + 3, run.installation)
            insert.bind(place + 4, run.person)
            insert.bind(place + 5, run.session)
            insert.bind(place + 6, run.earliest)
            insert.bind(place + 7, run.latest)
        }
        runs.removeAll(keepingCapacity: true)
    }

    var tableNames: [String] { ["runs"] }

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {
        try db.execute(sql: "DELETE FROM runs WHERE installation = ?", arguments: [installation])
    }
}

/// Collects the position ranges of one transaction's names, for the `name_runs` table.
final class NameRuns: IndexTable {
    /// The number of low bits of a position that contain the offset within a chunk.
    ///
    /// A chunk is a mebibyte of the log, which holds thousands of events.
    static let chunkBits: Int64 = 30

    private struct Span {
        let name: String
        let chunk: Int64
        let first: Int64
        var last: Int64
    }

    private let insert: RawStatement
    private var spans: [Span] = []
    /// The index of each name's latest span in `spans`, by the name's number in the transaction.
    ///
    /// -1 if the name has no span.
    private var latest: [Int] = []

    /// Creates an empty collection.
    init(_ db: Database) throws {
        insert = try RawStatement(
            db,
            """
            INSERT INTO name_runs (name, chunk, first, last) VALUES (?, ?, ?, ?)
            ON CONFLICT (name, chunk) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)
            """
        )
    }

    /// Adds a stored event of the given name.
    ///
    /// Events must be added in log order.
    func add(_ name: EventName, at position: EventPosition) {
        let place = position.rawValue
        let chunk = place >> Self.chunkBits
        while latest.count <= name.number { latest.append(-1) }
        let known = latest[name.number]
        if known >= 0, spans[known].chunk == chunk {
            spans[known].last = place
            return
        }
        latest[name.number] = spans.count
        spans.append(Span(name: name.text, chunk: chunk, first: place, last: place))
    }

    /// Writes the collected ranges.
    func flush() throws {
        for span in spans {
            insert.bind(1, span.name)
            insert.bind(2, span.chunk)
            insert.bind(3, span.first)
            insert.bind(4, span.last)
            try insert.run()
        }
        spans.removeAll(keepingCapacity: true)
        latest.removeAll(keepingCapacity: true)
    }

    var tableNames: [String] { ["name_runs"] }

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {
        try Self.meet(installation: [installation], db)
    }

    func finishErasures(in db: Database) throws {
        try Self.narrow(db)
    }

    /// Collects the names and chunks of an installation's events.
    ///
    /// Call this before the events are deleted.
    private static func meet(installation: StatementArguments, _ db: Database) throws {
        try db.execute(
            sql: "CREATE TEMP TABLE IF NOT EXISTS met_names (chunk INTEGER, name TEXT, PRIMARY KEY (chunk, name))"
        )
        try db.execute(
            sql:
                "INSERT OR IGNORE INTO met_names SELECT position >> \(chunkBits), name FROM \(RunTable.eventsOfInstallation)",
            arguments: installation
        )
    }

    /// Recomputes the ranges of the collected names in their latest chunks.
    ///
    /// In other chunks, a range may remain for a name that no longer occurs in the chunk. Names that no longer occur
    /// anywhere are removed.
    ///
    /// - Complexity: O(names × log + events of ``maxNarrowed`` chunks): a chunk holds events of many installations.
    private static func narrow(_ db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM name_runs WHERE name IN (
                    SELECT name FROM (SELECT DISTINCT name FROM met_names) AS met
                    WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.name = met.name)
                )
                """
        )
        try db.execute(
            sql: """
                DELETE FROM met_names WHERE chunk NOT IN
                (SELECT DISTINCT chunk FROM met_names ORDER BY chunk DESC LIMIT \(maxNarrowed))
                """
        )
        try db.execute(sql: "DELETE FROM name_runs WHERE (name, chunk) IN (SELECT name, chunk FROM met_names)")
        try db.execute(
            sql: """
                INSERT INTO name_runs (name, chunk, first, last)
                SELECT name, met.chunk, min(position), max(position)
                FROM (SELECT DISTINCT chunk FROM met_names) AS met CROSS JOIN events
                ON position BETWEEN met.chunk << \(chunkBits) AND ((met.chunk + 1) << \(chunkBits)) - 1
                WHERE EXISTS (SELECT 1 FROM met_names AS m WHERE m.chunk = met.chunk AND m.name = events.name)
                GROUP BY 1, 2
                """
        )
        try db.execute(sql: "DELETE FROM met_names")
    }

    /// The maximum number of chunks whose ranges are recomputed in one transaction.
    static let maxNarrowed = 16
}
