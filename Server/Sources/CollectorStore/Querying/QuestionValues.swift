// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Reads the values of a question's fields out of events and their contexts.
struct QuestionValues {
    /// How many contexts are remembered: events of one context lie together.
    private static let rememberedContexts = 4_096

    private let fields: [QuestionField]
    /// The names of the attributes among them as UTF-8, and which field each is.
    private let attributes: [(name: [UInt8], field: Int)]
    private let readsContext: Bool
    private let findContext: RawStatement
    private var contexts: [Int64: [QuestionValue?]] = [:]
    /// The values of the event that is read. Whoever was given them has let go of them before the next event, so no event needs memory
    /// of its own.
    private var found: [QuestionValue?]
    /// Texts that were met lately, by a few bits of each: most events have one of a few.
    private var recentTexts: [[UInt8]] = Array(repeating: [], count: 32)

    /// A reader of these fields.
    init(_ fields: [QuestionField], _ db: Database) throws {
        self.fields = fields
        found = Array(repeating: nil, count: fields.count)
        attributes = fields.enumerated().compactMap { index, field in
            if case .attribute(let name) = field { (Array(name.utf8), index) } else { nil }
        }
        readsContext = attributes.count < fields.count
        findContext = try RawStatement(db, "SELECT content FROM contexts WHERE number = ?")
    }

    /// The values of an event, in the order of the fields; nil for what it lacks.
    ///
    /// - Complexity: O(bytes of the event), and of its context when that was not met lately.
    mutating func values(body: UnsafeRawBufferPointer, context: Int64?) throws -> [QuestionValue?] {
        forget()
        if !attributes.isEmpty {
            do throws(JSONError) {
                try read(body)
            } catch {
                // Admission checked the text: what is no object has no attributes.
            }
        }
        return try completed(context: context)
    }

    /// The same, of an event whose attributes are these; empty when it has none.
    mutating func values(attributes object: UnsafeRawBufferPointer, context: Int64?) throws -> [QuestionValue?] {
        forget()
        if !attributes.isEmpty, !object.isEmpty {
            do throws(JSONError) {
                var scanner = try JSONScanner(object)
                try readAttributes(&scanner)
            } catch {
                // As above.
            }
        }
        return try completed(context: context)
    }

    private mutating func forget() {
        for index in found.indices { found[index] = nil }
    }

    /// The values, with what the event's context says.
    private mutating func completed(context: Int64?) throws -> [QuestionValue?] {
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

    /// Reads the object of attributes that comes next.
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

    /// The value that comes next. Nearly all are plain texts and numbers, of which no other value is made on the way.
    private mutating func value(_ scanner: inout JSONScanner) throws(JSONError) -> QuestionValue? {
        switch try scanner.peek() {
        case .number:
            return .number(try scanner.readNumber().simplest)
        case .string:
            let text = try scanner.readText()
            return .text(text.hasEscapes ? Array(scanner.string(text).utf8) : known(scanner.bytes(text.range)))
        default:
            return QuestionValue(try scanner.readValue())
        }
    }

    /// A text, without memory of its own when it was met lately.
    private mutating func known(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        guard let first = bytes.first, let last = bytes.last else { return [] }
        let place = (bytes.count &* 5 &+ Int(first) &+ Int(last) &* 3) % recentTexts.count
        if recentTexts[place].count == bytes.count, recentTexts[place].elementsEqual(bytes) {
            return recentTexts[place]
        }
        let text = Array(bytes)
        // Long ones are met once.
        if text.count <= 64 { recentTexts[place] = text }
        return text
    }

    private func field(_ key: JSONText, _ scanner: JSONScanner) -> Int? {
        if key.hasEscapes {
            let name = Array(scanner.string(key).utf8)
            return attributes.first { $0.name == name }?.field
        }
        let name = scanner.bytes(key.range)
        return attributes.first { $0.name.count == name.count && $0.name.elementsEqual(name) }?.field
    }

    private mutating func values(ofContext number: Int64) throws -> [QuestionValue?] {
        if let known = contexts[number] { return known }
        findContext.bind(1, number)
        defer { findContext.reset() }
        var values = [QuestionValue?](repeating: nil, count: fields.count)
        // Admission checked the text: what cannot be read says nothing.
        if try findContext.step(), let context = try? JSONValue.parse(findContext.bytes(0)) {
            values = fields.map { field in
                switch field {
                case .attribute(let name): Self.value(["global", name], of: context)
                case .context(let path): Self.value(path, of: context)
                }
            }
        }
        if contexts.count >= Self.rememberedContexts { contexts.removeAll(keepingCapacity: true) }
        contexts[number] = values
        return values
    }

    /// The value at the end of a path. Names are compared byte by byte, as everywhere in the index.
    private static func value(_ path: [String], of context: JSONValue) -> QuestionValue? {
        var value = context
        for part in path {
            guard let member = value.object?.members.last(where: { $0.key.utf8.elementsEqual(part.utf8) }) else {
                return nil
            }
            value = member.value
        }
        return QuestionValue(value)
    }
}
