// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import GRDB

/// The migrations of the index's schema, named by subject.
///
/// The raw value is the identifier stored in index files. Once released, a migration's identifier and SQL never change;
/// each schema change is a new migration.
enum IndexMigration: String, CaseIterable {
    case v1Events = "1"
    case v2Behavior = "2"
    case v3Devices = "3"
    case v4Erasures = "4"
    case v5Clicks = "5"
    case v6AnalyticsIndex = "6"
    case v7Persons = "7"
    case v8Names = "8"
    case v9Quarters = "9"
    case v10Runs = "10"
    case v11Plans = "11"
    case v12DeviceFacts = "12"
    case v13OwnEvents = "13"
    case v14SessionOrder = "14"
    case v15RangeCounts = "15"
    case v16SignIns = "16"
    case v17ErasedUsers = "17"
    case v18Retention = "18"
    case v19Merges = "19"

    /// The last migration that requires a rebuild from the log.
    ///
    /// The file of an index without this migration is removed (``LegacyIndex``), so the migrations up to this one run
    /// only on an empty file.
    static let lastRenewal = IndexMigration.v16SignIns

    /// The first migration that stores erased installations in a form that is still valid.
    static let firstWithErasures = IndexMigration.v4Erasures

    /// The SQL of the migration.
    var sql: String {
        switch self {
        case .v1Events: IndexSchema.v1Events
        case .v2Behavior: IndexSchema.v2Behavior
        case .v3Devices: IndexSchema.v3Devices
        case .v4Erasures: IndexSchema.v4Erasures
        case .v5Clicks: IndexSchema.v5Clicks
        case .v6AnalyticsIndex: IndexSchema.v6AnalyticsIndex
        case .v7Persons: IndexSchema.v7Persons
        case .v8Names: IndexSchema.v8Names
        case .v9Quarters: IndexSchema.v9Quarters
        case .v10Runs: IndexSchema.v10Runs
        case .v11Plans: IndexSchema.v11Plans
        case .v12DeviceFacts: IndexSchema.v12DeviceFacts
        case .v13OwnEvents: IndexSchema.v13OwnEvents
        case .v14SessionOrder: IndexSchema.v14SessionOrder
        case .v15RangeCounts: IndexSchema.v15RangeCounts
        case .v16SignIns: IndexSchema.v16SignIns
        case .v17ErasedUsers: IndexSchema.v17ErasedUsers
        case .v18Retention: IndexSchema.v18Retention
        case .v19Merges: IndexSchema.v19Merges
        }
    }
}

/// The index's tables.
enum IndexSchema {
    /// Every migration, in order.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for step in IndexMigration.allCases {
            migrator.registerMigration(step.rawValue) { try $0.execute(sql: step.sql) }
        }
        return migrator
    }

    /// Checks that everything the migrations create exists.
    ///
    /// A small file is checked in full.
    ///
    /// In a large file, other damage is found only when a query encounters it.
    ///
    /// - Throws: ``IndexDamage``, or SQLite errors.
    static func check(_ db: Database) throws {
        // Compare the SQL text too, because a table may exist but lack a column.
        let names = "SELECT type || ' ' || name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
        let model = try DatabaseQueue()
        try migrator.migrate(model)
        let wanted = try model.read { try Row.fetchAll($0, sql: names) }
        let found = Dictionary(
            try Row.fetchAll(db, sql: names).map { ($0[0] as String, $0[1] as String?) },
            uniquingKeysWith: { first, _ in first }
        )
        for row in wanted {
            let (name, sql): (String, String?) = (row[0], row[1])
            guard let known = found[name] else { throw IndexDamage(description: "the \(name) is missing") }
            guard known == sql else { throw IndexDamage(description: "the \(name) does not match the schema") }
        }
        guard try Int.fetchOne(db, sql: "SELECT count(*) FROM progress WHERE only = 1") == 1 else {
            throw IndexDamage(description: "the progress row is missing")
        }
        let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        guard pages <= checkedPages else { return }
        let report = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? ""
        guard report == "ok" else { throw IndexDamage(description: report) }
    }

    /// The maximum size of a file that is checked in full, in pages of 4 KiB.
    ///
    /// The check runs on opening and takes a fraction of a second.
    private static let checkedPages: Int64 = 16_384

    /// Events; their row numbers are their positions in the intake log.
    ///
    /// Rows are therefore in order of arrival, paging needs no index, and a rebuilt index has the same row numbers.
    /// SQLite indexes contain the row number too, so a query for "this name, after that position" reads one range of an
    /// index. Times are Unix milliseconds; ids are 16 bytes.
    static let v1Events = """
        CREATE TABLE progress (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            segment INTEGER NOT NULL,
            offset INTEGER NOT NULL,
            events INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            duplicates INTEGER NOT NULL,
            erased INTEGER NOT NULL,
            damaged INTEGER NOT NULL
        );
        INSERT INTO progress VALUES (1, 0, 0, 0, 0, 0, 0, 0);

        CREATE TABLE installations (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            erased INTEGER NOT NULL DEFAULT 0
        );

        CREATE TABLE writers (
            number INTEGER PRIMARY KEY,
            installation INTEGER NOT NULL,
            id BLOB NOT NULL,
            recorded INTEGER NOT NULL DEFAULT 0,
            duplicates INTEGER NOT NULL DEFAULT 0,
            received INTEGER NOT NULL DEFAULT 0,
            UNIQUE (installation, id)
        );

        CREATE TABLE ranges (
            writer INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            reason TEXT NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (writer, kind, reason, first)
        ) WITHOUT ROWID;

        CREATE TABLE contexts (
            number INTEGER PRIMARY KEY,
            installation INTEGER NOT NULL,
            hash INTEGER NOT NULL,
            content BLOB NOT NULL
        );
        CREATE INDEX contexts_by_content ON contexts (installation, hash);

        CREATE TABLE events (
            position INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            name TEXT NOT NULL,
            time INTEGER NOT NULL,
            received INTEGER NOT NULL,
            writer INTEGER,
            sequence INTEGER,
            installation INTEGER,
            user TEXT,
            session TEXT,
            context INTEGER,
            body BLOB NOT NULL
        );
        CREATE INDEX events_by_time ON events (time);
        CREATE INDEX events_by_name ON events (name);
        CREATE INDEX events_by_installation ON events (installation) WHERE installation IS NOT NULL;
        CREATE INDEX events_by_user ON events (user) WHERE user IS NOT NULL;
        CREATE INDEX events_by_session ON events (session) WHERE session IS NOT NULL;

        CREATE TABLE minutes (
            minute INTEGER NOT NULL,
            name TEXT NOT NULL,
            events INTEGER NOT NULL,
            PRIMARY KEY (minute, name)
        ) WITHOUT ROWID;

        CREATE TABLE failed (
            position INTEGER PRIMARY KEY,
            received INTEGER NOT NULL,
            installation INTEGER,
            key TEXT NOT NULL,
            code TEXT NOT NULL,
            field TEXT NOT NULL,
            message TEXT NOT NULL,
            content BLOB NOT NULL
        );
        CREATE INDEX failed_by_installation ON failed (installation) WHERE installation IS NOT NULL;
        """

    /// Sessions, screens, launches and exits, and people.
    ///
    /// `installation` is 0 for clients that report no installation; `session` is 0 for events outside every session. A
    /// user without an id is the visitor of an installation who did not sign in.
    static let v2Behavior = """
        CREATE TABLE sessions (
            number INTEGER PRIMARY KEY,
            installation INTEGER NOT NULL,
            id TEXT NOT NULL,
            ordinal INTEGER,
            start INTEGER NOT NULL,
            last INTEGER NOT NULL DEFAULT \(Int64.min),
            events INTEGER NOT NULL DEFAULT 0,
            engagement INTEGER NOT NULL DEFAULT 0,
            foreground INTEGER NOT NULL DEFAULT 0,
            UNIQUE (installation, id)
        );
        CREATE INDEX sessions_by_start ON sessions (start, number);
        CREATE INDEX sessions_by_installation ON sessions (installation, start, number);

        CREATE TABLE screens (
            position INTEGER PRIMARY KEY,
            installation INTEGER NOT NULL,
            session INTEGER NOT NULL,
            time INTEGER NOT NULL,
            name TEXT NOT NULL,
            id TEXT,
            unique_id TEXT,
            engagement INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX screens_by_session ON screens (session, time);
        CREATE INDEX screens_by_installation ON screens (installation);
        CREATE INDEX screens_by_time ON screens (time);

        CREATE TABLE launches (
            position INTEGER PRIMARY KEY,
            installation INTEGER NOT NULL,
            session INTEGER NOT NULL,
            time INTEGER NOT NULL,
            kind TEXT NOT NULL,
            first INTEGER NOT NULL,
            recovered INTEGER NOT NULL,
            duration INTEGER
        );
        CREATE INDEX launches_by_session ON launches (session, time);
        CREATE INDEX launches_by_installation ON launches (installation);

        CREATE TABLE users (
            number INTEGER PRIMARY KEY,
            id TEXT,
            installation INTEGER,
            unique_id TEXT,
            anonymous_id TEXT,
            first_touch INTEGER,
            first INTEGER,
            last INTEGER,
            events INTEGER NOT NULL DEFAULT 0
        );
        CREATE UNIQUE INDEX users_by_id ON users (id) WHERE id IS NOT NULL;
        CREATE UNIQUE INDEX users_by_installation ON users (installation) WHERE id IS NULL;
        CREATE INDEX users_by_last ON users (last) WHERE last IS NOT NULL;

        CREATE TABLE user_attributes (
            user INTEGER NOT NULL,
            name TEXT NOT NULL,
            value BLOB NOT NULL,
            set_at INTEGER NOT NULL,
            installation INTEGER NOT NULL,
            PRIMARY KEY (user, name)
        ) WITHOUT ROWID;
        CREATE INDEX user_attributes_by_installation ON user_attributes (installation);

        CREATE TABLE visits (
            user INTEGER NOT NULL,
            installation INTEGER NOT NULL,
            session INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            events INTEGER NOT NULL,
            PRIMARY KEY (user, installation, session)
        ) WITHOUT ROWID;
        CREATE INDEX visits_by_session ON visits (session);
        CREATE INDEX visits_by_installation ON visits (installation);

        """

    /// Snapshots by device and time, and devices with their snapshot counts.
    ///
    /// A snapshot's content is stored only in its event. `kind` is a ``SnapshotKind``; `changes` is the number of
    /// properties that differ from the snapshot before it in time order.
    static let v3Devices = """
        CREATE TABLE snapshots (
            position INTEGER PRIMARY KEY,
            installation INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            time INTEGER NOT NULL,
            changes INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX snapshots_by_time ON snapshots (installation, kind, time, position);
        CREATE INDEX snapshots_by_change ON snapshots (installation, time, position) WHERE changes > 0;

        CREATE TABLE devices (
            installation INTEGER PRIMARY KEY,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            states INTEGER NOT NULL,
            changes INTEGER NOT NULL
        );
        CREATE INDEX devices_by_last ON devices (last, installation);

        """

    /// Erased installations, with the time, the origin, and the number of removed events.
    ///
    /// `operator` is 0 if the person requested the erasure.
    ///
    /// Also adds the project of a context, and the number of elements that did not fit into a person's lists.
    static let v4Erasures = """
        ALTER TABLE contexts ADD COLUMN project TEXT;
        CREATE INDEX contexts_by_project ON contexts (project) WHERE project IS NOT NULL;
        ALTER TABLE user_attributes ADD COLUMN omitted INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE erasures (
            installation INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            key TEXT NOT NULL,
            operator INTEGER NOT NULL,
            events INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX erasures_by_time ON erasures (time, installation);

        """

    /// Clicks, each with the name and the screen of its element.
    ///
    /// `screen` is empty if unknown.
    static let v5Clicks = """
        CREATE TABLE clicks (
            position INTEGER PRIMARY KEY,
            installation INTEGER NOT NULL,
            time INTEGER NOT NULL,
            screen TEXT NOT NULL,
            element TEXT NOT NULL,
            type TEXT
        );
        CREATE INDEX clicks_by_installation ON clicks (installation);
        CREATE INDEX clicks_by_time ON clicks (time);

        """

    /// An index for queries by name.
    ///
    /// The index is ordered by time and contains the person that each event counts toward, so counting reads no event
    /// rows.
    static let v6AnalyticsIndex = """
        CREATE INDEX events_by_question ON events (name, time, installation, user);

        """
}
