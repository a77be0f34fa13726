// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB

/// The `ranges` table: sets of sequence numbers that merge as they grow.
///
/// A healthy writer has one row, regardless of the number of events that it sends. A writer has at most
/// `WriterAccount.maxRanges` rows. Any further range extends the writer's only row of the kind `untracked`, so the cost
/// of reading an account is bounded regardless of what a sender claims.
final class RangeTable: IndexTable {
    private let touching: RawStatement
    private let remove: RawStatement
    private let insert: RawStatement
    private let count: RawStatement
    private let find: RawStatement
    private let updateCount: RawStatement
    private let maxRanges: Int
    /// The row counts of writers whose row count changed.
    private var counts: [Int64: Int] = [:]

    init(_ db: Database, maxRanges: Int = WriterAccount.maxRanges) throws {
        self.maxRanges = maxRanges
        touching = try RawStatement(
            db,
            """
            SELECT first, last FROM ranges
            WHERE writer = ? AND kind = ? AND reason = ? AND first <= ? ORDER BY first DESC
            """
        )
        remove = try RawStatement(db, "DELETE FROM ranges WHERE writer = ? AND kind = ? AND reason = ? AND first = ?")
        insert = try RawStatement(db, "INSERT INTO ranges (writer, kind, reason, first, last) VALUES (?, ?, ?, ?, ?)")
        find = try RawStatement(
            db,
            """
            SELECT last FROM ranges WHERE writer = ? AND kind = ? AND reason = ? AND first <= ? ORDER BY first DESC LIMIT 1
            """
        )
        count = try RawStatement(db, "SELECT ranges FROM writers WHERE number = ?")
        updateCount = try RawStatement(db, "UPDATE writers SET ranges = ? WHERE number = ?")
    }

    /// Adds a range to a writer's set.
    ///
    /// - Returns: Whether any number in the range was new, as far as numbers are tracked.
    /// - Complexity: O(log rows + merged ranges).
    @discardableResult
    func merge(_ range: ClosedRange<UInt64>, writer: Int64, kind: RangeKind, reason: String = "") throws -> Bool {
        // SQLite's integers end at Int64.max. The limit is one less, so that the number after the last one can still be
        // queried.
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
        if merged.isEmpty {
            guard try rows(of: writer) < maxRanges else {
                try untrack(first...last, writer)
                return true
            }
        }
        try replace(merged, with: first...last, writer, kind, reason)
        if merged.count != 1 { counts[writer] = try rows(of: writer) + 1 - merged.count }
        return true
    }

    /// Whether a number is in a writer's set.
    ///
    /// - Complexity: O(log rows).
    func contains(_ number: UInt64, writer: Int64, kind: RangeKind) throws -> Bool {
        let number = Int64(min(number, UInt64(Int64.max - 1)))
        bind(find, writer, kind, "")
        find.bind(4, number)
        defer { find.reset() }
        return try find.step() && find.integer(0) >= number
    }

    /// Whether a writer's set has any number.
    func hasRange(writer: Int64, kind: RangeKind) throws -> Bool {
        bind(find, writer, kind, "")
        find.bind(4, Int64.max)
        defer { find.reset() }
        return try find.step()
    }

    /// Writes the writers' row counts and clears them from memory.
    ///
    /// The counts are cleared because writers may be removed afterward.
    func flush() throws {
        for (writer, rows) in counts {
            updateCount.bind(1, Int64(rows))
            updateCount.bind(2, writer)
            try updateCount.run()
        }
        counts.removeAll(keepingCapacity: true)
    }

    var tableNames: [String] { ["ranges"] }

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {
        try db.execute(
            sql: "DELETE FROM ranges WHERE writer IN (SELECT number FROM writers WHERE installation = ?)",
            arguments: [installation]
        )
    }

    private func rows(of writer: Int64) throws -> Int {
        if let known = counts[writer] { return known }
        count.bind(1, writer)
        defer { count.reset() }
        return try count.step() ? Int(clamping: count.integer(0)) : 0
    }

    private func untrack(_ range: ClosedRange<Int64>, _ writer: Int64) throws {
        bind(touching, writer, .untracked, "")
        touching.bind(4, Int64.max)
        var known: ClosedRange<Int64>?
        if try touching.step() { known = touching.integer(0)...max(touching.integer(0), touching.integer(1)) }
        touching.reset()
        let wider = min(range.lowerBound, known?.lowerBound ?? .max)...max(range.upperBound, known?.upperBound ?? .min)
        guard wider != known else { return }
        try replace(known.map { [$0.lowerBound] } ?? [], with: wider, writer, .untracked, "")
    }

    private func replace(
        _ merged: [Int64],
        with range: ClosedRange<Int64>,
        _ writer: Int64,
        _ kind: RangeKind,
        _ reason: String
    ) throws {
        for other in merged {
            bind(remove, writer, kind, reason)
            remove.bind(4, other)
            try remove.run()
        }
        bind(insert, writer, kind, reason)
        insert.bind(4, range.lowerBound)
        insert.bind(5, range.upperBound)
        try insert.run()
    }

    private func bind(_ statement: RawStatement, _ writer: Int64, _ kind: RangeKind, _ reason: String) {
        statement.bind(1, writer)
        statement.bind(2, kind.rawValue)
        statement.bind(3, reason)
    }
}
