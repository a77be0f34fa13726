// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB

extension RawStatement {
    /// What becomes of each row, as many as an answer has room for. Rows for which `transform` gives nil are left out.
    func withinBudget<Answer: BudgetedRow>(_ transform: (RawStatement) throws -> Answer?) throws -> [Answer] {
        defer { reset() }
        return try AnswerBudget.rows { () throws -> Answer? in
            while try step() {
                if let answer = try transform(self) { return answer }
            }
            return nil
        }
    }
}

extension Cursor {
    /// What becomes of each row, as many as an answer has room for. Rows for which `transform` gives nil are left out.
    func withinBudget<Answer: BudgetedRow>(_ transform: (Element) throws -> Answer?) throws -> [Answer] {
        try AnswerBudget.rows { () throws -> Answer? in
            while let element = try next() {
                if let answer = try transform(element) { return answer }
            }
            return nil
        }
    }
}

extension AnswerBudget {
    /// The rows of `next` until it has no more, or until they fill an answer.
    fileprivate static func rows<Answer: BudgetedRow>(_ next: () throws -> Answer?) throws -> [Answer] {
        var rows: [Answer] = []
        var bytes = 0
        while bytes < Self.bytes, let row = try next() {
            bytes += row.answerBytes
            rows.append(row)
        }
        return rows
    }
}
