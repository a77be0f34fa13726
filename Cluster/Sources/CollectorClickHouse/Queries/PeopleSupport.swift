// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore

/// Checks for queries that ClickHouse does not answer.
///
/// Its tables have neither the values of people nor the groups of events in a form that queries can count.
enum PeopleSupport {
    /// Throws if a field is a value of people or a cohort.
    static func check(_ fields: [QueryField], parameter: String = "where") throws(StoreError) {
        guard fields.contains(where: \.isOfPerson) else { return }
        throw .unsupported(
            parameter,
            "ClickHouse does not answer queries with “person.…” or “cohort”: leave them out, or query a collector on "
                + "one machine."
        )
    }

    /// Throws if a filter has conditions on people, or the query counts groups.
    static func check(_ filters: [QueryFilter], _ unit: QueryUnit = .person) throws(StoreError) {
        try check(filters.flatMap(\.fields))
        guard unit == .person else { throw groupsUnsupported("unit") }
    }

    /// Throws if a trend reads values of people, or counts groups.
    static func check(_ query: TrendQuery) throws(StoreError) {
        try check([query.filter])
        try check(query.grouping)
        if let field = query.measure.field { try check([field], parameter: "measure") }
        if case .groups = query.measure { throw groupsUnsupported("measure") }
    }

    /// Throws if a grouping reads values of people, or has several fields.
    static func check(_ grouping: TrendQuery.Grouping?) throws(StoreError) {
        guard let grouping else { return }
        try check(grouping.fields, parameter: "by")
        guard grouping.furtherFields.isEmpty else {
            throw .unsupported(
                "by",
                "ClickHouse groups by one field: write “by” once, or query a collector on one machine."
            )
        }
    }

    private static func groupsUnsupported(_ parameter: String) -> StoreError {
        .unsupported(
            parameter,
            "ClickHouse does not count groups: count people, or query a collector on one machine."
        )
    }
}

extension ClickHouseEventStore {
    /// Throws, because the tables do not have what an inventory counts.
    package func inventory() async throws(StoreError) -> DataInventory {
        throw .unsupported("inventory", "ClickHouse does not take inventory: query a collector on one machine.")
    }
}
