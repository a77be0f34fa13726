// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// A query's conditions as SQL with bound values. No text of a query ever becomes part of the SQL.
struct EventFilter {
    private(set) var sql: String
    private var bindings: [(RawStatement, Int32) -> Void] = []

    /// The conditions of `query` on the `events` table (as `e`).
    ///
    /// - Parameter paging: whether `after` and `order` count too.
    init(_ query: EventQuery, paging: Bool) {
        var conditions: [String] = []
        var bindings: [(RawStatement, Int32) -> Void] = []
        func add(_ condition: String, _ binding: @escaping (RawStatement, Int32) -> Void) {
            conditions.append(condition)
            bindings.append(binding)
        }
        if let name = query.name { add("e.name = ?") { $0.bind($1, name) } }
        if let id = query.installation {
            add("e.installation = (SELECT number FROM installations WHERE id = ?)") { $0.bind($1, id) }
        }
        if let user = query.user { add("e.user = ?") { $0.bind($1, user) } }
        if let session = query.session { add("e.session = ?") { $0.bind($1, session) } }
        if let project = query.project {
            add("e.context IN (SELECT number FROM contexts WHERE project = ?)") { $0.bind($1, project) }
        }
        if let from = query.from { add("e.time >= ?") { $0.bind($1, from.milliseconds) } }
        if let to = query.to { add("e.time < ?") { $0.bind($1, to.milliseconds) } }
        if paging, let after = query.after {
            switch query.order {
            case .oldestFirst: add("e.position > ?") { $0.bind($1, after.rawValue) }
            case .newestFirst: add("e.position < ?") { $0.bind($1, after.rawValue) }
            }
        }
        sql = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        self.bindings = bindings
    }

    /// Binds the values from the first parameter on; returns the number of the next one.
    func bind(to statement: RawStatement) -> Int32 {
        for (index, binding) in bindings.enumerated() { binding(statement, Int32(index + 1)) }
        return Int32(bindings.count + 1)
    }
}
