// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB

extension RawStatement {
    /// Transforms the rows until the result reaches its size limit.
    ///
    /// Rows for which `transform` returns nil are skipped.
    func collectWithinBudget<Row: BudgetedRow>(_ transform: (RawStatement) throws -> Row?) throws -> [Row] {
        defer { reset() }
        return try ResponseBudget.rows { () throws -> Row? in
            while try step() {
                if let row = try transform(self) { return row }
            }
            return nil
        }
    }
}

extension Cursor {
    /// Transforms the rows until the result reaches its size limit.
    ///
    /// Rows for which `transform` returns nil are skipped.
    func collectWithinBudget<Row: BudgetedRow>(_ transform: (Element) throws -> Row?) throws -> [Row] {
        try ResponseBudget.rows { () throws -> Row? in
            while let element = try next() {
                if let row = try transform(element) { return row }
            }
            return nil
        }
    }
}

extension ResponseBudget {
    /// Collects rows from `next` until it returns nil or the rows fill a response.
    fileprivate static func rows<Row: BudgetedRow>(_ next: () throws -> Row?) throws -> [Row] {
        var rows: [Row] = []
        var bytes = 0
        while bytes < Self.bytes, let row = try next() {
            bytes += row.responseBytes
            rows.append(row)
        }
        return rows
    }
}
