// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A table that blocks are written to.
///
/// A block is written to the tables in the order of the cases: if the last table has the block, so do the others.
///
/// Each key ends with the position or the block of the row, so writing a block again replaces its rows automatically.
package enum ColumnTable: String, Sendable, Hashable, CaseIterable {
    /// The events.
    case events
    /// The event ids, used to detect duplicates.
    case ids
    /// Contexts that several events share: data about the app, device, and person.
    case contexts
    /// Sums, one row for each session and block.
    case sessions
    /// Sums, one row for each person, session, and block.
    case people
    /// The sums in ``people``, ordered by installation and session.
    case visits
    /// The positions of each person's events, in order of time.
    case timeline
    /// User traits, from contexts and from events that change attributes.
    case traits
    /// Signed-in events that determine the user of each installation's anonymous events.
    case signIns = "sign_ins"
    /// Statements about merged users.
    case merges
    /// Screens, clicks, and app starts and ends.
    case usage
    /// Writers' claims about themselves, one row for each writer and block.
    case writers
    /// States of writers' sequence numbers, one row for each range and block.
    case ranges
    /// Sums, one row for each device and block.
    case devices
    /// App and device facts, one row for each context and block.
    case descriptions
    /// Snapshots: what devices reported about themselves.
    case snapshots
    /// Event counts, one row for each name, quarter hour, and block.
    case names
    /// Rejections and later changes to them, one row for each step.
    case failures
    /// Events that were initially rejected, with the position of the rejection.
    case replays
    /// Arrival counts, one row for each installation and block.
    case counts
    /// Position ranges, one row for each owner and block.
    case places
    /// Erased installations.
    case erasures
    /// The blocks, with their row counts in the other tables.
    case blocks

    /// A column.
    package struct Column: Sendable, Hashable {
        /// The column's name.
        package var name: String
        /// The column's type.
        ///
        /// The type is spelled so that old and new versions of ClickHouse accept it.
        package var type: Kind
    }

    /// A column's type.
    package enum Kind: String, Sendable, Hashable {
        case int64 = "Int64"
        case uint64 = "UInt64"
        case uint32 = "UInt32"
        case uint8 = "UInt8"
        case id = "FixedString(16)"
        case text = "String"
        case texts = "Array(String)"
    }

    /// The version of all tables together.
    ///
    /// A program does not use tables with a newer version than its own.
    package static let version = 5

    /// The tables with rows that are removed when their installation is erased.
    package static let installationTables: [ColumnTable] = [
        .events, .contexts, .sessions, .people, .visits, .timeline, .traits, .signIns, .merges, .usage, .writers,
        .ranges, .failures, .replays, .places,
        .devices, .descriptions, .snapshots,
    ]

    /// The columns, in the order in which rows are written.
    package var columns: [Column] {
        switch self {
        case .events:
            [
                column("position", .int64), column("block", .int64), column("id", .id), column("name", .text),
                column("time", .int64), column("received", .int64), column("installation", .id),
                column("writer", .id), column("sequence", .uint64), column("user", .text), column("session", .text),
                column("context", .id), column("body", .text),
                column("names", .texts), column("values", .texts), column("screen", .text),
            ]
        case .ids:
            [column("id", .id), column("position", .int64), column("block", .int64)]
        case .contexts:
            [
                column("installation", .id), column("context", .id), column("block", .int64), column("body", .text),
                column("names", .texts), column("values", .texts), column("number", .uint32),
            ]
        case .sessions:
            [
                column("session", .text), column("installation", .id), column("block", .int64), column("user", .text),
                column("first", .int64), column("last", .int64), column("events", .uint64),
                column("start", .int64), column("ordinal", .int64), column("number", .int64),
            ]
        case .people:
            [
                column("user", .text), column("installation", .id), column("session", .text), column("block", .int64),
                column("first", .int64), column("last", .int64), column("events", .uint64), column("number", .int64),
            ]
        case .visits:
            [
                column("installation", .id), column("session", .text), column("user", .text), column("block", .int64),
                column("first", .int64), column("last", .int64), column("events", .uint64),
            ]
        case .timeline:
            [
                column("user", .text), column("visitor", .id), column("time", .int64), column("position", .int64),
                column("block", .int64), column("installation", .id),
            ]
        case .traits:
            [
                column("user", .text), column("installation", .id), column("place", .int64), column("part", .uint32),
                column("block", .int64), column("kind", .text), column("time", .int64), column("context", .id),
                column("content", .text),
            ]
        case .signIns:
            [
                column("installation", .id), column("time", .int64), column("mark", .int64), column("user", .text),
                column("block", .int64),
            ]
        case .merges:
            [
                column("position", .int64), column("block", .int64), column("time", .int64), column("user", .text),
                column("target", .text), column("undoes", .uint8), column("installation", .id), column("key", .text),
                column("received", .int64),
            ]
        case .usage:
            [
                column("installation", .id), column("session", .text), column("position", .int64),
                column("block", .int64), column("kind", .uint8), column("time", .int64), column("name", .text),
                column("detail", .text), column("more", .text), column("number", .int64), column("flags", .uint8),
            ]
        case .writers:
            [
                column("installation", .id), column("writer", .id), column("block", .int64),
                column("recorded", .uint64), column("repeats", .uint64), column("received", .int64),
                column("first", .int64),
            ]
        case .ranges:
            [
                column("installation", .id), column("writer", .id), column("kind", .uint8), column("reason", .text),
                column("first", .uint64), column("last", .uint64), column("block", .int64),
            ]
        case .devices:
            [
                column("installation", .id), column("block", .int64), column("first", .int64), column("last", .int64),
                column("user", .text), column("events", .uint64), column("states", .uint64),
            ]
        case .descriptions:
            [
                column("installation", .id), column("context", .id), column("block", .int64),
                column("number", .uint32), column("app", .text), column("version", .text), column("model", .text),
                column("system", .text), column("release", .text),
            ]
        case .snapshots:
            [
                column("installation", .id), column("kind", .uint8), column("time", .int64),
                column("position", .int64), column("block", .int64), column("screen", .text), column("body", .text),
            ]
        case .names:
            [
                column("name", .text), column("quarter", .int64), column("block", .int64), column("events", .uint64),
                column("first", .int64), column("last", .int64), column("place", .int64), column("version", .uint64),
            ]
        case .failures:
            [
                column("position", .int64), column("block", .int64), column("number", .int64), column("kind", .uint8),
                column("installation", .id), column("received", .int64), column("key", .text), column("code", .text),
                column("field", .text), column("message", .text), column("content", .text), column("total", .uint64),
                column("name", .text), column("version", .text),
            ]
        case .replays:
            [
                column("position", .int64), column("block", .int64), column("installation", .id),
                column("origin", .int64), column("time", .int64), column("key", .text),
            ]
        case .counts:
            [
                column("installation", .id), column("block", .int64), column("events", .uint64),
                column("repeats", .uint64), column("refused", .uint64), column("damaged", .uint64),
            ]
        case .places:
            [
                column("kind", .uint8), column("whose", .text), column("installation", .id), column("block", .int64),
                column("first", .int64), column("last", .int64), column("events", .uint64),
                column("earliest", .int64), column("latest", .int64), column("arrived", .int64),
            ]
        case .erasures:
            [
                column("installation", .id), column("block", .int64), column("time", .int64), column("key", .text),
                column("operator", .uint8),
            ]
        case .blocks:
            [column("block", .int64), column("first", .int64), column("last", .int64), column("version", .uint32)]
                + ["rows", "repeats"].map { column($0, .uint64) }
                + Self.counted.map { column($0.rawValue, .uint64) }
        }
    }

    /// The columns that identify a row.
    package var key: [String] {
        switch self {
        case .events: ["position"]
        case .ids: ["id", "position"]
        case .contexts: ["installation", "context", "block"]
        case .sessions: ["session", "installation", "block"]
        case .people: ["user", "installation", "session", "block"]
        case .visits: ["installation", "session", "user", "block"]
        case .timeline: ["user", "visitor", "time", "position"]
        case .traits: ["user", "installation", "place", "part"]
        case .signIns: ["installation", "time", "mark", "user", "block"]
        case .merges: ["position"]
        case .usage: ["installation", "session", "position"]
        case .writers: ["installation", "writer", "block"]
        case .ranges: ["installation", "writer", "kind", "reason", "first", "last", "block"]
        case .devices: ["installation", "block"]
        case .descriptions: ["installation", "context", "block"]
        case .snapshots: ["installation", "kind", "time", "position"]
        case .names: ["name", "quarter", "block"]
        case .failures: ["position", "number", "block"]
        case .replays: ["position"]
        case .counts: ["installation", "block"]
        case .places: ["kind", "whose", "installation", "block"]
        case .erasures: ["installation", "block"]
        case .blocks: ["block"]
        }
    }

    /// The tables whose rows ``blocks`` counts separately.
    ///
    /// The tables of events and ids are not listed: for each block, both have as many rows as the `rows` column states.
    package static let counted: [ColumnTable] = [
        .contexts, .sessions, .people, .visits, .timeline, .traits, .usage, .writers, .ranges, .failures, .replays,
        .counts, .places,
        .devices, .descriptions, .snapshots, .names, .erasures, .signIns, .merges,
    ]

    /// The tables partitioned by week of arrival, from which whole weeks are dropped.
    ///
    /// The other tables keep all rows: they contain sums, state, and the rows that point queries read.
    package static let partitionedByWeek: [ColumnTable] = [.events]

    /// The partition expression; nil for a single partition.
    ///
    /// An insert into one partition is atomic, so blocks end where the week changes.
    private var partition: String? {
        Self.partitionedByWeek.contains(self) ? "intDiv(received, \(BlockCutter.millisecondsPerWeek))" : nil
    }

    /// The column that decides between rows with the same key: the higher number wins.
    ///
    /// Nil if such rows are equal anyway.
    private var versionColumn: String? { self == .names ? "version" : nil }

    /// The number of rows per index entry; nil for the default of 8,192.
    ///
    /// The number is small for tables with long rows, and for tables from which queries read few rows at once.
    private var granularity: Int? {
        switch self {
        case .snapshots: 128
        case .events, .sessions, .people, .visits, .timeline, .traits, .signIns, .usage, .devices, .descriptions:
            1_024
        default: nil
        }
    }

    /// Returns the statement that creates the table unless it exists.
    ///
    /// - Parameter settings: Additional settings for newer versions of ClickHouse, such as those that sync inserts to
    ///   disk.
    package func createStatement(settings: [String]) -> String {
        let columns = columns.map { "\($0.name) \($0.type.rawValue)" }.joined(separator: ", ")
        let partition = partition.map { " PARTITION BY \($0)" } ?? ""
        let all = (granularity.map { ["index_granularity = \($0)"] } ?? []) + settings
        let settings = all.isEmpty ? "" : " SETTINGS " + all.joined(separator: ", ")
        let version = versionColumn.map { "(\($0))" } ?? ""
        return "CREATE TABLE IF NOT EXISTS \(rawValue) (\(columns)) ENGINE = ReplacingMergeTree\(version)\(partition) "
            + "ORDER BY (\(key.joined(separator: ", ")))\(settings)"
    }

    /// The statement that inserts rows; the rows follow it.
    package var insertStatement: String {
        "INSERT INTO \(rawValue) (\(columns.map(\.name).joined(separator: ", "))) FORMAT RowBinary"
    }

    private func column(_ name: String, _ type: Kind) -> Column { Column(name: name, type: type) }
}
