// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// What must hold of a value, as an expression of SQL over a column of ``QuestionValue/columnBytes``.
///
/// As these are equal for equal values, and sort as the values do, every comparison is one of bytes, and exact.
extension QuestionCondition {
    /// The condition of a column with the field's value; it is empty where there is none.
    func sql(_ column: String) -> String {
        switch comparison {
        case .equal: return isEqual(column)
        case .notEqual: return "NOT \(isEqual(column))"
        case .less, .lessOrEqual, .greater, .greaterOrEqual: break
        }
        let wanted: [UInt8]
        let kind: UInt8
        switch operand {
        case .text(let text): (wanted, kind) = (QuestionValue.text(text).columnBytes, QuestionValue.Mark.text)
        case .number(let number, _):
            (wanted, kind) = (QuestionValue.number(number).columnBytes, QuestionValue.Mark.number)
        // Nothing is less or greater than these.
        case .any, .boolean: return "0"
        }
        // Only values of the same kind are compared: they begin with its mark.
        let isOfKind = "\(column) >= \(SQLText.literal([kind])) AND \(column) < \(SQLText.literal([kind + 1]))"
        let sign =
            switch comparison {
            case .less: "<"
            case .lessOrEqual: "<="
            case .greater: ">"
            case .greaterOrEqual, .equal, .notEqual: ">="
            }
        return "(\(isOfKind) AND \(column) \(sign) \(SQLText.literal(wanted)))"
    }

    private func isEqual(_ column: String) -> String {
        let wanted: [QuestionValue]
        switch operand {
        case .any: return "(\(column) != '')"
        case .text(let text): wanted = [.text(text)]
        case .number(let number, let written): wanted = [.number(number), .text(written)]
        case .boolean(let flag): wanted = [.boolean(flag), .text(Array((flag ? "true" : "false").utf8))]
        }
        return "(" + wanted.map { "\(column) = \(SQLText.literal($0.columnBytes))" }.joined(separator: " OR ") + ")"
    }
}
