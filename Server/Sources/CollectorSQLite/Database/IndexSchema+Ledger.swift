// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The migration that limits the size of accounts.
extension IndexSchema {
    /// The number of rows that a writer has in `ranges`.
    static let v15RangeCounts = """
        ALTER TABLE writers ADD COLUMN ranges INTEGER NOT NULL DEFAULT 0;
        UPDATE writers SET ranges = (SELECT count(*) FROM ranges WHERE ranges.writer = writers.number);

        """
}
