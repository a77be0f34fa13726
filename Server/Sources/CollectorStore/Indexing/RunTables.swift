// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB

/// The `runs` table: stretches of the log whose stored events arrived in one batch and have installation, person and session in
/// common. Everything of an installation, a person or a session is found through it, and what happened in a time.
enum RunTable {
    /// How far apart the events of one run may lie, exclusive: a day, in milliseconds. Whoever looks for a time looks at runs
    /// that end within a day of it, and at no others.
    static let span: Int64 = 86_400_000

    /// The stored events of an installation, whose number is the statement's only argument, as a table.
    static let eventsOfInstallation = """
        (SELECT events.* FROM runs CROSS JOIN events ON events.position BETWEEN runs.first AND runs.last
        WHERE runs.installation = ?) AS events
        """

    /// The places of an installation's rows in a table whose row number is a position; the same argument.
    static func positions(in table: String) -> String {
        """
        SELECT \(table).position FROM runs CROSS JOIN \(table) ON \(table).position BETWEEN runs.first AND runs.last
        WHERE runs.installation = ?
        """
    }
}

/// Writes runs while events go in, in the order of the log.
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
    /// Those that are over, and not written yet.
    private var runs: [Run] = []

    /// A writer with no run begun.
    init(_ db: Database) throws {
        // A batch that is indexed once more, after its rows were deleted, has the same places.
        insert = try GroupedInsert(
            db,
            "INSERT OR REPLACE INTO runs (first, last, installation, person, session, earliest, latest)",
            columns: 7
        )
    }

    /// An event was stored.
    func add(_ position: EventPosition, at time: Int64, installation: Int64?, person: Int64?, session: Int64?) {
        let place = position.rawValue
        if var known = run, known.installation == installation, known.person == person, known.session == session {
            let (earliest, latest) = (min(known.earliest, time), max(known.latest, time))
            // Any time may have been sent.
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

    /// The batch is over, and its last run with it.
    func end() {
        if let run { runs.append(run) }
        run = nil
    }

    /// Writes the runs that are over.
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

/// Gathers between which places the names of one transaction occur, for the `name_runs` table.
final class NameRuns: IndexTable {
    /// The bits of a place that tell places of one chunk apart: a mebibyte of the log, thousands of events.
    static let chunkBits: Int64 = 30

    private struct Span {
        let name: String
        let chunk: Int64
        let first: Int64
        var last: Int64
    }

    private let insert: RawStatement
    private var spans: [Span] = []
    /// The latest of the spans of each name, by the transaction's number of the name; -1 for none.
    private var latest: [Int] = []

    /// Nothing yet.
    init(_ db: Database) throws {
        insert = try RawStatement(
            db,
            """
            INSERT INTO name_runs (name, chunk, first, last) VALUES (?, ?, ?, ?)
            ON CONFLICT (name, chunk) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)
            """
        )
    }

    /// An event of this name was stored, behind those before it.
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

    /// Writes what was gathered.
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

    /// Remembers which names an installation's events, which are still there, have in which chunks.
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

    /// Says anew where the remembered names occur, in the latest of the chunks they were met in; in the others a name may seem to occur
    /// where it does no more, unless it occurs nowhere.
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

    /// Of so many chunks it is said anew, in one transaction, where names occur.
    static let maxNarrowed = 16
}
