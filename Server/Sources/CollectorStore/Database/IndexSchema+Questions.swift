// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What questions over many events, the catalogue and the groups of refused events are answered from.
extension IndexSchema {
    /// The person an event counts for (`users.number`): the user who was signed in, else the installation's visitor. Questions
    /// then compare numbers instead of ids, and read the index alone also where they name no event.
    static let v7Persons = """
        DROP INDEX events_by_time;
        DROP INDEX events_by_user;
        DROP INDEX events_by_question;
        ALTER TABLE events ADD COLUMN person INTEGER;
        CREATE INDEX events_by_time ON events (time, person, installation);
        CREATE INDEX events_by_person ON events (person) WHERE person IS NOT NULL;
        CREATE INDEX events_by_question ON events (name, time, person, installation);

        """

    /// Names, with their events as a whole and by the days of UTC; refused events with what they are grouped by, in the order of
    /// arrival. `bytes` is how many bytes were refused, of which `content` may hold less. Events that were admitted again, with the
    /// place where they were refused.
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

    /// Who was active in which quarter of an hour, and how many events of each name there were in it (`quarter`: from 1970;
    /// `person` 0: nobody's). One person's events in the order of time.
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

    /// Events lie in runs. A run is a stretch of the log whose stored events arrived in one batch and have installation, person and
    /// session in common; it ends before its events lie a day apart. Whose an event is, and roughly when, is then indexed once for
    /// the twenty or more events of a run, and every event costs three trees: its row, its id, and its name with its time.
    ///
    /// `name_runs` says the same of names: between which places of each mebibyte of the log a name occurs.
    /// `person`, `installation` and `session` are numbers of `users`, `installations` and `sessions`, null where there is none.
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

    /// What was checked by a plan: each stretch of the log in which one plan's rules held without a gap, from the position `began` up to
    /// `segment` and `offset`; of the last one the planned events by name and day of arrival, and what they do not keep to, in groups
    /// with one event (`sample`) each. `faulty` events are those that do not keep to it in something.
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

    /// The events that an app records itself, in the order in which questions ask for them, with all that these read of an event.
    /// `attributes` is their JSON object, empty when there is none, and null when it is too long.
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
