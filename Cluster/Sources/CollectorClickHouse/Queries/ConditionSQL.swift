// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Conditions on values, as SQL expressions over a column of ``QueryValue/columnBytes``.
///
/// These bytes are equal for equal values, and sort as the values do. Every comparison is therefore an exact comparison
/// of bytes.
extension QueryCondition {
    /// Returns the condition on a column with the field's value.
    ///
    /// The column is empty for a missing value.
    func sql(_ column: String) -> String {
        switch comparison {
        case .equal: return equalCondition(column)
        case .notEqual: return "NOT \(equalCondition(column))"
        case .less, .lessOrEqual, .greater, .greaterOrEqual: break
        }
        let operandBytes: [UInt8]
        let kind: UInt8
        switch operand {
        case .text(let text): (operandBytes, kind) = (QueryValue.text(text).columnBytes, QueryValue.Mark.text)
        case .number(let number, _):
            (operandBytes, kind) = (QueryValue.number(number).columnBytes, QueryValue.Mark.number)
        // These operands have no order, so no value is less or greater.
        case .any, .boolean: return "0"
        }
        // Only values of the same type, which begin with the same mark, are compared.
        let hasSameKind = "\(column) >= \(SQLText.literal([kind])) AND \(column) < \(SQLText.literal([kind + 1]))"
        let comparator =
            switch comparison {
            case .less: "<"
            case .lessOrEqual: "<="
            case .greater: ">"
            case .greaterOrEqual, .equal, .notEqual: ">="
            }
        return "(\(hasSameKind) AND \(column) \(comparator) \(SQLText.literal(operandBytes)))"
    }

    private func equalCondition(_ column: String) -> String {
        let values: [QueryValue]
        switch operand {
        case .any: return "(\(column) != '')"
        case .text(let text): values = [.text(text)]
        case .number(let number, let written): values = [.number(number), .text(written)]
        case .boolean(let flag): values = [.boolean(flag), .text(Array((flag ? "true" : "false").utf8))]
        }
        return "(" + values.map { "\(column) = \(SQLText.literal($0.columnBytes))" }.joined(separator: " OR ") + ")"
    }
}
