// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB

extension Cursor {
    /// What becomes of each row, as many as an answer has room for.
    func withinBudget<Answer: BudgetedRow>(_ transform: (Element) throws -> Answer?) throws -> [Answer] {
        var rows: [Answer] = []
        var bytes = 0
        while bytes < AnswerBudget.bytes, let element = try next() {
            guard let row = try transform(element) else { continue }
            bytes += row.answerBytes
            rows.append(row)
        }
        return rows
    }
}
