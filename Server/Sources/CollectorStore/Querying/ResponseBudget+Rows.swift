// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB

extension RawStatement {
    /// Transforms the rows until the result reaches its size limit.
    ///
    /// Rows for which `transform` returns nil are skipped.
    func collectWithinBudget<Answer: BudgetedRow>(_ transform: (RawStatement) throws -> Answer?) throws -> [Answer] {
        defer { reset() }
        return try ResponseBudget.rows { () throws -> Answer? in
            while try step() {
                if let answer = try transform(self) { return answer }
            }
            return nil
        }
    }
}

extension Cursor {
    /// Transforms the rows until the result reaches its size limit.
    ///
    /// Rows for which `transform` returns nil are skipped.
    func collectWithinBudget<Answer: BudgetedRow>(_ transform: (Element) throws -> Answer?) throws -> [Answer] {
        try ResponseBudget.rows { () throws -> Answer? in
            while let element = try next() {
                if let answer = try transform(element) { return answer }
            }
            return nil
        }
    }
}

extension ResponseBudget {
    /// Collects rows from `next` until it returns nil or the rows fill a response.
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
