// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

extension ClickHouseEventStore {
    package func catalog(matching query: CatalogQuery) async throws(StoreError) -> EventCatalog {
        let sql = CatalogSQL(block: try await completed(), keptCondition: keptCondition)
        var meter = QueryMeter(budget, clock: clock)
        var entries: [CatalogEntry] = []
        if query.limit > 0 {
            try await rows(sql.entries(query), &meter) { row throws(RowFault) in
                try row.entry()
            } _: { entry throws(StoreError) in
                entries.append(entry)
            }
        }
        var (names, listed, all): (UInt64, UInt64, UInt64) = (0, 0, 0)
        try await rows(sql.totals, &meter) { row throws(RowFault) in
            (names: try row.uint64(), listed: try row.uint64(), all: try row.uint64())
        } _: { row throws(StoreError) in
            (names, listed, all) = row
        }
        return EventCatalog(
            entries: try await addingCounts(to: entries, on: query.days, sql, &meter),
            names: Int(clamping: names),
            others: Int64(clamping: all - min(listed, all))
        )
    }

    /// Returns the entry for a name; nil if the name is not counted separately.
    func entry(
        of name: String,
        on days: CatalogDays,
        _ sql: CatalogSQL,
        _ meter: inout QueryMeter
    ) async throws(StoreError) -> CatalogEntry? {
        var found: [CatalogEntry] = []
        try await rows(sql.entry(of: name), &meter) { row throws(RowFault) in
            try row.entry()
        } _: { entry throws(StoreError) in
            found.append(entry)
        }
        return try await addingCounts(to: found, on: days, sql, &meter).first
    }

    /// Returns the entries with their event counts by day.
    ///
    /// The sums cover whole quarter hours, and the events cover the parts before and after them.
    private func addingCounts(
        to entries: [CatalogEntry],
        on days: CatalogDays,
        _ sql: CatalogSQL,
        _ meter: inout QueryMeter
    ) async throws(StoreError) -> [CatalogEntry] {
        guard !entries.isEmpty else { return [] }
        var counts: [[UInt8]: (today: UInt64, month: UInt64)] = [:]
        for statement in sql.recent(entries.map(\.name), days) {
            try await rows(statement, &meter) { row throws(RowFault) in
                (name: try row.string(), today: try row.uint64(), month: try row.uint64())
            } _: { row throws(StoreError) in
                counts[row.name, default: (0, 0)].today += row.today
                counts[row.name, default: (0, 0)].month += row.month
            }
        }
        return entries.map { entry in
            var entry = entry
            let count = counts[Array(entry.name.utf8)]
            entry.today = Int64(clamping: count?.today ?? 0)
            entry.month = Int64(clamping: count?.month ?? 0)
            return entry
        }
    }
}

/// Statements about names.
///
/// The SQL works with ClickHouse 18.16 and later.
struct CatalogSQL {
    /// The last complete block.
    let block: UInt64
    /// The condition ` AND …` that limits events to those kept; empty if all are kept.
    var keptCondition = ""

    private var rows: String { "names FINAL WHERE block <= \(block)" }

    /// The names that are counted separately: those that occurred first.
    private var names: String {
        "(SELECT name, sum(events) AS e, minIf(first, events > 0) AS f, maxIf(last, events > 0) AS l, "
            + "minIf(place, events > 0) AS p FROM \(rows) GROUP BY name HAVING e > 0 ORDER BY p LIMIT \(EventCatalog.maxNames))"
    }

    /// Returns a statement for the entries that match a query, in the query's order.
    func entries(_ query: CatalogQuery) -> String {
        var conditions = ["1"]
        if let search = query.search, !search.isEmpty {
            conditions.append("position(lower(name), lower(\(SQLText.literal(search)))) > 0")
        }
        if let prefix = query.prefix, !prefix.isEmpty {
            conditions.append("substring(name, 1, \(prefix.utf8.count)) = \(SQLText.literal(prefix))")
        }
        let number =
            switch query.order {
            case .events: "toInt64(e)"
            case .last: "l"
            case .name: "toInt64(0)"
            }
        if let after = query.after {
            let cursor = "toInt64(\(after.number))"
            conditions.append(
                "(\(number) < \(cursor) OR (\(number) = \(cursor) AND name > \(SQLText.literal(after.name))))"
            )
        }
        return "SELECT name, toInt64(e), f, l FROM \(names) WHERE \(conditions.joined(separator: " AND ")) "
            + "ORDER BY \(number) DESC, name LIMIT \(query.limit)"
    }

    /// Returns a statement for the entry of one name, if it is counted separately.
    func entry(of name: String) -> String {
        "SELECT name, toInt64(e), f, l FROM \(names) WHERE name = \(SQLText.literal(name))"
    }

    /// A statement that counts the separately counted names, their events, and all events.
    var totals: String {
        // Newer versions of ClickHouse assume that the result of a subquery may be NULL.
        "SELECT toUInt64(count()), toUInt64(sum(e)), assumeNotNull(toUInt64((SELECT sum(events) FROM \(rows)))) FROM \(names)"
    }

    /// Returns statements that count events by name on the requested days.
    func recent(_ names: [String], _ days: CatalogDays) -> [String] {
        let list = names.map { SQLText.literal($0) }.joined(separator: ", ")
        let edges = [
            days.today.lowerBound, days.today.upperBound, days.month.lowerBound, days.month.upperBound,
        ].map(\.milliseconds)
        let quarters = edges.map { QuarterSQL.quarter(of: $0) }
        // Quarter hours within which a day begins or ends, as in time zones whose midnight is not the beginning of a
        // quarter hour.
        let broken = Set(zip(edges, quarters).filter { $0 != $1 * QuarterSQL.length }.map(\.1)).sorted()
        func isIn(_ range: Range<Timestamp>, _ time: String) -> String {
            "\(time) >= \(range.lowerBound.milliseconds) AND \(time) < \(range.upperBound.milliseconds)"
        }
        let (first, last) = (quarters.min() ?? 0, quarters.max() ?? 0)
        var whole = "name IN (\(list)) AND quarter >= \(first) AND quarter <= \(last)"
        if !broken.isEmpty { whole += " AND quarter NOT IN (\(broken.map { "\($0)" }.joined(separator: ", ")))" }
        let start = "quarter * \(QuarterSQL.length)"
        let sums =
            "SELECT name, sumIf(events, \(isIn(days.today, start))), sumIf(events, \(isIn(days.month, start))) "
            + "FROM \(rows) AND \(whole) GROUP BY name"
        return [sums]
            + broken.map { quarter in
                let time =
                    "time >= \(quarter * QuarterSQL.length) AND time < \((quarter + 1) * QuarterSQL.length) AND name IN (\(list))"
                return "SELECT name, toUInt64(countIf(\(isIn(days.today, "time")))), "
                    + "toUInt64(countIf(\(isIn(days.month, "time")))) FROM events FINAL PREWHERE \(time) WHERE block <= \(block) "
                    + "AND installation NOT IN (SELECT installation FROM erasures)\(keptCondition) GROUP BY name"
            }
    }

    // MARK: Descriptions

    /// Returns a statement that finds where the latest events with a name begin.
    ///
    /// The statement lists the blocks, latest first, with the number of events according to the sums, and the position
    /// of the first event.
    func latest(_ name: String) -> String {
        "SELECT block, sum(events) AS e, minIf(place, events > 0) FROM \(rows) AND name = \(SQLText.literal(name)) GROUP BY block "
            + "HAVING e > 0 ORDER BY block DESC"
    }

    /// Returns a statement for a name's events from a position onward, latest first.
    func events(of name: String, from position: Int64, limit: Int) -> String {
        "SELECT position, received, installation, context, body FROM \(selection(name, position)) "
            + "ORDER BY position DESC LIMIT \(limit)"
    }

    /// Returns a statement for the contexts of a name's latest events.
    ///
    /// These are the events from `position` onward.
    func contexts(of name: String, from position: Int64) -> String {
        // A block contains all contexts of its events, so the complete blocks suffice.
        "SELECT installation, context, any(body) FROM contexts WHERE (installation, context) IN "
            + "(SELECT installation, context FROM \(selection(name, position))) AND block <= \(block) GROUP BY installation, context"
    }

    private func selection(_ name: String, _ position: Int64) -> String {
        "events FINAL PREWHERE position >= \(position) AND name = \(SQLText.literal(name)) WHERE block <= \(block) "
            + "AND installation NOT IN (SELECT installation FROM erasures)\(keptCondition)"
    }
}

extension RowCursor {
    fileprivate mutating func entry() throws(RowFault) -> CatalogEntry {
        CatalogEntry(
            name: String(decoding: try string(), as: UTF8.self),
            events: try int64(),
            first: Timestamp(milliseconds: try int64()),
            last: Timestamp(milliseconds: try int64())
        )
    }
}
