// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Checks events against a plan, one at a time.
///
/// Each check makes one pass over the bytes of attributes and items, and decodes nothing that the plan does not
/// describe.
public struct PlanInspection: Sendable {
    /// The compiled plan.
    public let checker: PlanChecker
    /// The violations of the last event, each once.
    public private(set) var findings: [PlanFinding] = []
    /// For each property, the number of the last object that had it.
    private var visited: [UInt32]
    private var object: UInt32 = 0

    /// Creates an inspection that has not checked any events.
    public init(_ checker: PlanChecker) {
        self.checker = checker
        visited = Array(repeating: 0, count: checker.properties.count)
    }

    /// Checks an event and stores its violations in ``findings``.
    ///
    /// - Parameters:
    ///   - number: The event's number in the plan.
    ///   - attributes: The event's attributes as JSON; nil when it has none.
    ///   - items: The event's items as JSON; nil when it has none.
    /// - Complexity: O(bytes · log of the names per object).
    public mutating func inspect(_ number: Int, attributes: UnsafeRawBufferPointer?, items: UnsafeRawBufferPointer?) {
        findings.removeAll(keepingCapacity: true)
        let event = checker.events[number]
        walk(attributes, event.attributes, orElse: "{}")
        if event.items >= 0 { walk(items, event.items, orElse: "[]") }
    }

    /// Checks an event as it was received.
    ///
    /// - Parameters:
    ///   - number: The event's number in the plan.
    ///   - json: The whole event.
    public mutating func inspect(_ number: Int, event json: UnsafeRawBufferPointer) {
        inspect(number, attributes: Self.member("attributes", of: json), items: Self.member("items", of: json))
    }

    private static func member(_ key: StaticString, of json: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        do throws(JSONError) {
            guard let range = try JSONScanner.member(key, of: json) else { return nil }
            return UnsafeRawBufferPointer(rebasing: json[range])
        } catch {
            return nil  // Admission validated the text; a value that is not an object has no members.
        }
    }

    private mutating func walk(_ bytes: UnsafeRawBufferPointer?, _ schema: Int32, orElse nothing: StaticString) {
        let empty = UnsafeRawBufferPointer(start: nothing.utf8Start, count: nothing.utf8CodeUnitCount)
        let bytes = bytes ?? empty
        do throws(JSONError) {
            var scanner = try JSONScanner(bytes, limits: JSONLimits(bytes: bytes.count))
            _ = try value(&scanner, schema)
        } catch {
            // Cannot happen: admission validated the text.
        }
    }

    private mutating func find(_ code: PlanCode, _ schema: Int32, name: String = "") {
        let finding = PlanFinding(schema: schema, code: code, name: name)
        guard !findings.contains(finding) else { return }
        if findings.count < PlanLimits.findings - 1 {
            findings.append(finding)
        } else if findings.last?.code != .more {
            findings.append(PlanFinding(schema: schema, code: .more))
        }
    }

    /// Checks a value.
    ///
    /// - Returns: Whether the value is present. Null counts as absent.
    private mutating func value(_ scanner: inout JSONScanner, _ number: Int32) throws(JSONError) -> Bool {
        let index = Int(number)
        let kind = try scanner.peek()
        if kind == .null {
            try scanner.readNull()
            return false
        }
        if checker.schemas[index].isFree {
            try scanner.skipValue()
            return true
        }
        let kinds = checker.schemas[index].kinds
        switch kind {
        case .null: break
        case .string:
            let text = try scanner.readText()
            if kinds.contains(.string) { check(text, scanner, number) } else { find(.type, number) }
        case .number:
            let found = try scanner.readNumber().simplest
            var isFitting = kinds.contains(.number)
            if case .integer = found { isFitting = isFitting || kinds.contains(.integer) }
            if case .double(let double) = found, abs(double) >= 0x1p63 {
                isFitting = isFitting || kinds.contains(.integer)
            }
            if isFitting { check(found, number) } else { find(.type, number) }
        case .boolean:
            let truth = try scanner.readBoolean()
            if !kinds.contains(.boolean) {
                find(.type, number)
            } else if checker.schemas[index].isListed, !checker.schemas[index].truths.contains(truth) {
                find(.value, number)
            }
        case .array: try array(&scanner, number)
        case .object: try members(&scanner, number)
        }
        return true
    }

    private mutating func array(_ scanner: inout JSONScanner, _ number: Int32) throws(JSONError) {
        let index = Int(number)
        guard checker.schemas[index].kinds.contains(.array) else {
            find(.type, number)
            try scanner.skipValue()
            return
        }
        if checker.schemas[index].isListed { find(.value, number) }
        let elements = checker.schemas[index].elements
        var count = 0
        try scanner.enterArray()
        while try scanner.nextElement() {
            count &+= 1
            if elements >= 0 { _ = try value(&scanner, elements) } else { try scanner.skipValue() }
        }
        if let least = checker.schemas[index].minimumCount, count < least { find(.minimumCount, number) }
        if let most = checker.schemas[index].maximumCount, count > most { find(.maximumCount, number) }
    }

    private mutating func members(_ scanner: inout JSONScanner, _ number: Int32) throws(JSONError) {
        let index = Int(number)
        guard checker.schemas[index].kinds.contains(.object) else {
            find(.type, number)
            try scanner.skipValue()
            return
        }
        if checker.schemas[index].isListed { find(.value, number) }
        object &+= 1
        if object == 0 {
            // The number wraps around after about four billion objects.
            visited = Array(repeating: 0, count: visited.count)
            object = 1
        }
        let own = object
        let properties = checker.schemas[index].properties
        var present = 0
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            guard let property = property(key, scanner, properties) else {
                try additional(&scanner, key, number)
                continue
            }
            guard try value(&scanner, checker.properties[property].schema), visited[property] != own else { continue }
            visited[property] = own
            if checker.properties[property].isRequired { present &+= 1 }
        }
        guard present < checker.schemas[index].required else { return }
        for property in properties where checker.properties[property].isRequired && visited[property] != own {
            find(.missing, checker.properties[property].schema)
        }
    }

    private func property(_ key: JSONStringRange, _ scanner: JSONScanner, _ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        guard key.hasEscapes else { return checker.property(scanner.bytes(key.range), in: range) }
        var name = scanner.string(key)
        return name.withUTF8 { checker.property(UnsafeRawBufferPointer($0), in: range) }
    }

    private mutating func additional(
        _ scanner: inout JSONScanner,
        _ key: JSONStringRange,
        _ number: Int32
    ) throws(JSONError) {
        switch checker.schemas[Int(number)].additional {
        case .allowed: try scanner.skipValue()
        case .schema(let schema): _ = try value(&scanner, schema)
        case .forbidden:
            let name = scanner.string(key)
            // Clients add their own names to those of the app, such as a session id or the reason for an omitted value.
            let isTheirs = checker.schemas[Int(number)].isRoot && (name.hasPrefix("_") || name.hasPrefix("$"))
            if try scanner.peek() == .null || isTheirs {
                try scanner.skipValue()
            } else {
                try scanner.skipValue()
                find(.unexpected, number, name: name)
            }
        }
    }

    // MARK: Strings and numbers

    private mutating func check(_ text: JSONStringRange, _ scanner: JSONScanner, _ number: Int32) {
        guard text.hasEscapes else {
            check(scanner.bytes(text.range), number)
            return
        }
        let resolved = Array(scanner.string(text).utf8)
        resolved.withUnsafeBytes { check($0, number) }
    }

    private mutating func check(_ text: UnsafeRawBufferPointer, _ number: Int32) {
        let index = Int(number)
        if checker.schemas[index].isListed, !checker.isListed(text, in: checker.schemas[index].texts) {
            find(.value, number)
        }
        let (least, most) = (checker.schemas[index].minimumLength, checker.schemas[index].maximumLength)
        if least != nil || most != nil {
            // Bytes of the form 10xxxxxx continue a character.
            let length = text.count { $0 & 0xC0 != 0x80 }
            if let least, length < least { find(.minimumLength, number) }
            if let most, length > most { find(.maximumLength, number) }
        }
        if checker.schemas[index].isDateTime, !DateTimeText.isValid(text) { find(.dateTime, number) }
    }

    private mutating func check(_ found: JSONNumber, _ number: Int32) {
        let index = Int(number)
        if checker.schemas[index].isListed, !checker.schemas[index].numbers.contains(found) { find(.value, number) }
        if let minimum = checker.schemas[index].minimum {
            let isBelow = minimum.isExclusive ? !minimum.number.isLess(than: found) : found.isLess(than: minimum.number)
            if isBelow { find(.minimum, number) }
        }
        if let maximum = checker.schemas[index].maximum {
            let isAbove = maximum.isExclusive ? !found.isLess(than: maximum.number) : maximum.number.isLess(than: found)
            if isAbove { find(.maximum, number) }
        }
    }
}

/// A date and time as in RFC 3339.
enum DateTimeText {
    /// Whether a string is valid, such as `2026-11-21T06:38:00Z`.
    ///
    /// The seconds may have a fraction; the time is in UTC or has an offset.
    static func isValid(_ text: UnsafeRawBufferPointer) -> Bool {
        // A longer string would have about a hundred decimal places.
        guard (20...128).contains(text.count), text[10] | 0x20 == UInt8(ascii: "t") else { return false }
        func two(_ at: Int) -> Int {
            let (tens, ones) = (text[at] &- 0x30, text[at + 1] &- 0x30)
            return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : -1
        }
        for (at, sign) in [
            (4, UInt8(ascii: "-")), (7, UInt8(ascii: "-")), (13, UInt8(ascii: ":")), (16, UInt8(ascii: ":")),
        ]
        where text[at] != sign { return false }
        let (century, year, month, day) = (two(0), two(2), two(5), two(8))
        guard century >= 0, year >= 0, (1...12).contains(month), day >= 1 else { return false }
        let isLeap = year % 4 == 0 && (year != 0 || century % 4 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= days[month - 1], (0..<24).contains(two(11)), (0..<60).contains(two(14)), (0...60).contains(two(17))
        else { return false }
        var at = 19
        if text[at] == UInt8(ascii: ".") {
            let first = at + 1
            at = first
            while at < text.count, text[at] &- 0x30 < 10 { at += 1 }
            guard at > first else { return false }
        }
        guard at < text.count else { return false }
        if text[at] | 0x20 == UInt8(ascii: "z") { return at + 1 == text.count }
        guard text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-"), at + 6 == text.count,
            text[at + 3] == UInt8(ascii: ":")
        else { return false }
        return (0..<24).contains(two(at + 1)) && (0..<60).contains(two(at + 4))
    }
}
