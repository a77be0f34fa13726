// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The source of a value in a query.
public enum QueryField: Sendable, Hashable {
    /// An attribute of the event, or of the context's `global` object.
    ///
    /// Attributes in `global` apply to all events of the context.
    ///
    /// The event's own attribute takes precedence.
    case attribute(String)
    /// A member of the context, as a path such as `["app", "version"]`.
    ///
    /// The path starts at the outermost object.
    case context([String])
}

/// A condition on one field.
public struct QueryCondition: Sendable, Hashable {
    /// The comparison of a value with the operand.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// The value is present and equal to the operand.
        case equal = "="
        /// The opposite of `equal`; also holds when the value is absent.
        case notEqual = "≠"
        /// The value is less than the operand.
        case less = "<"
        /// The value is less than or equal to the operand.
        case lessOrEqual = "≤"
        /// The value is greater than the operand.
        case greater = ">"
        /// The value is greater than or equal to the operand.
        case greaterOrEqual = "≥"
    }

    /// The value to compare with.
    public enum Operand: Sendable, Hashable {
        /// Any value: `=` requires its presence, `≠` its absence.
        case any
        /// Text, as UTF-8.
        case text([UInt8])
        /// A number.
        ///
        /// The number also equals a string with exactly the same spelling.
        case number(JSONNumber, written: [UInt8])
        /// True or false.
        ///
        /// The operand also equals a string with exactly the same spelling.
        case boolean(Bool)
    }

    /// The field to compare.
    public var field: QueryField
    /// The comparison.
    public var comparison: Comparison
    /// The value to compare with.
    public var operand: Operand

    /// Creates a condition.
    public init(_ field: QueryField, _ comparison: Comparison, _ operand: Operand) {
        self.field = field
        self.comparison = comparison
        self.operand = operand
    }

    /// Whether the condition holds for a value; nil for no value.
    ///
    /// Numbers are ordered only against numbers, and strings only against strings, byte by byte.
    public func matches(_ value: QueryValue?) -> Bool {
        switch comparison {
        case .equal: isEqual(value)
        case .notEqual: !isEqual(value)
        case .less: isLess(value)
        case .greaterOrEqual: isOrdered(value) && !isLess(value)
        case .lessOrEqual: isOrdered(value) && (isLess(value) || isEqual(value))
        case .greater: isOrdered(value) && !isLess(value) && !isEqual(value)
        }
    }

    private func isEqual(_ value: QueryValue?) -> Bool {
        switch (operand, value) {
        case (.any, let value): value != nil
        case (.text(let wanted), .text(let text)): wanted == text
        case (.number(let wanted, _), .number(let number)): wanted.simplest == number
        case (.number(_, let wanted), .text(let text)): wanted == text
        case (.boolean(let wanted), .boolean(let flag)): wanted == flag
        case (.boolean(let wanted), .text(let text)): Array((wanted ? "true" : "false").utf8) == text
        case (.text, _), (.number, _), (.boolean, _): false
        }
    }

    private func isLess(_ value: QueryValue?) -> Bool {
        switch (operand, value) {
        case (.text(let wanted), .text(let text)): text.lexicographicallyPrecedes(wanted)
        case (.number(let wanted, _), .number(let number)): number.isLess(than: wanted)
        case (.any, _), (.text, _), (.number, _), (.boolean, _): false
        }
    }

    /// Whether the value and the operand can be ordered.
    private func isOrdered(_ value: QueryValue?) -> Bool {
        switch (operand, value) {
        case (.text, .text), (.number, .number): true
        case (.any, _), (.text, _), (.number, _), (.boolean, _): false
        }
    }
}

extension QueryCondition {
    /// Parses a condition such as `total>=12.5`.
    ///
    /// Further examples: `currency=CNY`, `zip:=0815`, `coupon=*`, `"a=b"≠x`, `context.app.version="2"`.
    ///
    /// The comparisons are `=`, `≠` (or `!=`), `<`, `≤` (or `<=`), `>`, `≥` (or `>=`), and `:=` for equality as text.
    /// Values have types as in `trackway send`: JSON numbers, `true`, `false` and `"…"` have their JSON types, and
    /// anything else is text; `*` is any value.
    ///
    /// - Parameters:
    ///   - text: the condition.
    ///   - parameter: the parameter's name, for the error.
    /// - Throws: ``InvalidQueryError`` with the reason.
    public init(_ text: String, parameter: String) throws(InvalidQueryError) {
        var reader = ConditionParser(text, parameter: parameter)
        let field = try reader.field(endsAtComparison: true)
        guard let (comparison, isText) = reader.comparison() else {
            throw reader.error("has no comparison: write total>=12.5, currency=CNY, or coupon=* for any value")
        }
        let operand = try reader.operand(isText: isText)
        switch (comparison, operand) {
        case (.equal, _), (.notEqual, _): break
        case (_, .text), (_, .number): break
        case (_, .any), (_, .boolean):
            throw reader.error("compares a value that has no order: use = or ≠, or a number or text")
        }
        self.init(field, comparison, operand)
    }
}

extension QueryField {
    /// Parses a field.
    ///
    /// A field is an attribute's name, a name as a JSON string (`"context.x"`), or `context.` followed by the path of a
    /// member.
    ///
    /// - Throws: ``InvalidQueryError`` with the reason.
    public init(_ text: String, parameter: String) throws(InvalidQueryError) {
        var reader = ConditionParser(text, parameter: parameter)
        self = try reader.field(endsAtComparison: false)
    }
}
