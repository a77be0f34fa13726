// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// The events and columns that a query reads, as the innermost part of a statement.
///
/// The SQL works with ClickHouse 18.16 and later.
struct EventSelection {
    /// The last block to include; later blocks may be incomplete.
    let block: UInt64
    /// The time of arrival from which events are kept; nil if all are kept.
    private let retainedSince: Timestamp?
    private let filters: [QueryFilter]
    private let from: Timestamp?
    private let to: Timestamp
    private let columns: [String]
    private let fields: [QueryField]
    /// Whether the column `user` contains the user that each event belongs to.
    private let resolvesPeople: Bool
    private let merged: MergedUsers

    /// Creates a selection of the events that match one or more filters.
    ///
    /// - Parameters:
    ///   - from: The start of the time range; nil for everything before `to`.
    ///   - to: The end of the time range.
    ///   - requestedFields: Fields whose values are needed, in addition to those in conditions.
    ///   - columns: Columns that are needed, in addition to `time`, `user`, and `installation`.
    ///   - people: Whether the query counts people. The column `user` then contains the user that each event belongs to,
    ///     including events recorded before the user signed in.
    ///   - retainedSince: The time of arrival from which events are kept; nil if all are kept.
    ///   - merged: The merged users.
    init(
        _ filters: [QueryFilter],
        from: Timestamp?,
        to: Timestamp,
        fields requestedFields: [QueryField] = [],
        columns: [String] = [],
        people: Bool = false,
        block: UInt64,
        retainedSince: Timestamp?,
        merged: MergedUsers
    ) {
        self.merged = merged
        self.block = block
        self.retainedSince = retainedSince
        self.filters = filters
        self.from = from
        self.to = to
        self.columns = columns
        var fields = requestedFields
        for field in filters.flatMap(\.fields) where !fields.contains(field) { fields.append(field) }
        self.fields = fields
        resolvesPeople = people || filters.contains { $0.user != nil }
    }

    /// The condition that an event belongs to a person: a user or, without a user, an installation.
    static let personCondition = "(user != '' OR installation != \(SQLText.missingID))"
    /// The installation if no user was signed in; otherwise the missing id.
    static let visitor = "if(user = '', installation, \(SQLText.missingID)) AS visitor"

    /// Returns the column with a field's value; an empty literal for none.
    func column(_ field: QueryField?) -> String {
        field.flatMap { fields.firstIndex(of: $0) }.map { "f\($0)" } ?? "''"
    }

    /// Returns the condition that a selected event matches one of the filters.
    func condition(for filter: QueryFilter) -> String {
        var parts = filter.conditions.map { $0.sql(column) }
        // With a single filter, the innermost part already applies these conditions.
        if filters.count > 1 { parts += ownConditions(filter) }
        if let user = filter.user {
            // No user's id is empty; an empty one means that no user was signed in.
            parts.append(user.isEmpty ? "0" : "user = \(SQLText.literal(merged.root(of: user)))")
        }
        return parts.isEmpty ? "1" : "(" + parts.joined(separator: " AND ") + ")"
    }

    private func ownConditions(_ filter: QueryFilter) -> [String] {
        var parts: [String] = []
        if !filter.names.isEmpty {
            parts.append("name IN (\(filter.names.map { SQLText.literal($0) }.joined(separator: ", ")))")
        }
        if let installation = filter.installation { parts.append("installation = \(SQLText.literal(installation))") }
        return parts
    }

    /// Returns the condition that an event can belong to the filter's user; nil for any user.
    private func userCondition(_ filter: QueryFilter) -> String? {
        guard let user = filter.user else { return nil }
        let isPerson = KeySQL.isUser(merged.ids(of: user))
        return "(\(isPerson) OR (user = '' AND installation IN "
            + "(SELECT installation FROM sign_ins WHERE \(isPerson) AND block <= \(block))))"
    }

    private var needsName: Bool { filters.count > 1 && filters.contains { !$0.names.isEmpty } }

    /// The conditions that all filters share.
    private var sharedConditions: [String] {
        guard filters.count > 1 else { return filters.flatMap(ownConditions) + filters.compactMap(userCondition) }
        guard filters.allSatisfy({ !$0.names.isEmpty }) else { return [] }
        var names: [String] = []
        for name in filters.flatMap(\.names) where !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            names.append(name)
        }
        return ownConditions(QueryFilter(names: names))
    }

    /// `(SELECT … FROM events …)`, joined with context values and periods if these are needed.
    var sql: String {
        var own = ["time", "installation"]
        for column in columns + (needsName ? ["name"] : []) where !own.contains(column) { own.append(column) }
        var selected = own + (resolvesPeople ? [PersonSQL.eventColumns] : ["user"])
        var valueColumns: [String] = []
        var contextColumns: [String] = []
        for (number, field) in fields.enumerated() {
            valueColumns.append("f\(number)")
            switch field {
            case .attribute(let name): selected.append("\(Self.value(Array(name.utf8))) AS f\(number)")
            case .context(let path): contextColumns.append("\(Self.value(ColumnValues.name(of: path))) AS f\(number)")
            // ``PeopleSupport`` rejects these fields before a query runs.
            case .person, .cohort: selected.append("'' AS f\(number)")
            }
        }
        if !contextColumns.isEmpty { selected.append("context") }
        var prewhere = ["block <= \(block)", "time < \(to.milliseconds)"]
        if let from { prewhere.append("time >= \(from.milliseconds)") }
        if let retainedSince { prewhere.append("received >= \(retainedSince.milliseconds)") }
        prewhere += sharedConditions
        // Rows with the same position are equal, so PREWHERE may drop them before FINAL merges them.
        let events =
            "(SELECT \(selected.joined(separator: ", ")) FROM events FINAL PREWHERE \(prewhere.joined(separator: " AND ")) "
            + "WHERE installation NOT IN (SELECT installation FROM erasures))"
        var source = events
        if !contextColumns.isEmpty {
            let contexts =
                "(SELECT installation, context, \(contextColumns.joined(separator: ", ")) FROM contexts WHERE block <= \(block))"
            // Newer versions require names for joined tables.
            source = "\(events) AS e ANY LEFT JOIN \(contexts) AS c USING (installation, context)"
        }
        guard resolvesPeople else { return source }
        let all = own + valueColumns
        if !contextColumns.isEmpty {
            source = "(SELECT \((all + ["signed", "anonymous"]).joined(separator: ", ")) FROM \(source))"
        }
        return "(\(PersonSQL.resolve(source, columns: all, upTo: block, merged)))"
    }

    private static func value(_ name: [UInt8]) -> String { "values[indexOf(names, \(SQLText.literal(name)))]" }
}
