// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Parses the parts of a condition.
struct ConditionParser {
    private let text: String
    private let parameter: String
    private let bytes: [UInt8]
    private var at = 0
    /// The start of the current condition.
    private var start = 0
    /// Whether the current condition follows an “or”.
    private var isAlternative = false

    init(_ text: String, parameter: String) {
        self.text = text
        self.parameter = parameter
        bytes = Array(text.utf8)
    }

    /// Returns an error that quotes the text.
    func error(_ what: String) -> InvalidQueryError {
        InvalidQueryError(parameter, "“\(text.prefix(64))” \(what).")
    }

    /// Returns an error that quotes the text and gives a place in it, as the number of a character, from 1.
    private func error(_ what: String, at place: Int) -> InvalidQueryError {
        let character = String(decoding: bytes[..<min(place, bytes.count)], as: UTF8.self).count + 1
        return error("\(what) (character \(character))")
    }

    /// Returns the error for a field without a comparison.
    func missingComparison(after field: QueryField) -> InvalidQueryError {
        guard isAlternative || separatorEnd != nil else {
            return error("has no comparison: write total>=12.5, currency=CNY, or coupon=* for any value")
        }
        return error(
            "has no comparison on one side of “or”: write country=DE or country=AT, country=[DE,AT], "
                + "or quote a value that contains “or”: \"DE or AT\"",
            at: start
        )
    }

    /// Skips an “or” between two conditions, and returns whether there is one.
    ///
    /// Spaces must be around it, or the end of the text after it; case is ignored.
    mutating func separator() -> Bool {
        guard let end = separatorEnd else { return false }
        at = end
        isAlternative = true
        return true
    }

    /// The end of the “or” at the current position, including the spaces around it; nil if there is none.
    private var separatorEnd: Int? {
        // Only the first of several spaces is examined, so that parsing takes linear time.
        guard at == 0 || !Self.isSpace(bytes[at - 1]) else { return nil }
        var place = at
        func skipSpaces() -> Bool {
            let first = place
            while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
            return place > first
        }
        guard skipSpaces(), place + 2 <= bytes.count,
            bytes[place] | 0x20 == UInt8(ascii: "o"), bytes[place + 1] | 0x20 == UInt8(ascii: "r")
        else { return nil }
        place += 2
        return skipSpaces() || place == bytes.count ? place : nil
    }

    private func missingCondition(_ side: String) -> InvalidQueryError {
        error(
            "has no condition \(side) “or”: remove the “or”, or quote a value that contains it: city=\"Portland or\"",
            at: start
        )
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Parses the field at the current position.
    ///
    /// - Parameter endsAtComparison: whether a comparison ends the field; otherwise, the field is the whole text.
    mutating func field(endsAtComparison: Bool) throws(InvalidQueryError) -> QueryField {
        start = at
        if endsAtComparison {
            if isAlternative, at == bytes.count { throw missingCondition("after") }
            if separatorEnd != nil { throw missingCondition(isAlternative ? "after" : "before") }
        }
        if at < bytes.count, bytes[at] == UInt8(ascii: "\"") {
            let name = try quoted()
            guard endsAtComparison || at == bytes.count else { throw error("has text after the quoted name") }
            return .attribute(try checked(name))
        }
        let person = Array("person.".utf8)
        if bytes[at...].starts(with: person + [UInt8(ascii: "\"")]) {
            at += person.count
            let name = try quoted()
            guard endsAtComparison || at == bytes.count else { throw error("has text after the quoted name") }
            return .person(.attribute(try checked(name)))
        }
        while at < bytes.count, !endsAtComparison || (sign() == nil && separatorEnd == nil) { at += 1 }
        let name = String(decoding: bytes[start..<at], as: UTF8.self)
        if endsAtComparison, name.lowercased().hasPrefix("or ") || name.lowercased().hasPrefix("or\t") {
            throw error(
                "has no condition before “or”: remove the “or”, or quote a name that begins with it: \"or b\"=1",
                at: start
            )
        }
        if name.utf8.starts(with: person) {
            let trait = try checked(String(decoding: name.utf8.dropFirst(person.count), as: UTF8.self))
            return .person(FirstTouch(rawValue: trait).map(PersonField.first) ?? .attribute(trait))
        }
        // The name of the cohort is the value of the condition.
        if name == "cohort" { return .cohort("") }
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

    /// Parses the value to compare with, up to an “or” or the end of the text.
    mutating func operand(
        of comparison: QueryCondition.Comparison,
        isText: Bool
    ) throws(InvalidQueryError) -> QueryCondition.Operand {
        let isPart = comparison == .contains || comparison == .notContains
        let first = at < bytes.count ? bytes[at] : nil
        if !isText, first == UInt8(ascii: "[") { return try list(isPart: isPart) }
        if !isText, first == UInt8(ascii: "\"") {
            let value = Array(try quoted().utf8)
            guard at == bytes.count || separatorEnd != nil else { throw error("has text after the quoted value") }
            guard !isPart || !value.isEmpty else { throw emptyPart() }
            return .text(try limited(value))
        }
        let begin = at
        while at < bytes.count, separatorEnd == nil { at += 1 }
        let value = try limited(Array(bytes[begin..<at]))
        guard !value.allSatisfy(Self.isSpace) else { throw isPart ? emptyPart() : emptyValue(at: begin) }
        if isPart { return .text(value) }
        if isText { return .text(value) }
        return value == [UInt8(ascii: "*")] ? .any : Self.literal(value)
    }

    /// Returns the value that unquoted text stands for: a number, `true`, `false`, or the text itself.
    static func literal(_ value: [UInt8]) -> QueryCondition.Operand {
        switch value.first {
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            // Only a valid JSON number counts as a number; a phone number or a date is text.
            switch try? JSONValue.parse(value) {
            case .integer(let number): return .number(.integer(number), written: value)
            case .double(let number): return .number(.double(number), written: value)
            default: return .text(value)
            }
        default:
            if value == Array("true".utf8) { return .boolean(true) }
            return value == Array("false".utf8) ? .boolean(false) : .text(value)
        }
    }

    private func emptyValue(at place: Int) -> InvalidQueryError {
        error(
            "has no value after the comparison: write plan=pro, plan=\"\" for an empty text, or plan≠* for no value",
            at: place
        )
    }

    private func emptyPart() -> InvalidQueryError {
        error("has no text after ~ or !~: write note~gift, or note=* for any value", at: at)
    }

    /// Parses the list at the current position, such as `[pro,"a, b",3]`.
    private mutating func list(isPart: Bool) throws(InvalidQueryError) -> QueryCondition.Operand {
        let begin = at
        var members: [QueryCondition.Operand] = []
        at += 1
        while true {
            skipSpaces()
            let first = at
            let member: QueryCondition.Operand
            if at < bytes.count, bytes[at] == UInt8(ascii: "\"") {
                member = .text(try limited(Array(try quoted().utf8)))
                skipSpaces()
            } else {
                while at < bytes.count, !Self.endsMember(bytes[at]) { at += 1 }
                var value = try limited(Array(bytes[first..<at]))
                while let last = value.last, Self.isSpace(last) { value.removeLast() }
                guard !value.isEmpty || at >= bytes.count else {
                    throw error(
                        "has an empty value in its list: write plan=[pro,team], and \"\" for an empty text",
                        at: first
                    )
                }
                guard value != [UInt8(ascii: "*")] else {
                    throw error("has * in its list: write coupon=* for any value, or quote it: \"*\"", at: first)
                }
                member = isPart ? .text(value) : Self.literal(value)
            }
            guard at < bytes.count else {
                throw error("has a list without an end: write plan=[pro,team], or quote the value: \"[…\"", at: begin)
            }
            if isPart, member == .text([]) { throw emptyPart() }
            members.append(member)
            guard members.count <= QueryLimits.listedValues else {
                throw error("has a list of more than \(QueryLimits.listedValues) values")
            }
            let mark = bytes[at]
            guard Self.endsMember(mark) else { throw error("has text after a quoted value in its list", at: at) }
            at += 1
            if mark == UInt8(ascii: "]") { break }
        }
        guard at == bytes.count || separatorEnd != nil else {
            throw error("has text after its list: quote a value that begins with [", at: at)
        }
        return .list(members)
    }

    private mutating func skipSpaces() {
        while at < bytes.count, Self.isSpace(bytes[at]) { at += 1 }
    }

    private static func endsMember(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") }

    private func limited(_ value: [UInt8]) throws(InvalidQueryError) -> [UInt8] {
        guard value.count <= QueryLimits.valueBytes else {
            throw error("has a value of \(value.count) bytes; at most \(QueryLimits.valueBytes) are allowed")
        }
        return value
    }

    private typealias Sign = (text: String, comparison: QueryCondition.Comparison, isText: Bool)

    /// The comparison operators; longer operators come before their prefixes.
    private static let signs: [Sign] = [
        (":=", .equal, true), ("!=", .notEqual, false), ("!~", .notContains, false), ("<=", .lessOrEqual, false),
        (">=", .greaterOrEqual, false),
        ("≠", .notEqual, false), ("≤", .lessOrEqual, false), ("≥", .greaterOrEqual, false), ("=", .equal, false),
        ("<", .less, false), (">", .greater, false), ("~", .contains, false),
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
        throw error("has a quoted string that does not end, or is not valid JSON", at: start)
    }

    private func checked(_ name: String) throws(InvalidQueryError) -> String {
        guard !name.isEmpty else { throw error("has no name before the comparison, or an empty part", at: start) }
        guard name.utf8.count <= QueryLimits.nameBytes else {
            throw error("has a name of \(name.utf8.count) bytes; at most \(QueryLimits.nameBytes) are allowed")
        }
        return name
    }
}
