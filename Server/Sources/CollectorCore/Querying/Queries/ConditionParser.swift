// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Parses the parts of a condition.
struct ConditionParser {
    private let text: String
    private let parameter: String
    private let bytes: [UInt8]
    private var at = 0

    init(_ text: String, parameter: String) {
        self.text = text
        self.parameter = parameter
        bytes = Array(text.utf8)
    }

    /// Returns an error that quotes the text.
    func error(_ what: String) -> InvalidQueryError {
        InvalidQueryError(parameter, "“\(text.prefix(64))” \(what).")
    }

    /// Parses the field at the beginning of the text.
    ///
    /// - Parameter endsAtComparison: whether a comparison ends the field; otherwise, the field is the whole text.
    mutating func field(endsAtComparison: Bool) throws(InvalidQueryError) -> QueryField {
        if bytes.first == UInt8(ascii: "\"") {
            let name = try quoted()
            guard endsAtComparison || at == bytes.count else { throw error("has text after the quoted name") }
            return .attribute(try checked(name))
        }
        let start = at
        while at < bytes.count, !endsAtComparison || sign() == nil { at += 1 }
        let name = String(decoding: bytes[start..<at], as: UTF8.self)
        guard name.utf8.starts(with: "context.".utf8) else { return .attribute(try checked(name)) }
        let path = name.utf8.dropFirst("context.".utf8.count)
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard path.count <= QueryLimits.pathParts else {
            throw error("is a path of \(path.count) parts; at most \(QueryLimits.pathParts) are allowed")
        }
        var parts: [String] = []
        for part in path { parts.append(try checked(String(decoding: part, as: UTF8.self))) }
        return .context(parts)
    }

    /// Parses the comparison, and returns whether its value is always text.
    mutating func comparison() -> (comparison: QueryCondition.Comparison, isText: Bool)? {
        guard let sign = sign() else { return nil }
        at += sign.text.utf8.count
        return (sign.comparison, sign.isText)
    }

    /// Parses the rest of the text as the value to compare with.
    mutating func operand(isText: Bool) throws(InvalidQueryError) -> QueryCondition.Operand {
        let rest = Array(bytes[at...])
        guard rest.count <= QueryLimits.valueBytes else {
            throw error("has a value of \(rest.count) bytes; at most \(QueryLimits.valueBytes) are allowed")
        }
        if isText { return .text(rest) }
        switch rest.first {
        case UInt8(ascii: "*") where rest.count == 1: return .any
        case UInt8(ascii: "\""):
            let value = try quoted()
            guard at == bytes.count else { throw error("has text after the quoted value") }
            return .text(Array(value.utf8))
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            // Only a valid JSON number counts as a number; a phone number or a date is text.
            switch try? JSONValue.parse(rest) {
            case .integer(let number): return .number(.integer(number), written: rest)
            case .double(let number): return .number(.double(number), written: rest)
            default: return .text(rest)
            }
        default:
            if rest == Array("true".utf8) { return .boolean(true) }
            return rest == Array("false".utf8) ? .boolean(false) : .text(rest)
        }
    }

    private typealias Sign = (text: String, comparison: QueryCondition.Comparison, isText: Bool)

    /// The comparison operators; longer operators come before their prefixes.
    private static let signs: [Sign] = [
        (":=", .equal, true), ("!=", .notEqual, false), ("<=", .lessOrEqual, false), (">=", .greaterOrEqual, false),
        ("≠", .notEqual, false), ("≤", .lessOrEqual, false), ("≥", .greaterOrEqual, false), ("=", .equal, false),
        ("<", .less, false), (">", .greater, false),
    ]

    private func sign() -> Sign? {
        let rest = bytes[at...]
        return Self.signs.first { rest.starts(with: $0.text.utf8) }
    }

    /// Parses the JSON string at the current position.
    private mutating func quoted() throws(InvalidQueryError) -> String {
        let start = at
        at += 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") { at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1 }
        at = min(at + 1, bytes.count)
        do {
            if let value = try JSONValue.parse(Array(bytes[start..<at])).string { return value }
        } catch {
            // The error below covers both invalid JSON and other JSON values.
        }
        throw error("has a quoted string that does not end, or is not valid JSON")
    }

    private func checked(_ name: String) throws(InvalidQueryError) -> String {
        guard !name.isEmpty else { throw error("has no name before the comparison, or an empty part") }
        guard name.utf8.count <= QueryLimits.nameBytes else {
            throw error("has a name of \(name.utf8.count) bytes; at most \(QueryLimits.nameBytes) are allowed")
        }
        return name
    }
}
