// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A row of a response, with its approximate size.
public protocol BudgetedRow {
    /// The row's approximate size in a response, in bytes.
    var responseBytes: Int { get }
}

/// The maximum size of a response.
///
/// A store stops at the row that exceeds the budget, so it reads no rows that are not returned. The client continues
/// after that row.
public enum ResponseBudget {
    /// The size of one response: 4 MiB.
    ///
    /// The row that exceeds this size is still included.
    public static let bytes = 4 << 20
}

extension Collection where Element: BudgetedRow {
    /// Whether these rows fill a response, so that more rows may exist.
    public func isFull(limit: Int) -> Bool {
        count >= limit || reduce(0) { $0 + $1.responseBytes } >= ResponseBudget.bytes
    }
}

extension JSONWriter {
    /// Writes the member `next`, the cursor after the last row.
    ///
    /// Writes nothing when the rows do not fill a response.
    public mutating func writeNextCursor<Row: BudgetedRow>(after rows: [Row], limit: Int, _ place: (Row) -> String) {
        guard let last = rows.last, rows.isFull(limit: limit) else { return }
        member("next", place(last))
    }
}
