// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Whether an event matches a search, as SQL over position ranges.
struct EventMatchSQL {
    private let search: EventSearch
    private let fields: [QueryField]

    /// Creates the SQL for a search; an event must match every part of it.
    init(_ search: EventSearch) {
        self.search = search
        fields = QueryFilter(conditions: search.conditions).fields
    }

    private var needsContexts: Bool {
        !search.words.isEmpty || fields.contains { if case .context = $0 { true } else { false } }
    }

    /// Returns a statement for each event's position, and whether the event matches.
    ///
    /// The statement covers the events in the ranges, in the query's order.
    func sql(_ rangeSQL: PositionRangeSQL, _ ranges: [PositionRangeSQL.PositionRange], limit: Int) -> String {
        let source = rangeSQL.events(in: ranges)
        var (eventColumns, contextColumns) = (["position"], [String]())
        for (number, field) in fields.enumerated() {
            switch field {
            case .attribute(let name): eventColumns.append("\(PositionRangeSQL.value(Array(name.utf8))) AS f\(number)")
            case .context(let path):
                contextColumns.append("\(PositionRangeSQL.value(ColumnValues.name(of: path))) AS f\(number)")
            // ``PeopleSupport`` rejects these fields before a query runs.
            case .person, .cohort: eventColumns.append("'' AS f\(number)")
            }
        }
        let condition = conditions.isEmpty ? "1" : conditions.joined(separator: " AND ")
        if !search.words.isEmpty {
            eventColumns.append("body AS said")
            contextColumns.append("body AS around")
        }
        if needsContexts { eventColumns += ["installation", "context"] }
        let page = "SELECT \(eventColumns.joined(separator: ", ")) \(source) \(rangeSQL.order) LIMIT \(limit)"
        let end = "\(rangeSQL.order)"
        guard needsContexts else { return "SELECT position, toUInt8(\(condition)) FROM (\(page)) \(end)" }
        // Only the contexts of these events are read, by key.
        let contexts =
            "SELECT installation, context, \(contextColumns.joined(separator: ", ")) FROM contexts WHERE block <= \(rangeSQL.block) "
            + "AND (installation, context) IN (SELECT installation, context \(source))"
        return "SELECT position, toUInt8(\(condition)) FROM (\(page)) AS e ANY LEFT JOIN (\(contexts)) AS c "
            + "USING (installation, context) \(end)"
    }

    private var conditions: [String] {
        let conditions = search.conditions.map { condition in
            condition.sql { field in "f\(fields.firstIndex(of: field) ?? 0)" }
        }
        let words = search.words.filter { !$0.isEmpty }.map { word in
            let literal = SQLText.literal(word)
            return "(positionCaseInsensitive(said, \(literal)) > 0 OR positionCaseInsensitive(around, \(literal)) > 0)"
        }
        return conditions + words
    }
}

/// The event data that an expectation receives, as SQL.
struct ExpectationSQL {
    /// An event as read from a row.
    struct Row {
        let position: EventPosition
        let id: EventID
        let name: String
        let user: String?
        let installation: InstallationID?
        let context: ClickHouseEventStore.ContextKey?
        let matchesName: Bool
        /// The values of attributes, as encoded in columns.
        let values: [[UInt8]]
    }

    private let filter: QueryFilter
    private let fields: [QueryField]
    private let attributes: [String]

    /// Creates the SQL for an expectation about the filter's events.
    init(_ filter: QueryFilter) {
        self.filter = filter
        fields = filter.fields
        attributes = fields.compactMap { if case .attribute(let name) = $0 { name } else { nil } }
    }

    /// Whether the expectation needs members of contexts.
    var needsContexts: Bool { attributes.count < fields.count }

    /// Returns a statement for the next events from a source.
    func sql(_ source: String, limit: Int) -> String {
        let values = attributes.map { PositionRangeSQL.value(Array($0.utf8)) }
        let list = values.isEmpty ? "emptyArrayString()" : "array(\(values.joined(separator: ", ")))"
        let names = filter.names.map { SQLText.literal($0) }.joined(separator: ", ")
        let matchesName = names.isEmpty ? "toUInt8(0)" : "toUInt8(name IN (\(names)))"
        return
            "SELECT position, id, name, user, installation, context, \(matchesName), \(list) \(source) LIMIT \(max(1, limit))"
    }

    /// Reads an event from a row.
    func row(_ row: inout RowCursor) throws(RowFault) -> Row {
        let (position, id) = (try row.position(), try row.id(EventID.self))
        let (name, user) = (try row.text(), try row.nonEmptyText())
        let installation = try row.optionalID(InstallationID.self)
        return Row(
            position: position,
            id: id,
            name: name,
            user: user,
            installation: installation,
            context: try ClickHouseEventStore.contextKey(installation, &row),
            matchesName: try row.uint8() != 0,
            values: try row.array { cell throws(RowFault) in try cell.string() }
        )
    }

    /// Converts a row to an event for the expectation's tally, including the values from its context.
    func event(_ row: Row, _ context: [[UInt8]: [UInt8]]?) -> ExpectationTally.Event {
        var next = 0
        let values = fields.map { field -> QueryValue? in
            switch field {
            case .attribute:
                defer { next += 1 }
                return row.values.indices.contains(next) ? QueryValue(columnBytes: row.values[next]) : nil
            case .context(let path):
                return context?[ColumnValues.name(of: path)].flatMap { QueryValue(columnBytes: $0) }
            // The parser of expectations rejects these fields.
            case .person, .cohort: return nil
            }
        }
        return ExpectationTally.Event(
            position: row.position,
            id: row.id,
            user: row.user,
            installation: row.installation,
            values: values
        )
    }
}
