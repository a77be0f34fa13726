// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents

extension ClickHouseEventStore {
    package func catalogue(matching query: CatalogueQuery) async throws(StoreError) -> Catalogue {
        let sql = CatalogueSQL(block: try await completed(), isKept: isKept)
        var meter = QuestionMeter(budget, clock: clock)
        var entries: [CatalogueEntry] = []
        if query.limit > 0 {
            try await rows(sql.entries(query), &meter) { row throws(RowFault) in
                try row.entry()
            } _: { entry throws(StoreError) in
                entries.append(entry)
            }
        }
        var (names, told, all): (UInt64, UInt64, UInt64) = (0, 0, 0)
        try await rows(sql.told, &meter) { row throws(RowFault) in
            (names: try row.uint64(), told: try row.uint64(), all: try row.uint64())
        } _: { row throws(StoreError) in
            (names, told, all) = row
        }
        return Catalogue(
            entries: try await counted(entries, on: query.days, sql, &meter),
            names: Int(clamping: names),
            others: Int64(clamping: all - min(told, all))
        )
    }

    /// The entry of a name; nil where it is not told apart from others.
    func entry(
        of name: String,
        on days: CatalogueDays,
        _ sql: CatalogueSQL,
        _ meter: inout QuestionMeter
    ) async throws(StoreError) -> CatalogueEntry? {
        var found: [CatalogueEntry] = []
        try await rows(sql.entry(of: name), &meter) { row throws(RowFault) in
            try row.entry()
        } _: { entry throws(StoreError) in
            found.append(entry)
        }
        return try await counted(found, on: days, sql, &meter).first
    }

    /// Counts the events of names on some days: whole quarters of an hour out of the sums, what lies before and behind them out of the
    /// events.
    private func counted(
        _ entries: [CatalogueEntry],
        on days: CatalogueDays,
        _ sql: CatalogueSQL,
        _ meter: inout QuestionMeter
    ) async throws(StoreError) -> [CatalogueEntry] {
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

/// Statements about names. In SQL that versions from 18.16 on take.
struct CatalogueSQL {
    /// The last block that is whole.
    let block: UInt64
    /// ` AND …` that an event is kept; empty where all are.
    var isKept = ""

    private var rows: String { "names FINAL WHERE block <= \(block)" }

    /// All names that are told apart: those that came first.
    private var names: String {
        "(SELECT name, sum(events) AS e, minIf(first, events > 0) AS f, maxIf(last, events > 0) AS l, "
            + "minIf(place, events > 0) AS p FROM \(rows) GROUP BY name HAVING e > 0 ORDER BY p LIMIT \(Catalogue.maxNames))"
    }

    /// The entries that a query asks for, in its order.
    func entries(_ query: CatalogueQuery) -> String {
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
            let place = "toInt64(\(after.number))"
            conditions.append(
                "(\(number) < \(place) OR (\(number) = \(place) AND name > \(SQLText.literal(after.name))))"
            )
        }
        return "SELECT name, toInt64(e), f, l FROM \(names) WHERE \(conditions.joined(separator: " AND ")) "
            + "ORDER BY \(number) DESC, name LIMIT \(query.limit)"
    }

    /// The entry of one name, if it is told apart.
    func entry(of name: String) -> String {
        "SELECT name, toInt64(e), f, l FROM \(names) WHERE name = \(SQLText.literal(name))"
    }

    /// How many names are told apart, how many events they have, and how many there are of all names.
    var told: String {
        // Newer versions hold that what a statement within another answers may be missing.
        "SELECT toUInt64(count()), toUInt64(sum(e)), assumeNotNull(toUInt64((SELECT sum(events) FROM \(rows)))) FROM \(names)"
    }

    /// The events of names on the days that are asked for.
    func recent(_ names: [String], _ days: CatalogueDays) -> [String] {
        let list = names.map { SQLText.literal($0) }.joined(separator: ", ")
        let edges = [
            days.today.lowerBound, days.today.upperBound, days.month.lowerBound, days.month.upperBound,
        ].map(\.milliseconds)
        let quarters = edges.map { QuarterSQL.quarter(of: $0) }
        // A quarter in which a day begins or ends, as in zones whose midnight is none of a quarter's.
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
                    + "AND installation NOT IN (SELECT installation FROM erasures)\(isKept) GROUP BY name"
            }
    }

    // MARK: What events look like

    /// Where the latest events of a name begin of which there are so many at least, by the sums.
    func latest(_ name: String) -> String {
        "SELECT block, sum(events) AS e, minIf(place, events > 0) FROM \(rows) AND name = \(SQLText.literal(name)) GROUP BY block "
            + "HAVING e > 0 ORDER BY block DESC"
    }

    /// The latest events of a name from a place on, the latest first.
    func events(of name: String, from place: Int64, limit: Int) -> String {
        "SELECT position, received, installation, context, body FROM \(selection(name, place)) "
            + "ORDER BY position DESC LIMIT \(limit)"
    }

    /// The contexts that some of these have.
    func contexts(of name: String, from place: Int64) -> String {
        // A block has the contexts of its events.
        "SELECT installation, context, any(body) FROM contexts WHERE (installation, context) IN "
            + "(SELECT installation, context FROM \(selection(name, place))) AND block <= \(block) GROUP BY installation, context"
    }

    private func selection(_ name: String, _ place: Int64) -> String {
        "events FINAL PREWHERE position >= \(place) AND name = \(SQLText.literal(name)) WHERE block <= \(block) "
            + "AND installation NOT IN (SELECT installation FROM erasures)\(isKept)"
    }
}

extension RowCursor {
    fileprivate mutating func entry() throws(RowFault) -> CatalogueEntry {
        CatalogueEntry(
            name: String(decoding: try string(), as: UTF8.self),
            events: try int64(),
            first: Timestamp(milliseconds: try int64()),
            last: Timestamp(milliseconds: try int64())
        )
    }
}
