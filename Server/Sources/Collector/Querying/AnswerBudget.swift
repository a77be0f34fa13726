// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A row of an answer, with about as many bytes as it takes there.
public protocol BudgetedRow {
    /// Bytes in the answer, roughly.
    var answerBytes: Int { get }
}

/// How long an answer may be. A store stops at the row that passes the budget, so that nothing is read that is not shown;
/// the reader continues from there.
public enum AnswerBudget {
    /// The bytes of one answer: 4 MiB, and the one row that passes them.
    public static let bytes = 4 << 20
}

extension Collection where Element: BudgetedRow {
    /// Whether these rows fill an answer, so that the store may have stopped before it had all.
    public func isFull(limit: Int) -> Bool {
        count >= limit || reduce(0) { $0 + $1.answerBytes } >= AnswerBudget.bytes
    }
}

extension JSONWriter {
    /// The member `next`, by which a reader goes on behind the last of these rows; none when they do not fill an answer.
    public mutating func next<Row: BudgetedRow>(behind rows: [Row], limit: Int, _ place: (Row) -> String) {
        guard let last = rows.last, rows.isFull(limit: limit) else { return }
        member("next", place(last))
    }
}
