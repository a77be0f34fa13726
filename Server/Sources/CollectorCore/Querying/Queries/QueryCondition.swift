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
    /// A value of the event's person.
    case person(PersonField)
    /// Whether the event's person belongs to the saved cohort.
    ///
    /// The value is true, or missing.
    case cohort(String)
}

/// A condition on one field, or several of which one must hold.
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
        /// The value is text that contains the operand.
        ///
        /// The case of A–Z is ignored.
        case contains = "~"
        /// The opposite of `contains`.
        ///
        /// It also holds when the value is absent or is not text.
        case notContains = "!~"
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
        /// Any of these values, each one text, a number or a boolean.
        ///
        /// `≠` and `!~` hold if the value equals, or contains, none of them.
        case list([Operand])
    }

    /// The field to compare.
    public var field: QueryField
    /// The comparison.
    public var comparison: Comparison
    /// The value to compare with.
    public var operand: Operand
    /// Other conditions that may hold instead, joined by `or`.
    ///
    /// They have no alternatives themselves.
    public var alternatives: [QueryCondition] = []

    /// Creates a condition.
    public init(_ field: QueryField, _ comparison: Comparison, _ operand: Operand) {
        self.field = field
        self.comparison = comparison
        self.operand = operand
    }

    /// The fields of the condition and its alternatives, without duplicates.
    public var fields: [QueryField] {
        ([field] + alternatives.map(\.field)).reduce(into: []) { fields, field in
            if !fields.contains(field) { fields.append(field) }
        }
    }

    /// Whether the condition, or one of its alternatives, holds.
    ///
    /// Numbers are ordered only against numbers, and strings only against strings, byte by byte.
    ///
    /// - Parameter value: returns the value of a field; nil for no value.
    public func holds(_ value: (QueryField) throws -> QueryValue?) rethrows -> Bool {
        if isMet(by: try value(field)) { return true }
        return try alternatives.contains { $0.isMet(by: try value($0.field)) }
    }

    /// Whether the condition holds for a value, regardless of its alternatives.
    func isMet(by value: QueryValue?) -> Bool {
        switch comparison {
        case .equal: Self.equals(operand, value)
        case .notEqual: !Self.equals(operand, value)
        case .contains: Self.isContained(operand, in: value)
        case .notContains: !Self.isContained(operand, in: value)
        case .less: isLess(value)
        case .greaterOrEqual: isOrdered(value) && !isLess(value)
        case .lessOrEqual: isOrdered(value) && (isLess(value) || Self.equals(operand, value))
        case .greater: isOrdered(value) && !isLess(value) && !Self.equals(operand, value)
        }
    }

    private static func equals(_ operand: Operand, _ value: QueryValue?) -> Bool {
        switch (operand, value) {
        case (.any, let value): value != nil
        case (.list(let operands), let value): operands.contains { equals($0, value) }
        case (.text(let wanted), .text(let text)): wanted == text
        case (.number(let wanted, _), .number(let number)): wanted.simplest == number
        case (.number(_, let wanted), .text(let text)): wanted == text
        case (.boolean(let wanted), .boolean(let flag)): wanted == flag
        case (.boolean(let wanted), .text(let text)): Array((wanted ? "true" : "false").utf8) == text
        case (.text, _), (.number, _), (.boolean, _): false
        }
    }

    private static func isContained(_ operand: Operand, in value: QueryValue?) -> Bool {
        guard case .text(let text)? = value else { return false }
        return switch operand {
        case .text(let word): text.withUnsafeBytes { SearchWord.occurs(word, in: $0) }
        case .list(let operands): operands.contains { isContained($0, in: value) }
        case .any, .number, .boolean: false
        }
    }

    private func isLess(_ value: QueryValue?) -> Bool {
        switch (operand, value) {
        case (.text(let wanted), .text(let text)): text.lexicographicallyPrecedes(wanted)
        case (.number(let wanted, _), .number(let number)): number.isLess(than: wanted)
        case (.any, _), (.text, _), (.number, _), (.boolean, _), (.list, _): false
        }
    }

    /// Whether the value and the operand can be ordered.
    private func isOrdered(_ value: QueryValue?) -> Bool {
        switch (operand, value) {
        case (.text, .text), (.number, .number): true
        case (.any, _), (.text, _), (.number, _), (.boolean, _), (.list, _): false
        }
    }
}

extension QueryCondition {
    /// Parses a condition such as `total>=12.5`.
    ///
    /// Further examples: `currency=CNY`, `zip:=0815`, `coupon=*`, `"a=b"≠x`, `context.app.version="2"`,
    /// `plan=[pro,team]`, `note~gift`, `country=DE or country=AT`.
    ///
    /// The comparisons are `=`, `≠` (or `!=`), `<`, `≤` (or `<=`), `>`, `≥` (or `>=`), `~` and `!~` for substrings, and
    /// `:=` for equality as text. Values have types as in `trackway send`: JSON numbers, `true`, `false` and `"…"` have
    /// their JSON types, and anything else is text; `*` is any value, and `[a,b]` any of several.
    ///
    /// - Parameters:
    ///   - text: the condition.
    ///   - parameter: the parameter's name, for the error.
    /// - Throws: ``InvalidQueryError`` with the reason and its place in the text.
    public init(_ text: String, parameter: String) throws(InvalidQueryError) {
        var reader = ConditionParser(text, parameter: parameter)
        self = try Self(&reader)
        while reader.separator() {
            guard alternatives.count + 1 < QueryLimits.conditions else {
                throw reader.error("joins more than \(QueryLimits.conditions) conditions by “or”")
            }
            alternatives.append(try Self(&reader))
        }
    }

    private init(_ reader: inout ConditionParser) throws(InvalidQueryError) {
        let field = try reader.field(endsAtComparison: true)
        guard let (comparison, isText) = reader.comparison() else { throw reader.missingComparison(after: field) }
        let operand = try reader.operand(of: comparison, isText: isText)
        if case .cohort = field {
            self = try Self(cohort: comparison, operand, reader)
            return
        }
        try Self.checkDay(field, comparison, operand, reader)
        switch (comparison, operand) {
        case (.equal, _), (.notEqual, _), (.contains, _), (.notContains, _): break
        case (_, .text), (_, .number): break
        case (_, .any), (_, .boolean), (_, .list):
            throw reader.error("compares a value that has no order: use = or ≠, or a number or text")
        }
        self.init(field, comparison, operand)
    }
}

extension QueryField {
    /// Parses a field.
    ///
    /// A field is an attribute's name, a name as a JSON string (`"context.x"`), `context.` followed by the path of a
    /// member, or `person.` followed by the name of a person's attribute or fact.
    ///
    /// - Throws: ``InvalidQueryError`` with the reason.
    public init(_ text: String, parameter: String) throws(InvalidQueryError) {
        var reader = ConditionParser(text, parameter: parameter)
        self = try reader.field(endsAtComparison: false)
        if case .cohort = self {
            throw reader.error(
                "is a cohort, which has no values: write \"cohort\" in quotes for an attribute of that name"
            )
        }
    }
}
