// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Which events a question looks at, and what of them, as the innermost part of a statement. In SQL that versions from 18.16 on take.
struct EventSelection {
    /// The last block whose events count: those behind it may be half there.
    let block: UInt64
    /// From when on events are kept by when they arrived; nil for all.
    private let kept: Timestamp?
    private let filters: [QuestionFilter]
    private let from: Timestamp?
    private let to: Timestamp
    private let columns: [String]
    private let fields: [QuestionField]

    /// The events of one filter, or of several.
    ///
    /// - Parameters:
    ///   - from: The first moment; nil for everything before `to`.
    ///   - to: The end.
    ///   - fields: Whose values are wanted beside those in conditions.
    ///   - columns: What is wanted beside `time`, `user` and `installation`.
    ///   - kept: From when on events are kept by when they arrived; nil for all.
    init(
        _ filters: [QuestionFilter],
        from: Timestamp?,
        to: Timestamp,
        fields wanted: [QuestionField] = [],
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

    /// That an event counts for a person, and who that is: the user, else the installation.
    static let isSomebodys = "(user != '' OR installation != \(SQLText.nobody))"
    /// The installation as a person; nobody's id where a user was signed in.
    static let visitor = "if(user = '', installation, \(SQLText.nobody)) AS visitor"

    /// The column with a field's value; empty where there is none.
    func column(_ field: QuestionField?) -> String {
        field.flatMap { fields.firstIndex(of: $0) }.map { "f\($0)" } ?? "''"
    }

    /// That a selected event belongs to one of the filters.
    func holds(_ filter: QuestionFilter) -> String {
        var parts = filter.conditions.map { $0.sql(column($0.field)) }
        // What all filters have in common is seen to further inside.
        if filters.count > 1 { parts += place(filter) }
        return parts.isEmpty ? "1" : "(" + parts.joined(separator: " AND ") + ")"
    }

    private func place(_ filter: QuestionFilter) -> [String] {
        var parts: [String] = []
        if !filter.names.isEmpty {
            parts.append("name IN (\(filter.names.map { SQLText.literal($0) }.joined(separator: ", ")))")
        }
        if let user = filter.user {
            // Nobody's id is empty; where it is, nobody was signed in.
            parts.append(user.isEmpty ? "0" : "user = \(SQLText.literal(user))")
        }
        if let installation = filter.installation { parts.append("installation = \(SQLText.literal(installation))") }
        return parts
    }

    private var needsName: Bool { filters.count > 1 && filters.contains { !$0.names.isEmpty } }

    /// What narrows all filters at once.
    private var common: [String] {
        guard filters.count > 1 else { return filters.flatMap(place) }
        guard filters.allSatisfy({ !$0.names.isEmpty }) else { return [] }
        var names: [String] = []
        for name in filters.flatMap(\.names) where !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            names.append(name)
        }
        return place(QuestionFilter(names: names))
    }

    /// `(SELECT … FROM events …)`, with the values of contexts beside it where they are asked for.
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
        // Rows of one place are equal, so they may be left out before they are joined.
        let events =
            "(SELECT \(wanted.joined(separator: ", ")) FROM events FINAL PREWHERE \(narrowed.joined(separator: " AND ")) "
            + "WHERE installation NOT IN (SELECT installation FROM erasures))"
        guard !ofContexts.isEmpty else { return events }
        let contexts =
            "(SELECT installation, context, \(ofContexts.joined(separator: ", ")) FROM contexts WHERE block <= \(block))"
        // Newer versions want names for what is joined.
        return "\(events) AS e ANY LEFT JOIN \(contexts) AS c USING (installation, context)"
    }

    private static func value(_ name: [UInt8]) -> String { "values[indexOf(names, \(SQLText.literal(name)))]" }
}
