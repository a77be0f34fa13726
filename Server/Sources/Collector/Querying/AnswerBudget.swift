// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A row of an answer, with about as many bytes as it takes there.
package protocol BudgetedRow {
    /// Bytes in the answer, roughly.
    var answerBytes: Int { get }
}

/// How long an answer may be. A store stops at the row that passes the budget, so that nothing is read that is not shown;
/// whoever asks goes on from there.
package enum AnswerBudget {
    /// The bytes of one answer: 4 MiB, and the one row that passes them.
    package static let bytes = 4 << 20
}

extension Collection where Element: BudgetedRow {
    /// Whether these rows fill an answer, so that the store may have stopped before it had all.
    package func isFull(limit: Int) -> Bool {
        count >= limit || reduce(0) { $0 + $1.answerBytes } >= AnswerBudget.bytes
    }
}

extension StoredEvent: BudgetedRow {
    package var answerBytes: Int { 256 + json.count + context.count }
}

extension FailedEvent: BudgetedRow {
    // What is no text is written with replacement characters.
    package var answerBytes: Int { 256 + message.utf8.count + 3 * content.count }
}

extension LedgerRow: BudgetedRow {
    package var answerBytes: Int { 320 + 24 * gaps.count + 48 * dropped.count }
}

extension StoredSession: BudgetedRow {
    package var answerBytes: Int {
        let texts = screens.reduce(0) { sum, screen in
            sum + 96 + screen.name.utf8.count + (screen.id?.utf8.count ?? 0) + (screen.uniqueID?.utf8.count ?? 0)
        }
        return 256 + texts + 128 * launches.count + users.reduce(0) { $0 + $1.utf8.count + 4 }
    }
}

extension StoredUser: BudgetedRow {
    package var answerBytes: Int {
        256 + 40 * installations.count + attributes.reduce(0) { $0 + 48 + $1.name.utf8.count + $1.value.count }
    }
}

extension StoredDevice: BudgetedRow {
    package var answerBytes: Int { 512 }
}
