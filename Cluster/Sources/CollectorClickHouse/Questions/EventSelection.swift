// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// The events and columns that a query reads, as the innermost part of a statement.
///
/// The SQL works with versions from 18.16 on.
struct EventSelection {
    /// The last block to include; later blocks may be incomplete.
    let block: UInt64
    /// The time of arrival from which events are kept; nil for all.
    private let kept: Timestamp?
    private let filters: [QueryFilter]
    private let from: Timestamp?
    private let to: Timestamp
    private let columns: [String]
    private let fields: [QueryField]

    /// Creates a selection of the events of one filter or several.
    ///
    /// - Parameters:
    ///   - from: The start of the time range; nil for everything before `to`.
    ///   - to: The end of the time range.
    ///   - fields: Fields whose values are needed, in addition to those in conditions.
    ///   - columns: Columns that are needed, in addition to `time`, `user` and `installation`.
    ///   - kept: The time of arrival from which events are kept; nil for all.
    init(
        _ filters: [QueryFilter],
        from: Timestamp?,
        to: Timestamp,
        fields wanted: [QueryField] = [],
        columns: [String] = [],
        block: UInt64,
        kept: Timestamp?
    ) {
        self.block = block
        self.kept = kept
        self.filters = filters
        self.from = from
        self.to = to
        self.columns = columns
        var fields = wanted
        for field in filters.flatMap(\.conditions).map(\.field) where !fields.contains(field) { fields.append(field) }
        self.fields = fields
    }

    /// The condition that an event counts for a person: a user, or else an installation.
    static let isSomebodys = "(user != '' OR installation != \(SQLText.nobody))"
    /// The installation as a person; the missing id if a user was signed in.
    static let visitor = "if(user = '', installation, \(SQLText.nobody)) AS visitor"

    /// Returns the column with a field's value, or an empty text.
    func column(_ field: QueryField?) -> String {
        field.flatMap { fields.firstIndex(of: $0) }.map { "f\($0)" } ?? "''"
    }

    /// Returns the condition that a selected event belongs to one of the filters.
    func holds(_ filter: QueryFilter) -> String {
        var parts = filter.conditions.map { $0.sql(column($0.field)) }
        // The innermost part already applies what all filters have in common.
        if filters.count > 1 { parts += place(filter) }
        return parts.isEmpty ? "1" : "(" + parts.joined(separator: " AND ") + ")"
    }

    private func place(_ filter: QueryFilter) -> [String] {
        var parts: [String] = []
        if !filter.names.isEmpty {
            parts.append("name IN (\(filter.names.map { SQLText.literal($0) }.joined(separator: ", ")))")
        }
        if let user = filter.user {
            // No user's id is empty; an empty one means that no user was signed in.
            parts.append(user.isEmpty ? "0" : "user = \(SQLText.literal(user))")
        }
        if let installation = filter.installation { parts.append("installation = \(SQLText.literal(installation))") }
        return parts
    }

    private var needsName: Bool { filters.count > 1 && filters.contains { !$0.names.isEmpty } }

    /// The conditions that all filters share.
    private var common: [String] {
        guard filters.count > 1 else { return filters.flatMap(place) }
        guard filters.allSatisfy({ !$0.names.isEmpty }) else { return [] }
        var names: [String] = []
        for name in filters.flatMap(\.names) where !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            names.append(name)
        }
        return place(QueryFilter(names: names))
    }

    /// `(SELECT … FROM events …)`, joined with values of contexts if they are needed.
    var sql: String {
        var wanted = ["time", "user", "installation"]
        for column in columns + (needsName ? ["name"] : []) where !wanted.contains(column) { wanted.append(column) }
        var ofContexts: [String] = []
        for (number, field) in fields.enumerated() {
            switch field {
            case .attribute(let name): wanted.append("\(Self.value(Array(name.utf8))) AS f\(number)")
            case .context(let path): ofContexts.append("\(Self.value(ColumnValues.name(of: path))) AS f\(number)")
            }
        }
        if !ofContexts.isEmpty { wanted.append("context") }
        var narrowed = ["block <= \(block)", "time < \(to.milliseconds)"]
        if let from { narrowed.append("time >= \(from.milliseconds)") }
        if let kept { narrowed.append("received >= \(kept.milliseconds)") }
        narrowed += common
        // Rows with one position are equal, so PREWHERE may drop them before FINAL merges them.
        let events =
            "(SELECT \(wanted.joined(separator: ", ")) FROM events FINAL PREWHERE \(narrowed.joined(separator: " AND ")) "
            + "WHERE installation NOT IN (SELECT installation FROM erasures))"
        guard !ofContexts.isEmpty else { return events }
        let contexts =
            "(SELECT installation, context, \(ofContexts.joined(separator: ", ")) FROM contexts WHERE block <= \(block))"
        // Newer versions require names for joined tables.
        return "\(events) AS e ANY LEFT JOIN \(contexts) AS c USING (installation, context)"
    }

    private static func value(_ name: [UInt8]) -> String { "values[indexOf(names, \(SQLText.literal(name)))]" }
}
