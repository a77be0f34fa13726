// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Validates an event's members for a receiver.
///
/// The validator throws only positions, and builds the complete fault at the end, so messages are created only for
/// rejected lines.
struct EventValidator {
    let limits: EventLimits
    /// The member that is being scanned.
    var field: StaticString = ""
    /// The fault that caused the thrown error.
    ///
    /// Nil if the error is only invalid JSON.
    private var refusal: EventFault?

    init(limits: EventLimits) {
        self.limits = limits
    }

    /// Begins a member, which may occur only once.
    @inline(__always)
    mutating func begin(_ field: StaticString, at key: JSONStringRange, isRepeated: Bool) throws(JSONError) {
        self.field = field
        if isRepeated {
            throw refuse(
                .fieldDuplicate,
                "\(field)",
                at: key.range.lowerBound - 1,
                "The field occurs twice in the event."
            )
        }
    }

    mutating func id(_ scanner: inout JSONScanner) throws(JSONError) -> EventID {
        guard try scanner.peek() == .string else { throw wrongType(scanner.offset, "a string") }
        let text = try scanner.scanText()
        guard let id = EventID(utf8: scanner.bytes(text.range)) else {
            throw refuse(
                .fieldInvalid,
                "id",
                at: text.range.lowerBound,
                "An id has 36 characters, such as 01890a5d-ac96-774b-bcce-b302099a8057."
            )
        }
        return id
    }

    mutating func name(_ scanner: inout JSONScanner) throws(JSONError) -> JSONStringRange {
        guard try scanner.peek() == .string else { throw wrongType(scanner.offset, "a string") }
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

    /// Reads a time in milliseconds since 1970.
    ///
    /// A date in string form is rejected with a message that states the number of milliseconds to send instead.
    mutating func time(_ scanner: inout JSONScanner) throws(JSONError) -> Int64 {
        guard try scanner.peek() == .string else { return try integer(&scanner) }
        let offset = scanner.offset
        let text = scanner.string(try scanner.readText())
        guard let date = Timestamp(iso8601: text) else {
            throw wrongType(offset, "milliseconds since 1970, such as 1700000000000, not a string")
        }
        throw refuse(
            .fieldInvalid,
            "time",
            at: offset,
            "The time is a string; send milliseconds since 1970: \(date.milliseconds)."
        )
    }

    /// Scans and counts the event's attributes.
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
        // The two attributes that the encoder adds are not counted.
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
    private mutating func attribute(_ scanner: inout JSONScanner, _ key: JSONStringRange) throws(JSONError) {
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
                "The string has \(scanner.length(text)) bytes; at most \(limits.stringBytes) are accepted."
            )
        }
    }

    /// Scans and counts the event's items.
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
                guard try scanner.peek() == .string else { throw wrongType(scanner.offset, "an id that is a string") }
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

    /// Stores a fault, and returns the error to throw for it.
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

    /// Returns the fault that belongs to an error.
    func fault(_ error: JSONError) -> EventFault {
        if let refusal { return refusal }
        if error.code == .tooDeep {
            return EventFault(
                code: .tooDeep,
                field: "\(field)",
                offset: error.offset,
                message: "Values are nested too deeply; at most \(limits.depth) levels are accepted."
            )
        }
        return EventFault(
            code: .malformed,
            field: "\(field)",
            offset: error.offset,
            message: "Not valid JSON: \(error)."
        )
    }

    /// Whether the string, without its escapes, is longer than the limit.
    ///
    /// The escaped form is never shorter than the string.
    @inline(__always)
    private func isLonger(_ text: JSONStringRange, than limit: Int, _ scanner: JSONScanner) -> Bool {
        text.range.count > limit && scanner.length(text) > limit
    }

    private func path(_ scanner: JSONScanner, _ key: JSONStringRange) -> String {
        "\(field).\(scanner.string(key).truncated(toUTF8Count: Diagnostic.maximumValueBytes))"
    }
}

extension EventLimits {
    /// The maximum nesting of an attributes object, including the object.
    var nesting: Int { min(depth, Self.maximumDepth) }
}

/// The reason for rejecting an event: field, position and fix.
public struct EventFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem.
    public var code: Diagnostic.Code
    /// The affected field, as a path such as `attributes.price`.
    ///
    /// The path is empty if the whole text is affected.
    public var field: String
    /// The position, in bytes from the start of the text.
    public var offset: Int
    /// A sentence that states the problem and the remedy.
    public var message: String

    /// Creates a fault.
    public init(code: Diagnostic.Code, field: String, offset: Int, message: String) {
        self.code = code
        self.field = field.truncated(toUTF8Count: 2 * Diagnostic.maximumValueBytes)
        self.offset = offset
        self.message = message
    }

    /// The fault as one line.
    public var description: String {
        field.isEmpty ? "\(code.rawValue) at byte \(offset): \(message)" : "\(field): \(code.rawValue): \(message)"
    }
}
