// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Reads the parts of a condition out of one text.
struct QuestionTextReader {
    private let text: String
    private let parameter: String
    private let bytes: [UInt8]
    private var at = 0

    init(_ text: String, parameter: String) {
        self.text = text
        self.parameter = parameter
        bytes = Array(text.utf8)
    }

    /// An error that shows the text.
    func error(_ what: String) -> QuestionError {
        QuestionError(parameter, "“\(text.prefix(64))” \(what).")
    }

    /// The field that the text begins with.
    ///
    /// - Parameter endsAtComparison: whether a comparison ends it; otherwise it is all of the text.
    mutating func field(endsAtComparison: Bool) throws(QuestionError) -> QuestionField {
        if bytes.first == UInt8(ascii: "\"") {
            let name = try quoted()
            guard endsAtComparison || at == bytes.count else { throw error("goes on behind the quoted name") }
            return .attribute(try checked(name))
        }
        let start = at
        while at < bytes.count, !endsAtComparison || sign() == nil { at += 1 }
        let name = String(decoding: bytes[start..<at], as: UTF8.self)
        guard name.utf8.starts(with: "context.".utf8) else { return .attribute(try checked(name)) }
        let path = name.utf8.dropFirst("context.".utf8.count)
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard path.count <= QuestionLimits.pathParts else {
            throw error("is a path of \(path.count) parts; at most \(QuestionLimits.pathParts) are allowed")
        }
        var parts: [String] = []
        for part in path { parts.append(try checked(String(decoding: part, as: UTF8.self))) }
        return .context(parts)
    }

    /// The comparison that follows, and whether the value is text whatever it looks like.
    mutating func comparison() -> (comparison: QuestionCondition.Comparison, isText: Bool)? {
        guard let sign = sign() else { return nil }
        at += sign.text.utf8.count
        return (sign.comparison, sign.isText)
    }

    /// The rest of the text as what is compared with.
    mutating func operand(isText: Bool) throws(QuestionError) -> QuestionCondition.Operand {
        let rest = Array(bytes[at...])
        guard rest.count <= QuestionLimits.valueBytes else {
            throw error("has a value of \(rest.count) bytes; at most \(QuestionLimits.valueBytes) are allowed")
        }
        if isText { return .text(rest) }
        switch rest.first {
        case UInt8(ascii: "*") where rest.count == 1: return .any
        case UInt8(ascii: "\""):
            let value = try quoted()
            guard at == bytes.count else { throw error("goes on behind the quoted value") }
            return .text(Array(value.utf8))
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            // A telephone number or a date is text: only what JSON calls a number is one.
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

    private typealias Sign = (text: String, comparison: QuestionCondition.Comparison, isText: Bool)

    /// Longer ones before those they begin with.
    private static let signs: [Sign] = [
        (":=", .equal, true), ("!=", .notEqual, false), ("<=", .lessOrEqual, false), (">=", .greaterOrEqual, false),
        ("≠", .notEqual, false), ("≤", .lessOrEqual, false), ("≥", .greaterOrEqual, false), ("=", .equal, false),
        ("<", .less, false), (">", .greater, false),
    ]

    private func sign() -> Sign? {
        let rest = bytes[at...]
        return Self.signs.first { rest.starts(with: $0.text.utf8) }
    }

    /// The JSON text that begins here.
    private mutating func quoted() throws(QuestionError) -> String {
        let start = at
        at += 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") { at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1 }
        at = min(at + 1, bytes.count)
        do {
            if let value = try JSONValue.parse(Array(bytes[start..<at])).string { return value }
        } catch {
            // Said below, for both.
        }
        throw error("begins a quoted text that does not end, or is no JSON text")
    }

    private func checked(_ name: String) throws(QuestionError) -> String {
        guard !name.isEmpty else { throw error("has no name before the comparison, or an empty part") }
        guard name.utf8.count <= QuestionLimits.nameBytes else {
            throw error("has a name of \(name.utf8.count) bytes; at most \(QuestionLimits.nameBytes) are allowed")
        }
        return name
    }
}
