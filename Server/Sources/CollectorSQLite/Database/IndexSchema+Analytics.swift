// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Migrations for queries over many events, the catalog, and the groups of rejected events.
extension IndexSchema {
    /// The person that an event counts toward (`users.number`): the signed-in user, or else the installation's visitor.
    ///
    /// As a result, queries compare numbers instead of ids, and read only the index even if they specify no event name.
    static let v7Persons = """
        DROP INDEX events_by_time;
        DROP INDEX events_by_user;
        DROP INDEX events_by_question;
        ALTER TABLE events ADD COLUMN person INTEGER;
        CREATE INDEX events_by_time ON events (time, person, installation);
        CREATE INDEX events_by_person ON events (person) WHERE person IS NOT NULL;
        CREATE INDEX events_by_question ON events (name, time, person, installation);

        """

    /// Tables of event names, rejected events, and replayed events.
    ///
    /// - For each event name, the total count and the count per UTC day.
    /// - Rejected events in order of arrival, with the values by which they are grouped. `bytes` is the number of
    ///   rejected bytes; `content` may contain only some of them.
    /// - For each event admitted on replay, the position at which it was rejected.
    static let v8Names = """
        CREATE TABLE names (
            name TEXT PRIMARY KEY,
            events INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE name_days (
            name TEXT NOT NULL,
            day INTEGER NOT NULL,
            events INTEGER NOT NULL,
            PRIMARY KEY (name, day)
        ) WITHOUT ROWID;

        DROP TABLE failed;
        CREATE TABLE failed (
            position INTEGER PRIMARY KEY,
            received INTEGER NOT NULL,
            installation INTEGER,
            key TEXT NOT NULL,
            code TEXT NOT NULL,
            field TEXT NOT NULL,
            name TEXT,
            version TEXT,
            bytes INTEGER NOT NULL,
            message TEXT NOT NULL,
            content BLOB NOT NULL
        );
        CREATE INDEX failed_by_installation ON failed (installation) WHERE installation IS NOT NULL;
        CREATE INDEX failed_by_group ON failed (received, code, field, name, version);
        CREATE INDEX failed_by_code ON failed (code);
        CREATE INDEX failed_by_name ON failed (name) WHERE name IS NOT NULL;

        CREATE TABLE replays (
            position INTEGER PRIMARY KEY,
            origin INTEGER NOT NULL,
            time INTEGER NOT NULL,
            key TEXT NOT NULL
        );

        """

    /// Active people, and event counts by name, per quarter of an hour.
    ///
    /// `quarter` is the number of quarter-hours since 1970; `person` is 0 for events without a person. The index by
    /// person lists one person's events in order of time.
    static let v9Quarters = """
        CREATE TABLE activity (
            quarter INTEGER NOT NULL,
            person INTEGER NOT NULL,
            events INTEGER NOT NULL,
            PRIMARY KEY (quarter, person)
        ) WITHOUT ROWID;

        CREATE TABLE name_quarters (
            name TEXT NOT NULL,
            quarter INTEGER NOT NULL,
            events INTEGER NOT NULL,
            PRIMARY KEY (name, quarter)
        ) WITHOUT ROWID;

        DROP INDEX events_by_person;
        CREATE INDEX events_by_person ON events (person, time) WHERE person IS NOT NULL;

        """

    /// Events grouped into runs.
    ///
    /// A run is a range of the log whose stored events arrived in one batch and have the same installation, person and
    /// session. A run ends before its events span a day. The owner and the approximate time are then indexed once for
    /// the twenty or more events of a run. Each event itself is in three trees: its row, its id, and its name with its
    /// time.
    ///
    /// `name_runs` contains, for each mebibyte of the log, the range of positions in which a name occurs. `person`,
    /// `installation` and `session` are numbers of `users`, `installations` and `sessions`, or null.
    static let v10Runs = """
        DROP TABLE events;
        CREATE TABLE events (
            position INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            name TEXT NOT NULL,
            time INTEGER NOT NULL,
            received INTEGER NOT NULL,
            writer INTEGER,
            sequence INTEGER,
            installation INTEGER,
            person INTEGER,
            session INTEGER,
            context INTEGER,
            body BLOB NOT NULL
        );
        CREATE INDEX events_by_question ON events (name, time, person, installation);

        CREATE TABLE runs (
            first INTEGER PRIMARY KEY,
            last INTEGER NOT NULL,
            installation INTEGER,
            person INTEGER,
            session INTEGER,
            earliest INTEGER NOT NULL,
            latest INTEGER NOT NULL
        );
        CREATE INDEX runs_by_installation ON runs (installation, first, last, earliest, latest) WHERE installation IS NOT NULL;
        CREATE INDEX runs_by_person ON runs (person, first, last, earliest, latest) WHERE person IS NOT NULL;
        CREATE INDEX runs_by_person_time ON runs (person, latest, earliest, first, last) WHERE person IS NOT NULL;
        CREATE INDEX runs_by_session ON runs (session, first, last) WHERE session IS NOT NULL;
        CREATE INDEX runs_by_time ON runs (latest, earliest, first, last);

        CREATE TABLE name_runs (
            name TEXT NOT NULL,
            chunk INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (name, chunk)
        ) WITHOUT ROWID;

        CREATE INDEX sessions_by_id ON sessions (id);
        DROP INDEX screens_by_installation;
        DROP INDEX clicks_by_installation;
        DROP INDEX launches_by_installation;

        """

    /// Results of checks against tracking plans.
    ///
    /// Each row of `plans` is a range of the log in which one plan's rules applied without a gap, from the position
    /// `began` to `segment` and `offset`. For the last range, the other tables contain the planned events by name and
    /// day of arrival, and the violations in groups, each with one sample event (`sample`). `faulty` events have at
    /// least one violation.
    static let v11Plans = """
        CREATE TABLE plans (
            number INTEGER PRIMARY KEY,
            digest TEXT NOT NULL,
            title TEXT NOT NULL,
            began INTEGER NOT NULL,
            segment INTEGER NOT NULL,
            offset INTEGER NOT NULL,
            first INTEGER,
            last INTEGER,
            events INTEGER NOT NULL,
            faulty INTEGER NOT NULL,
            violations INTEGER NOT NULL,
            unplanned INTEGER NOT NULL
        );

        CREATE TABLE plan_days (
            name TEXT NOT NULL,
            day INTEGER NOT NULL,
            events INTEGER NOT NULL,
            faulty INTEGER NOT NULL,
            PRIMARY KEY (name, day)
        ) WITHOUT ROWID;

        CREATE TABLE violations (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            path TEXT NOT NULL,
            code TEXT NOT NULL,
            version TEXT NOT NULL,
            events INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            sample INTEGER,
            UNIQUE (name, path, code, version)
        );

        CREATE TABLE violation_days (
            violation INTEGER NOT NULL,
            day INTEGER NOT NULL,
            events INTEGER NOT NULL,
            PRIMARY KEY (violation, day)
        ) WITHOUT ROWID;

        """

    /// The events that an app itself records, in query order.
    ///
    /// The table contains all values of an event that queries read.
    ///
    /// `attributes` is the JSON object with the event's attributes. It is empty for an event without attributes and
    /// null if the object is too long.
    static let v13OwnEvents = """
        CREATE TABLE own_events (
            name TEXT NOT NULL,
            time INTEGER NOT NULL,
            position INTEGER NOT NULL,
            person INTEGER,
            installation INTEGER,
            context INTEGER,
            attributes BLOB,
            PRIMARY KEY (name, time, position)
        ) WITHOUT ROWID;

        """
}
