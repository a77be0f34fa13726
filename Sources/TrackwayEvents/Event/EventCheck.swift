// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The receiver's look at an event's members. It throws places, and keeps the full fault for the end: only a refused
/// line pays for sentences.
struct EventCheck {
    let limits: EventLimits
    /// The member the scanner is in.
    var field: StaticString = ""
    /// The fault behind the error that was thrown, when it is more than bad JSON.
    private var refusal: EventFault?

    init(limits: EventLimits) {
        self.limits = limits
    }

    /// Enters a member that may occur once.
    @inline(__always)
    mutating func begin(_ field: StaticString, at key: JSONText, isRepeated: Bool) throws(JSONError) {
        self.field = field
        if isRepeated {
            throw refuse(
                .fieldDuplicate,
                "\(field)",
                at: key.range.lowerBound - 1,
                "The field stands twice in the event."
            )
        }
    }

    mutating func id(_ scanner: inout JSONScanner) throws(JSONError) -> EventID {
        guard try scanner.peek() == .string else { throw wrongType(scanner.offset, "text") }
        let text = try scanner.scanText()
        guard let id = EventID(utf8: scanner.bytes(text.range)) else {
            throw refuse(
                .fieldInvalid,
                "id",
                at: text.range.lowerBound,
                "An id is 36 characters such as 01890a5d-ac96-774b-bcce-b302099a8057."
            )
        }
        return id
    }

    mutating func name(_ scanner: inout JSONScanner) throws(JSONError) -> JSONText {
        guard try scanner.peek() == .string else { throw wrongType(scanner.offset, "text") }
        let text = try scanner.scanText()
        if text.range.isEmpty {
            throw refuse(.nameEmpty, "name", at: text.range.lowerBound, "Give the event a name.")
        }
        if isLonger(text, than: limits.nameBytes, scanner) {
            throw refuse(
                .nameTooLong,
                "name",
                at: text.range.lowerBound,
                "The name has \(scanner.length(text)) bytes; at most \(limits.nameBytes) are accepted."
            )
        }
        return text
    }

    mutating func integer(_ scanner: inout JSONScanner) throws(JSONError) -> Int64 {
        guard try scanner.peek() == .number else { throw wrongType(scanner.offset, "a whole number of milliseconds") }
        let first = scanner.offset
        guard case .integer(let value) = try scanner.scanNumber() else {
            throw wrongType(first, "a whole number of milliseconds")
        }
        return value
    }

    /// A time in milliseconds since 1970. A date as text is refused with the number it stands for.
    mutating func time(_ scanner: inout JSONScanner) throws(JSONError) -> Int64 {
        guard try scanner.peek() == .string else { return try integer(&scanner) }
        let offset = scanner.offset
        let text = scanner.string(try scanner.readText())
        guard let date = Timestamp(iso8601: text) else {
            throw wrongType(offset, "milliseconds since 1970, such as 1700000000000, not text")
        }
        throw refuse(
            .fieldInvalid,
            "time",
            at: offset,
            "The time is text; send milliseconds since 1970: \(date.milliseconds)."
        )
    }

    /// Passes the event's attributes and counts them.
    mutating func attributes(_ scanner: inout JSONScanner) throws(JSONError) -> Int {
        guard try scanner.peek() == .object else { throw wrongType(scanner.offset, "an object") }
        let outside = scanner.maximumDepth
        scanner.maximumDepth = scanner.depth &+ limits.nesting
        defer { scanner.maximumDepth = outside }
        var count = 0
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            count &+= 1
            try attribute(&scanner, key)
        }
        // The encoder's own two come on top.
        if count > limits.attributes &+ 2 {
            throw refuse(
                .tooManyAttributes,
                "\(field)",
                at: scanner.offset,
                "There are \(count) attributes in one object; at most \(limits.attributes) are accepted."
            )
        }
        return count
    }

    @inline(__always)
    private mutating func attribute(_ scanner: inout JSONScanner, _ key: JSONText) throws(JSONError) {
        if key.range.isEmpty {
            throw refuse(.keyEmpty, "\(field)", at: key.range.lowerBound, "Give every attribute a key.")
        }
        if isLonger(key, than: limits.keyBytes, scanner) {
            throw refuse(
                .keyTooLong,
                path(scanner, key),
                at: key.range.lowerBound,
                "The key has \(scanner.length(key)) bytes; at most \(limits.keyBytes) are accepted."
            )
        }
        guard try scanner.peek() == .string else {
            try scanner.skipValue()
            return
        }
        let text = try scanner.scanText()
        if isLonger(text, than: limits.stringBytes, scanner) {
            throw refuse(
                .valueTooLong,
                path(scanner, key),
                at: text.range.lowerBound,
                "The text has \(scanner.length(text)) bytes; at most \(limits.stringBytes) are accepted."
            )
        }
    }

    /// Passes the event's items and counts them.
    mutating func items(_ scanner: inout JSONScanner) throws(JSONError) -> Int {
        guard try scanner.peek() == .array else { throw wrongType(scanner.offset, "an array") }
        var count = 0
        try scanner.enterArray()
        while try scanner.nextElement() {
            count &+= 1
            try item(&scanner)
        }
        if count > limits.items {
            throw refuse(
                .tooManyItems,
                "items",
                at: scanner.offset,
                "There are \(count) items; at most \(limits.items) are accepted."
            )
        }
        return count
    }

    private mutating func item(_ scanner: inout JSONScanner) throws(JSONError) {
        guard try scanner.peek() == .object else { throw wrongType(scanner.offset, "objects") }
        let first = scanner.offset
        var hasID = false
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.text(key, equals: "id") {
                guard try scanner.peek() == .string else { throw wrongType(scanner.offset, "an id that is text") }
                let text = try scanner.scanText()
                hasID = !text.range.isEmpty && !isLonger(text, than: limits.itemIDBytes, scanner)
            } else if scanner.text(key, equals: "attributes") {
                _ = try attributes(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
        guard hasID else {
            throw refuse(
                .itemInvalid,
                "items",
                at: first,
                "Every item needs an id of 1 to \(limits.itemIDBytes) bytes."
            )
        }
    }

    // MARK: Faults

    /// Keeps a fault, and makes the error to throw for it.
    @inline(never)
    mutating func refuse(
        _ code: Diagnostic.Code,
        _ field: String,
        at offset: Int,
        _ message: String
    ) -> JSONError {
        refusal = EventFault(code: code, field: field, offset: offset, message: message)
        return JSONError(.memberInvalid, at: offset)
    }

    @inline(never)
    mutating func wrongType(_ offset: Int, _ expected: String) -> JSONError {
        refuse(.fieldInvalid, "\(field)", at: offset, "Expected \(expected).")
    }

    /// The fault of an error.
    func fault(_ error: JSONError) -> EventFault {
        if let refusal { return refusal }
        if error.code == .tooDeep {
            return EventFault(
                code: .tooDeep,
                field: "\(field)",
                offset: error.offset,
                message: "Values nest too deep; at most \(limits.depth) levels are accepted."
            )
        }
        return EventFault(
            code: .malformed,
            field: "\(field)",
            offset: error.offset,
            message: "Not valid JSON: \(error)."
        )
    }

    /// True when the text itself, without its escapes, is longer. The escaped form is never shorter.
    @inline(__always)
    private func isLonger(_ text: JSONText, than limit: Int, _ scanner: JSONScanner) -> Bool {
        text.range.count > limit && scanner.length(text) > limit
    }

    private func path(_ scanner: JSONScanner, _ key: JSONText) -> String {
        "\(field).\(scanner.string(key).cut(toBytes: Diagnostic.maximumValueBytes))"
    }
}

extension EventLimits {
    /// How deep an attributes' object may nest, itself included.
    var nesting: Int { min(depth, Self.maximumDepth) }
}

/// Why a text is no acceptable event: which field, where, and what to do.
public struct EventFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public var code: Diagnostic.Code
    /// The field it is about, as a path such as `attributes.price`; empty when it is the whole text.
    public var field: String
    /// Where, in bytes from the beginning of the text.
    public var offset: Int
    /// What is wrong and what to do, as a sentence.
    public var message: String

    /// A fault.
    public init(code: Diagnostic.Code, field: String, offset: Int, message: String) {
        self.code = code
        self.field = field.cut(toBytes: 2 * Diagnostic.maximumValueBytes)
        self.offset = offset
        self.message = message
    }

    /// The fault in one line.
    public var description: String {
        field.isEmpty ? "\(code.rawValue) at byte \(offset): \(message)" : "\(field): \(code.rawValue): \(message)"
    }
}
