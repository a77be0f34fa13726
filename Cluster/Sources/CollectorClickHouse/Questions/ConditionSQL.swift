// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

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
        case .equal: return isEqual(column)
        case .notEqual: return "NOT \(isEqual(column))"
        case .less, .lessOrEqual, .greater, .greaterOrEqual: break
        }
        let wanted: [UInt8]
        let kind: UInt8
        switch operand {
        case .text(let text): (wanted, kind) = (QueryValue.text(text).columnBytes, QueryValue.Mark.text)
        case .number(let number, _):
            (wanted, kind) = (QueryValue.number(number).columnBytes, QueryValue.Mark.number)
        // No value is less or greater than these.
        case .any, .boolean: return "0"
        }
        // Only values of the same type are compared: they begin with its mark.
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
        let wanted: [QueryValue]
        switch operand {
        case .any: return "(\(column) != '')"
        case .text(let text): wanted = [.text(text)]
        case .number(let number, let written): wanted = [.number(number), .text(written)]
        case .boolean(let flag): wanted = [.boolean(flag), .text(Array((flag ? "true" : "false").utf8))]
        }
        return "(" + wanted.map { "\(column) = \(SQLText.literal($0.columnBytes))" }.joined(separator: " OR ") + ")"
    }
}
