// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Reads the values of a query's fields from events and their contexts.
///
/// Values of people are missing; ``PersonValues`` reads them.
struct QueryFieldReader {
    /// The maximum number of cached contexts.
    ///
    /// Events with the same context are usually consecutive.
    private static let rememberedContexts = 4_096

    private let fields: [QueryField]
    /// The names of the attributes in UTF-8, each with the index of its field.
    private let attributes: [(name: [UInt8], field: Int)]
    private let readsContext: Bool
    private let findContext: RawStatement
    private var contexts: [Int64: [QueryValue?]] = [:]
    /// The values of the current event.
    ///
    /// The caller releases the values before the next event, so this array's memory is reused for every event.
    private var found: [QueryValue?]
    /// Recently read strings, in slots chosen by a few of their bits.
    ///
    /// Most events contain one of a few strings.
    private var recentTexts: [[UInt8]] = Array(repeating: [], count: 32)

    /// Creates a reader of the given fields.
    init(_ fields: [QueryField], _ db: Database) throws {
        self.fields = fields
        found = Array(repeating: nil, count: fields.count)
        attributes = fields.enumerated().compactMap { index, field in
            if case .attribute(let name) = field { (Array(name.utf8), index) } else { nil }
        }
        readsContext = fields.contains { if case .context = $0 { true } else { false } }
        findContext = try RawStatement(db, "SELECT content FROM contexts WHERE number = ?")
    }

    /// Returns the values of an event in the order of the fields.
    ///
    /// Missing values are nil.
    ///
    /// - Complexity: O(bytes of the event), and of its context if that is not cached.
    mutating func values(body: UnsafeRawBufferPointer, context: Int64?) throws -> [QueryValue?] {
        forget()
        if !attributes.isEmpty {
            do throws(JSONError) {
                try read(body)
            } catch {
                // Admission has validated the text; a value that is not an object has no attributes.
            }
        }
        return try completed(context: context)
    }

    /// Returns the values of an event with the given attributes.
    ///
    /// Pass an empty buffer if the event has no attributes.
    mutating func values(attributes object: UnsafeRawBufferPointer, context: Int64?) throws -> [QueryValue?] {
        forget()
        if !attributes.isEmpty, !object.isEmpty {
            do throws(JSONError) {
                var scanner = try JSONScanner(object)
                try readAttributes(&scanner)
            } catch {
                // Admission has validated the text; a value that is not an object has no attributes.
            }
        }
        return try completed(context: context)
    }

    private mutating func forget() {
        for index in found.indices { found[index] = nil }
    }

    /// Adds the values of the event's context.
    private mutating func completed(context: Int64?) throws -> [QueryValue?] {
        guard let context, readsContext || attributes.contains(where: { found[$0.field] == nil }) else {
            return found
        }
        for (index, value) in try self.values(ofContext: context).enumerated() where found[index] == nil {
            found[index] = value
        }
        return found
    }

    private mutating func read(_ body: UnsafeRawBufferPointer) throws(JSONError) {
        var scanner = try JSONScanner(body)
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            guard scanner.text(key, equals: "attributes"), try scanner.peek() == .object else {
                try scanner.skipValue()
                continue
            }
            try readAttributes(&scanner)
        }
    }

    /// Reads the attributes object at the scanner's position.
    private mutating func readAttributes(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if let field = field(key, scanner) {
                found[field] = try value(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
    }

    /// Reads the next value.
    ///
    /// Almost all values are unescaped strings and numbers, for which no intermediate value is created.
    private mutating func value(_ scanner: inout JSONScanner) throws(JSONError) -> QueryValue? {
        switch try scanner.peek() {
        case .number:
            return .number(try scanner.readNumber().simplest)
        case .string:
            let text = try scanner.readText()
            return .text(text.hasEscapes ? Array(scanner.string(text).utf8) : known(scanner.bytes(text.range)))
        default:
            return QueryValue(try scanner.readValue())
        }
    }

    /// Returns a string, without allocating if it was read recently.
    private mutating func known(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        guard let first = bytes.first, let last = bytes.last else { return [] }
        let place = (bytes.count &* 5 &+ Int(first) &+ Int(last) &* 3) % recentTexts.count
        if recentTexts[place].count == bytes.count, recentTexts[place].elementsEqual(bytes) {
            return recentTexts[place]
        }
        let text = Array(bytes)
        // Long strings rarely repeat.
        if text.count <= 64 { recentTexts[place] = text }
        return text
    }

    private func field(_ key: JSONStringRange, _ scanner: JSONScanner) -> Int? {
        if key.hasEscapes {
            let name = Array(scanner.string(key).utf8)
            return attributes.first { $0.name == name }?.field
        }
        let name = scanner.bytes(key.range)
        return attributes.first { $0.name.count == name.count && $0.name.elementsEqual(name) }?.field
    }

    private mutating func values(ofContext number: Int64) throws -> [QueryValue?] {
        if let known = contexts[number] { return known }
        findContext.bind(1, number)
        defer { findContext.reset() }
        var values = [QueryValue?](repeating: nil, count: fields.count)
        // Admission has validated the text; an unreadable context has no values.
        if try findContext.step(), let context = try? JSONValue.parse(findContext.bytes(0)) {
            values = fields.map { field in
                switch field {
                case .attribute(let name): Self.value(["global", name], of: context)
                case .context(let path): Self.value(path, of: context)
                case .person, .cohort: nil
                }
            }
        }
        if contexts.count >= Self.rememberedContexts { contexts.removeAll(keepingCapacity: true) }
        contexts[number] = values
        return values
    }

    /// Returns the value at the end of a path.
    ///
    /// Names are compared byte by byte, as everywhere in the index.
    private static func value(_ path: [String], of context: JSONValue) -> QueryValue? {
        var value = context
        for part in path {
            guard let member = value.object?.members.last(where: { $0.key.utf8.elementsEqual(part.utf8) }) else {
                return nil
            }
            value = member.value
        }
        return QueryValue(value)
    }
}
