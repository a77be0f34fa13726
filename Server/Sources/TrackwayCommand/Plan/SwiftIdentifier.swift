// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Converts names of events, attributes, and values to Swift identifiers.
enum SwiftIdentifier {
    /// The names used in a scope.
    struct Scope {
        private var taken: Set<String>

        /// Creates a scope in which some names are reserved.
        init(taken: Set<String> = []) {
            self.taken = taken
        }

        /// Returns a unique name: the requested name, with a number appended if necessary.
        mutating func claim(_ name: String) -> String {
            var number = 2
            var free = name
            while !taken.insert(free).inserted {
                free = name + (name.last?.isNumber == true ? "_" : "") + String(number)
                number += 1
            }
            return free
        }
    }

    /// Returns a type's name: `view_item` becomes `ViewItem`.
    ///
    /// - Parameter suffix: The suffix to append to a name that is reserved by Swift or the generated code.
    static func type(_ text: String, suffix: String) -> String {
        let name = words(text).map { capitalized($0) }.joined()
        let usable = startsWithLetter(name) ? name : "_" + name
        return reservedTypes.contains(usable) ? usable + suffix : usable
    }

    /// Returns a property's or case's name: `VIEW_ITEM` becomes `viewItem`.
    static func member(_ text: String) -> String {
        let words = words(text)
        let name = words.prefix(1).map(uncapitalized).joined() + words.dropFirst().map { capitalized($0) }.joined()
        let usable = startsWithLetter(name) ? name : "_" + name
        return reservedMembers.contains(usable) ? usable + "_" : usable
    }

    /// Returns a name, in backticks if it is a keyword.
    static func written(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Returns text as a string literal.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\" + String(scalar)
            case _ where isPlain(scalar): literal.unicodeScalars.append(scalar)
            default: literal += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            }
        }
        return literal + "\""
    }

    /// Returns text as lines of a documentation comment.
    ///
    /// Characters that could end the comment or mislead its readers are omitted.
    static func comment(_ text: String, _ indentation: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { line in
            let plain = String(String.UnicodeScalarView(line.unicodeScalars.filter { isPlain($0) || $0 == "\t" }))
            let words = plain.split(separator: " ").joined(separator: " ")
            return words.isEmpty ? "\(indentation)///" : "\(indentation)/// \(words)"
        }
    }

    /// Whether a character is visible rather than a control or direction character.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }

    // MARK: Words

    /// Splits a name into words that an identifier can contain.
    ///
    /// Characters that an identifier cannot contain separate words. If there are no words, the code points of the
    /// characters are used.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars {
            if isLetter(scalar) || ("0"..."9").contains(scalar) {
                word.unicodeScalars.append(scalar)
            } else if !word.isEmpty {
                words.append(word)
                word = ""
            }
        }
        if !word.isEmpty { words.append(word) }
        guard words.isEmpty else { return words }
        return text.isEmpty
            ? ["empty"] : text.unicodeScalars.prefix(8).map { "u" + String($0.value, radix: 16, uppercase: true) }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x41...0x5A, 0x61...0x7A: return true
        // Ranges in which Swift allows letters in identifiers and each letter is one character.
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x167F, 0x1E00...0x1FFF, 0x3040...0xD7FF:
            return scalar.properties.isAlphabetic && scalar.properties.isXIDStart
        default: return false
        }
    }

    private static func startsWithLetter(_ name: String) -> Bool { name.unicodeScalars.first.map(isLetter) ?? false }

    private static func isUppercase(_ word: String) -> Bool { word == word.uppercased() && word != word.lowercased() }

    private static func capitalized(_ word: String) -> String {
        let word = isUppercase(word) && word.count > 1 ? word.lowercased() : word
        return word.prefix(1).uppercased() + word.dropFirst()
    }

    private static func uncapitalized(_ word: String) -> String {
        if isUppercase(word) { return word.lowercased() }
        let leading = word.prefix { $0.isUppercase }
        // In `URLString`, the `S` begins the next word.
        let count = leading.count > 1 && leading.count < word.count ? leading.count - 1 : leading.count
        return word.prefix(count).lowercased() + word.dropFirst(count)
    }

    // MARK: Reserved names

    private static let keywords: Set<String> = [
        "Any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit",
        "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import",
        "in", "infix", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "prefix", "postfix",
        "private", "protocol", "public", "repeat", "rethrows", "return", "static", "struct", "subscript", "super",
        "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while", "any", "some",
        "async",
        "borrowing", "consuming", "consume", "copy", "discard", "each", "isolated", "macro", "nonisolated",
        "sending", "unowned", "weak", "mutating", "nonmutating", "override", "required", "convenience", "dynamic",
        "final",
        "indirect", "lazy",
    ]

    /// Names that members cannot have.
    ///
    /// These names exist on every type, are used by the generated code, or have a special meaning.
    private static let reservedMembers: Set<String> = [
        "init", "self", "Self", "Type", "Protocol", "attributes", "items", "encode", "name", "rawValue", "stringValue",
        "intValue", "hashValue", "hash", "description", "debugDescription", "allCases", "none", "some", "dynamicType",
        "encoder", "unchecked",
    ]

    /// Names that types cannot have, because the generated code uses them.
    private static let reservedTypes: Set<String> = [
        "Any", "AnyObject", "Array", "Attributes", "AttributeValue", "Bool", "CaseIterable", "Codable", "CodingKey",
        "CodingKeys", "Data", "Date", "Decodable", "Dictionary", "Double", "Encodable", "Encoder", "Equatable", "Error",
        "Event", "Float", "Foundation", "Hashable", "Int", "Int64", "Item", "Never", "Optional", "PlannedValue",
        "Protocol",
        "RawRepresentable", "Result", "Self", "Sendable", "Set", "Some", "String", "Swift", "Task", "Timestamp",
        "Trackway",
        "Type", "TypedEvent", "URL", "UUID", "Void", "Analytics", "ExpressibleByStringLiteral", "Character",
        "Substring",
    ]
}
