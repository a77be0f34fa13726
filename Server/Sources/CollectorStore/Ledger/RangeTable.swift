// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB

/// The `ranges` table: sets of sequence numbers that merge as they grow, so that a healthy writer has one row however
/// many events it sends.
struct RangeTable {
    private let touching: RawStatement
    private let remove: RawStatement
    private let insert: RawStatement

    init(_ db: Database) throws {
        touching = try RawStatement(
            db,
            """
            SELECT first, last FROM ranges
            WHERE writer = ? AND kind = ? AND reason = ? AND first <= ? ORDER BY first DESC
            """
        )
        remove = try RawStatement(db, "DELETE FROM ranges WHERE writer = ? AND kind = ? AND reason = ? AND first = ?")
        insert = try RawStatement(db, "INSERT INTO ranges (writer, kind, reason, first, last) VALUES (?, ?, ?, ?, ?)")
    }

    /// Adds a range to a writer's set.
    ///
    /// - Returns: Whether any of its numbers was new.
    /// - Complexity: O(log rows + merged ranges).
    @discardableResult
    func merge(_ range: ClosedRange<UInt64>, writer: Int64, kind: RangeKind, reason: String = "") throws -> Bool {
        // SQLite counts up to Int64.max; one below, so that the neighbour of the last number can still be asked for.
        let most = UInt64(Int64.max - 1)
        var first = Int64(min(range.lowerBound, most))
        var last = Int64(min(range.upperBound, most))
        bind(touching, writer, kind, reason)
        touching.bind(4, last + 1)
        var merged: [Int64] = []
        var isCovered = false
        while try touching.step() {
            let (otherFirst, otherLast) = (touching.integer(0), touching.integer(1))
            if otherLast < first - 1 { break }
            isCovered = isCovered || (otherFirst <= first && otherLast >= last)
            merged.append(otherFirst)
            first = min(first, otherFirst)
            last = max(last, otherLast)
        }
        touching.reset()
        if isCovered { return false }
        for other in merged {
            bind(remove, writer, kind, reason)
            remove.bind(4, other)
            try remove.run()
        }
        bind(insert, writer, kind, reason)
        insert.bind(4, first)
        insert.bind(5, last)
        try insert.run()
        return true
    }

    private func bind(_ statement: RawStatement, _ writer: Int64, _ kind: RangeKind, _ reason: String) {
        statement.bind(1, writer)
        statement.bind(2, kind.rawValue)
        statement.bind(3, reason)
    }
}
