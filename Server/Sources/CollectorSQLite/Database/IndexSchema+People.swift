// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Migrations for devices without a snapshot, and for people.
extension IndexSchema {
    /// Devices with their event and snapshot counts.
    ///
    /// `person` is the person of the latest event (`users.number`).
    ///
    /// Each device fact is the latest value that a context reported.
    static let v12DeviceFacts = """
        DROP TABLE devices;
        CREATE TABLE devices (
            installation INTEGER PRIMARY KEY,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            events INTEGER NOT NULL DEFAULT 0,
            person INTEGER,
            states INTEGER NOT NULL DEFAULT 0,
            changes INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX devices_by_last ON devices (last, installation);

        CREATE TABLE device_facts (
            installation INTEGER PRIMARY KEY,
            app TEXT,
            version TEXT,
            model TEXT,
            system TEXT
        );

        """

    /// Orders sessions and people with equal times identically in every store (``TimeCursor``).
    static let v14SessionOrder = """
        ALTER TABLE sessions ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;
        DROP INDEX sessions_by_start;
        CREATE INDEX sessions_by_start ON sessions (start, mark);
        DROP INDEX sessions_by_installation;
        CREATE INDEX sessions_by_installation ON sessions (installation, start, mark);
        ALTER TABLE users ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;
        DROP INDEX users_by_last;
        CREATE INDEX users_by_last ON users (last, mark) WHERE last IS NOT NULL;

        """

    /// The sign-ins on each installation (``SignInHistory``), and the visitors who became users (``SignInTable``).
    static let v16SignIns = """
        CREATE TABLE sign_ins (
            installation INTEGER PRIMARY KEY,
            periods BLOB NOT NULL
        );
        ALTER TABLE users ADD COLUMN joined INTEGER;
        CREATE INDEX users_by_joined ON users (joined) WHERE joined IS NOT NULL;
        DROP INDEX users_by_last;
        CREATE INDEX users_by_last ON users (last, mark) WHERE last IS NOT NULL AND (joined IS NULL OR joined = 0);

        """

    /// Erased users, by the hash of their id, with the number of events that were removed or refused.
    ///
    /// Also, for each incomplete erasure, the number of events removed from the index.
    static let v17ErasedUsers = """
        CREATE TABLE erased_users (
            identity BLOB PRIMARY KEY,
            time INTEGER NOT NULL,
            key TEXT NOT NULL,
            events INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID;

        CREATE TABLE erasure_counts (
            erasure TEXT PRIMARY KEY,
            events INTEGER NOT NULL
        ) WITHOUT ROWID;

        """

    /// Statements that merge users (``MergeTable``).
    ///
    /// `target` is null for a withdrawal; `installation` is null for an operator's statement.
    static let v19Merges = """
        CREATE TABLE merges (
            position INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            user TEXT NOT NULL,
            target TEXT,
            installation INTEGER,
            key TEXT NOT NULL,
            received INTEGER NOT NULL,
            outcome TEXT NOT NULL
        );
        CREATE INDEX merges_by_user ON merges (user);
        CREATE INDEX merges_by_target ON merges (target) WHERE target IS NOT NULL;
        CREATE INDEX merges_by_installation ON merges (installation) WHERE installation IS NOT NULL;

        """
}
