// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The migration for expired events.
extension IndexSchema {
    /// The boundary of the kept events, and the values that an index needs without the expired ones.
    ///
    /// `retention.first` is the position of the first kept record, `kept_from` the latest arrival before it. `segment`
    /// and `offset` are the position at which an index that began with the retained state takes the rest of that state
    /// (``RetainedState``); null in every other index.
    ///
    /// `repeats` has the positions of duplicates, whose first arrivals may expire before them. `contexts.last` is the
    /// position of the last record that used the context.
    static let v18Retention = """
        CREATE TABLE retention (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            first INTEGER NOT NULL,
            kept_from INTEGER,
            events INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            segment INTEGER,
            offset INTEGER
        );
        INSERT INTO retention VALUES (1, 0, NULL, 0, 0, NULL, NULL);

        CREATE TABLE repeats (
            position INTEGER PRIMARY KEY
        );

        ALTER TABLE contexts ADD COLUMN last INTEGER NOT NULL DEFAULT 0;
        UPDATE contexts SET last = (SELECT (segment << 37) | (offset << 10) FROM progress);

        """
}
