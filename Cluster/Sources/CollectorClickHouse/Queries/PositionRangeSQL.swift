// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// The position ranges of a query's events, and conditions on the events, as SQL.
///
/// The ranges of each owner are looked up by a key. Within these ranges, events are read, and those that do not match
/// are filtered out. The SQL works with ClickHouse 18.16 and later.
struct PositionRangeSQL {
    /// A position range, and the maximum number of events in it that belong to the key.
    struct PositionRange {
        let first: Int64
        let last: Int64
        let events: UInt64
    }

    /// The maximum number of ranges in one statement.
    static let maxRangesPerStatement = 200

    let block: UInt64
    let query: EventQuery
    /// The time of arrival from which events are kept; nil if all are kept.
    private let retainedSince: Timestamp?

    /// Creates the ranges of a query's events up to a block; nil if none can match.
    ///
    /// - Parameter retainedSince: The time of arrival from which events are kept; nil if all are kept.
    init?(_ query: EventQuery, upTo block: UInt64, retainedSince: Timestamp?) {
        for text in [query.user, query.session, query.project] where text?.isEmpty ?? false { return nil }
        self.query = query
        self.block = block
        self.retainedSince = retainedSince
    }

    var isDescending: Bool { query.order == .newestFirst }

    /// Whether the ranges are looked up by a key; otherwise everything must be read.
    var isKeyed: Bool { query.session != nil || query.user != nil || query.installation != nil }

    private var key: (kind: PlaceAggregates.OwnerKind, owner: [UInt8]) {
        if let session = query.session { return (.session, Array(session.utf8)) }
        if let user = query.user { return (.user, Array(user.utf8)) }
        if let installation = query.installation {
            var key = RowBinary()
            key.id(installation)
            return (.installation, key.bytes)
        }
        return (.all, [])
    }

    /// Returns a statement for the next ranges in the query's order.
    ///
    /// The statement selects the ranges' first and last positions, and their event counts.
    ///
    /// - Parameter cursor: The end of the previous ranges; nil at the beginning.
    func ranges(after cursor: Int64?, limit: Int) -> String {
        "SELECT min(first), max(last), sum(events) \(rows(after: cursor)) GROUP BY block "
            + "ORDER BY block \(isDescending ? "DESC" : "ASC") LIMIT \(limit)"
    }

    /// A statement for the span of all ranges, and their event count.
    var span: String { "SELECT min(first), max(last), sum(events) \(rows(after: nil))" }

    /// A statement for the earliest event time, and the number of ranges.
    var earliest: String { "SELECT min(earliest), count() \(rows(after: nil))" }

    private func rows(after cursor: Int64?) -> String {
        var parts = [
            "kind = \(key.kind.rawValue)", "whose = \(SQLText.literal(key.owner))", "block <= \(block)",
            "installation NOT IN (SELECT installation FROM erasures)",
        ]
        if let installation = query.installation { parts.append("installation = \(SQLText.literal(installation))") }
        if let from = query.from { parts.append("latest >= \(from.milliseconds)") }
        if let to = query.to { parts.append("earliest < \(to.milliseconds)") }
        if let retainedSince { parts.append("arrived >= \(retainedSince.milliseconds)") }
        if let cursor { parts.append(isDescending ? "first < \(cursor)" : "last > \(cursor)") }
        return "FROM places FINAL WHERE \(parts.joined(separator: " AND "))"
    }

    /// Returns `FROM events … WHERE …` for the query's events in the given ranges.
    func events(in ranges: [PositionRange]) -> String {
        var positions: [String] = []
        if isKeyed {
            positions = ranges.map { "(position >= \($0.first) AND position <= \($0.last))" }
        } else if let first = ranges.map(\.first).min(), let last = ranges.map(\.last).max() {
            // Without a key, the ranges are contiguous.
            positions = ["(position >= \(first) AND position <= \(last))"]
        }
        var parts = ["block <= \(block)", "(\(positions.joined(separator: " OR ")))"]
        if let after = query.after { parts.append("position \(isDescending ? "<" : ">") \(after.rawValue)") }
        if !query.names.isEmpty {
            parts.append("name IN (\(query.names.map { SQLText.literal($0) }.joined(separator: ", ")))")
        }
        if let installation = query.installation { parts.append("installation = \(SQLText.literal(installation))") }
        if let user = query.user { parts.append("user = \(SQLText.literal(user))") }
        if let session = query.session { parts.append("session = \(SQLText.literal(session))") }
        if let from = query.from { parts.append("time >= \(from.milliseconds)") }
        if let to = query.to { parts.append("time < \(to.milliseconds)") }
        if let retainedSince { parts.append("received >= \(retainedSince.milliseconds)") }
        var others = ["installation NOT IN (SELECT installation FROM erasures)"]
        if let project = query.project {
            let value = QueryValue.text(Array(project.utf8)).columnBytes
            others.append(
                "(installation, context) IN (SELECT installation, context FROM contexts WHERE block <= \(block) "
                    + "AND \(Self.value(ColumnValues.name(of: ["app", "project"]))) = \(SQLText.literal(value)))"
            )
        }
        if let run = query.run { others.append(Self.runCondition(run)) }
        // Old versions of ClickHouse fail if the positions are in PREWHERE while parts are merged during the read.
        return "FROM events FINAL WHERE \((parts + others).joined(separator: " AND "))"
    }

    /// The query's order.
    var order: String { "ORDER BY position \(isDescending ? "DESC" : "ASC")" }

    /// Returns the value with the given name, as an expression over a row of events or contexts.
    static func value(_ name: [UInt8]) -> String { "values[indexOf(names, \(SQLText.literal(name)))]" }

    /// Returns the condition that an event's run tag is the given string.
    ///
    /// The tag is the event's own, or otherwise the global one in its context. The tag may be the given string, or a
    /// value whose text is that string.
    private static func runCondition(_ run: String) -> String {
        var values: [QueryValue] = [.text(Array(run.utf8)), .structure(Array(run.utf8))]
        if let whole = Int64(run), String(whole) == run { values.append(.number(.integer(whole))) }
        if let number = Double(run), number.isFinite, "\(number)" == run {
            values.append(.number(JSONNumber.double(number).simplest))
        }
        // The rule that defines the tag treats booleans as numbers.
        if run == "1" || run == "0" { values.append(.boolean(run == "1")) }
        let list = values.map { SQLText.literal($0.columnBytes) }.joined(separator: ", ")
        return "\(value(Array(RunTag.attribute.utf8))) IN (\(list))"
    }
}
