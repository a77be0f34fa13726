// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Where a question finds a value.
public enum QuestionField: Sendable, Hashable {
    /// An attribute of the event, else the attribute of all events (`global` in the context) of this name.
    case attribute(String)
    /// A member of the context, from the outermost on: `["app", "version"]`.
    case context([String])
}

/// What must hold of one field.
public struct QuestionCondition: Sendable, Hashable {
    /// How a value is compared.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// It is there and equal.
        case equal = "="
        /// The opposite of `equal`: also holds where there is no value.
        case notEqual = "≠"
        /// It is less.
        case less = "<"
        /// It is less or equal.
        case lessOrEqual = "≤"
        /// It is greater.
        case greater = ">"
        /// It is greater or equal.
        case greaterOrEqual = "≥"
    }

    /// What values are compared with.
    public enum Operand: Sendable, Hashable {
        /// Any value: `=` holds where there is one, `≠` where there is none.
        case any
        /// Text, as UTF-8.
        case text([UInt8])
        /// A number; equal to a text, too, that is written exactly so.
        case number(JSONNumber, written: [UInt8])
        /// True or false; equal to a text, too, that is written exactly so.
        case boolean(Bool)
    }

    /// Where the value is found.
    public var field: QuestionField
    /// How it is compared.
    public var comparison: Comparison
    /// With what.
    public var operand: Operand

    /// A condition.
    public init(_ field: QuestionField, _ comparison: Comparison, _ operand: Operand) {
        self.field = field
        self.comparison = comparison
        self.operand = operand
    }

    /// Whether it holds of a value; nil where there is none.
    ///
    /// Numbers are less or greater than numbers only, and texts than texts, byte by byte.
    public func holds(of value: QuestionValue?) -> Bool {
        switch comparison {
        case .equal: isEqual(value)
        case .notEqual: !isEqual(value)
        case .less: isLess(value)
        case .greaterOrEqual: isOrdered(value) && !isLess(value)
        case .lessOrEqual: isOrdered(value) && (isLess(value) || isEqual(value))
        case .greater: isOrdered(value) && !isLess(value) && !isEqual(value)
        }
    }

    private func isEqual(_ value: QuestionValue?) -> Bool {
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

    private func isLess(_ value: QuestionValue?) -> Bool {
        switch (operand, value) {
        case (.text(let wanted), .text(let text)): text.lexicographicallyPrecedes(wanted)
        case (.number(let wanted, _), .number(let number)): number.isLess(than: wanted)
        case (.any, _), (.text, _), (.number, _), (.boolean, _): false
        }
    }

    /// Whether a value is of the kind that is compared.
    private func isOrdered(_ value: QuestionValue?) -> Bool {
        switch (operand, value) {
        case (.text, .text), (.number, .number): true
        case (.any, _), (.text, _), (.number, _), (.boolean, _): false
        }
    }
}

extension QuestionCondition {
    /// Reads `total>=12.5`, `currency=CNY`, `zip:=0815`, `coupon=*`, `"a=b"≠x` or `context.app.version="2"`.
    ///
    /// The comparisons are `=`, `≠` (or `!=`), `<`, `≤` (or `<=`), `>`, `≥` (or `>=`), and `:=` for an equal text. A value is typed as in
    /// `trackway send`: what JSON calls a number, `true`, `false` or `"…"` is that, anything else text; `*` is any value.
    ///
    /// - Parameters:
    ///   - text: the condition.
    ///   - parameter: the parameter's name, for the error.
    /// - Throws: ``QuestionError`` with what is wrong.
    public init(_ text: String, parameter: String) throws(QuestionError) {
        var reader = QuestionTextReader(text, parameter: parameter)
        let field = try reader.field(endsAtComparison: true)
        guard let (comparison, isText) = reader.comparison() else {
            throw reader.error("has no comparison: write total>=12.5, currency=CNY, or coupon=* for any value")
        }
        let operand = try reader.operand(isText: isText)
        switch (comparison, operand) {
        case (.equal, _), (.notEqual, _): break
        case (_, .text), (_, .number): break
        case (_, .any), (_, .boolean):
            throw reader.error("compares by size what has none: use = or ≠, or a number or text")
        }
        self.init(field, comparison, operand)
    }
}

extension QuestionField {
    /// Reads an attribute's name, a name as JSON text (`"context.x"`), or `context.` and the path of a member.
    ///
    /// - Throws: ``QuestionError`` with what is wrong.
    public init(_ text: String, parameter: String) throws(QuestionError) {
        var reader = QuestionTextReader(text, parameter: parameter)
        self = try reader.field(endsAtComparison: false)
    }
}
