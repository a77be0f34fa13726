// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Conditions on values, as SQL expressions over a column of ``QueryValue/columnBytes``.
///
/// These bytes are equal for equal values, and sort as the values do. Every comparison is therefore an exact comparison
/// of bytes.
extension QueryCondition {
    /// Returns the condition, with its alternatives, on columns with the fields' values.
    ///
    /// A column is empty for a missing value.
    ///
    /// - Parameter column: returns the column of a field.
    func sql(_ column: (QueryField) -> String) -> String {
        let parts = [ownSQL(column(field))] + alternatives.map { $0.ownSQL(column($0.field)) }
        return parts.count == 1 ? parts[0] : "(" + parts.joined(separator: " OR ") + ")"
    }

    /// Returns the condition without its alternatives.
    private func ownSQL(_ column: String) -> String {
        switch comparison {
        case .equal: return Self.equalCondition(operand, column)
        case .notEqual: return "NOT \(Self.equalCondition(operand, column))"
        case .contains: return Self.containsCondition(operand, column)
        case .notContains: return "NOT \(Self.containsCondition(operand, column))"
        case .less, .lessOrEqual, .greater, .greaterOrEqual: break
        }
        let operandBytes: [UInt8]
        let kind: UInt8
        switch operand {
        case .text(let text): (operandBytes, kind) = (QueryValue.text(text).columnBytes, QueryValue.Mark.text)
        case .number(let number, _):
            (operandBytes, kind) = (QueryValue.number(number).columnBytes, QueryValue.Mark.number)
        // These operands have no order, so no value is less or greater.
        case .any, .boolean, .list: return "0"
        }
        // Only values of the same type, which begin with the same mark, are compared.
        let hasSameKind = "\(column) >= \(SQLText.literal([kind])) AND \(column) < \(SQLText.literal([kind + 1]))"
        let comparator =
            switch comparison {
            case .less: "<"
            case .lessOrEqual: "<="
            case .greater: ">"
            case .greaterOrEqual, .equal, .notEqual, .contains, .notContains: ">="
            }
        return "(\(hasSameKind) AND \(column) \(comparator) \(SQLText.literal(operandBytes)))"
    }

    private static func equalCondition(_ operand: Operand, _ column: String) -> String {
        let values: [QueryValue]
        switch operand {
        case .any: return "(\(column) != '')"
        case .list(let operands):
            return "(" + operands.map { equalCondition($0, column) }.joined(separator: " OR ") + ")"
        case .text(let text): values = [.text(text)]
        case .number(let number, let written): values = [.number(number), .text(written)]
        case .boolean(let flag): values = [.boolean(flag), .text(Array((flag ? "true" : "false").utf8))]
        }
        return "(" + values.map { "\(column) = \(SQLText.literal($0.columnBytes))" }.joined(separator: " OR ") + ")"
    }

    private static func containsCondition(_ operand: Operand, _ column: String) -> String {
        switch operand {
        case .list(let operands):
            return "(" + operands.map { containsCondition($0, column) }.joined(separator: " OR ") + ")"
        case .text(let word):
            // The mark of the type is not part of the text.
            return "(substring(\(column), 1, 1) = \(SQLText.literal([QueryValue.Mark.text])) AND "
                + "positionCaseInsensitive(substring(\(column), 2), \(SQLText.literal(word))) > 0)"
        case .any, .number, .boolean: return "0"
        }
    }
}
