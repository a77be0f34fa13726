// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Support for strings that have exactly the form of a date.
///
/// A date is stored as its string form. In an event, a string of the same form is written with an escape (`\u005A` for
/// `Z`), so that ``JSONScanner/readAttributeValue()`` can distinguish the two. A document that is parsed as a
/// `JSONValue` does not preserve escapes, so it lists the pointers (RFC 6901) of such strings next to its attributes.
extension Attributes {
    /// The pointers of strings that look like dates, in order.
    ///
    /// The list is empty for nearly all attributes.
    ///
    /// - Complexity: O(size).
    package var dateLikeStringPointers: [String] {
        var pointers: [String] = []
        for (key, value) in self { value.collectDateLikeStrings(at: Self.escaped(key), into: &pointers) }
        return pointers
    }

    /// Converts the dates at these pointers back to strings.
    ///
    /// Pointers that are missing or do not refer to a date are skipped.
    package mutating func restoreStrings(at pointers: [String]) {
        for pointer in pointers {
            var path = pointer.split(separator: "/", omittingEmptySubsequences: false).map { Self.unescaped($0) }
            guard let key = path.first, let value = self[key] else { continue }
            path.removeFirst()
            self[key] = value.restoringString(at: path[...])
        }
    }

    /// Creates attributes from the string members of an object.
    package init(strings object: JSONValue.Object) {
        self.init()
        for member in object.members { self[member.key] = member.value.string.map { .string($0) } }
    }

    fileprivate static func escaped(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return key }
        return String(key.flatMap { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) })
    }

    private static func unescaped(_ part: Substring) -> String {
        var text = ""
        var isEscape = false
        for character in part {
            if isEscape {
                text.append(character == "1" ? "/" : "~")
                isEscape = false
            } else if character == "~" {
                isEscape = true
            } else {
                text.append(character)
            }
        }
        return text
    }
}

extension AttributeValue {
    fileprivate func collectDateLikeStrings(at pointer: String, into pointers: inout [String]) {
        switch self {
        case .string(let text):
            if Timestamp.isDateFormat(of: text) { pointers.append(pointer) }
        case .array(let values):
            for (index, value) in values.enumerated() {
                value.collectDateLikeStrings(at: "\(pointer)/\(index)", into: &pointers)
            }
        case .object(let attributes):
            for (key, value) in attributes {
                value.collectDateLikeStrings(at: "\(pointer)/\(Attributes.escaped(key))", into: &pointers)
            }
        case .integer, .double, .boolean, .date:
            break
        }
    }

    fileprivate func restoringString(at path: ArraySlice<String>) -> AttributeValue {
        switch self {
        case .date(let date) where path.isEmpty:
            return .string(date.iso8601)
        case .array(var values):
            guard let index = path.first.flatMap({ Int($0) }), values.indices.contains(index) else { return self }
            values[index] = values[index].restoringString(at: path.dropFirst())
            return .array(values)
        case .object(var attributes):
            guard let key = path.first, let value = attributes[key] else { return self }
            attributes[key] = value.restoringString(at: path.dropFirst())
            return .object(attributes)
        case .string, .integer, .double, .boolean, .date:
            return self
        }
    }
}

extension Timestamp {
    /// Whether a string has exactly the form of a date.
    static func isDateFormat(of text: String) -> Bool {
        text.utf8.count == textLength && Timestamp(iso8601: text) != nil
    }
}

extension JSONWriter {
    /// Writes a string that looks like a date.
    ///
    /// The written form is not read as a date.
    @inline(never)
    mutating func dateLikeString(_ text: String) {
        byte(UInt8(ascii: "\""))
        for unit in text.utf8.dropLast() { byte(unit) }
        // The last character is a Z.
        literal("\\u005A\"")
    }
}
