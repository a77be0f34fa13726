// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// The named values of an event or context, as two columns.
///
/// Both columns contain the same number of strings. The value that a query finds for a name is determined here, when
/// the block is written, by the rules that an SQLite index applies to queries. If a name has several values, the last
/// one is used. A null value counts as missing. An attribute that the event lacks is taken from the context's global
/// attributes, if they contain it.
package struct ColumnValues: Sendable {
    /// The ranges of one name and its value in ``bytes``.
    private struct Entry: Sendable {
        var name: Range<Int>
        /// The range of the value; empty for null.
        var value: Range<Int>
    }

    /// The number of names beyond which names are looked up by hash.
    ///
    /// A body may have a very large number of names.
    private static let maxLinearNames = 24

    /// The names and values in one buffer, because an event has many small ones.
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// The indexes of all names, once there are too many to compare one by one.
    private var indexes: [[UInt8]: Int] = [:]

    /// Creates a list without values.
    package init() {}

    /// The number of values.
    package var count: Int { entries.count }

    /// Returns the value with the given name.
    ///
    /// - Complexity: O(bytes).
    package subscript(name: String) -> QueryValue? {
        Array(name.utf8).withUnsafeBytes { index(of: $0) }
            .flatMap { QueryValue(columnBytes: bytes[entries[$0].value]) }
    }

    /// Creates the values of an event's attributes.
    ///
    /// - Parameters:
    ///   - event: The event as received.
    ///   - global: The global attributes from the event's context.
    /// - Complexity: O(bytes + values of the context).
    package init(event: UnsafeRawBufferPointer, global: ColumnValues) {
        bytes.reserveCapacity(event.count / 2)
        do throws(JSONError) {
            try read(event)
        } catch {
            // Admission checked the text. Content other than an object has no attributes.
        }
        if entries.contains(where: { $0.value.isEmpty }) {
            entries.removeAll { $0.value.isEmpty }
            indexes = [:]
            for (index, entry) in entries.enumerated() { addToIndex(entry, at: index) }
        }
        global.bytes.withUnsafeBytes { all in
            for entry in global.entries {
                let name = UnsafeRawBufferPointer(rebasing: all[entry.name])
                guard index(of: name) == nil else { continue }
                append(name)
                bytes.append(contentsOf: all[entry.value])
                entries[entries.count - 1].value = entries[entries.count - 1].name.upperBound..<bytes.count
            }
        }
    }

    /// Creates the values of a context's members, named by their paths.
    ///
    /// - Complexity: O(bytes × depth); the depth is at most ``QueryLimits/pathParts``.
    package init(context: JSONValue?) {
        guard case .object(let object)? = context else { return }
        add(object, below: [], depth: 1)
    }

    /// Creates the values of a context's global attributes.
    package init(global context: JSONValue?) {
        guard case .object(let object)? = context, case .object(let global)? = Self.lastMembers(of: object)["global"]
        else {
            return
        }
        for (name, value) in Self.lastMembers(of: global) where name.utf8.count <= QueryLimits.nameBytes {
            if let value = QueryValue(value) { set(Array(name.utf8), value) }
        }
    }

    /// Returns the name of the member at a path.
    package static func name(of path: [String]) -> [UInt8] {
        Array(path.map(escaped).joined(separator: ".").utf8)
    }

    private static func escaped(_ part: String) -> String {
        var text = ""
        for scalar in part.unicodeScalars {
            if scalar == "." || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    /// Writes the names, and then the values, as columns of a row.
    package func write(to row: inout RowBinary) {
        bytes.withUnsafeBytes { all in
            row.strings(entries.count) { UnsafeRawBufferPointer(rebasing: all[entries[$0].name]) }
            row.strings(entries.count) { UnsafeRawBufferPointer(rebasing: all[entries[$0].value]) }
        }
    }

    private mutating func set(_ name: [UInt8], _ value: QueryValue) {
        name.withUnsafeBytes { append($0) }
        value.appendColumnBytes(to: &bytes)
        entries[entries.count - 1].value = entries[entries.count - 1].name.upperBound..<bytes.count
    }

    /// Adds a new name, initially without a value.
    private mutating func append(_ name: UnsafeRawBufferPointer) {
        let start = bytes.count
        bytes.append(contentsOf: name)
        entries.append(Entry(name: start..<bytes.count, value: bytes.count..<bytes.count))
        if entries.count == Self.maxLinearNames + 1 {
            for (index, entry) in entries.enumerated() { addToIndex(entry, at: index) }
        } else {
            addToIndex(entries[entries.count - 1], at: entries.count - 1)
        }
    }

    private mutating func addToIndex(_ entry: Entry, at index: Int) {
        if entries.count > Self.maxLinearNames { indexes[Array(bytes[entry.name])] = index }
    }

    private func index(of name: UnsafeRawBufferPointer) -> Int? {
        if entries.count > Self.maxLinearNames { return indexes[Array(name)] }
        return bytes.withUnsafeBytes { all in
            entries.firstIndex { entry in
                entry.name.count == name.count && all[entry.name].elementsEqual(name)
            }
        }
    }

    private mutating func add(_ object: JSONValue.Object, below path: [String], depth: Int) {
        for (name, value) in Self.lastMembers(of: object) where name.utf8.count <= QueryLimits.nameBytes {
            guard let found = QueryValue(value) else { continue }
            set(Self.name(of: path + [name]), found)
            if case .object(let inner) = value, depth < QueryLimits.pathParts {
                add(inner, below: path + [name], depth: depth + 1)
            }
        }
    }

    /// Returns the last member with each name, in order of first occurrence.
    ///
    /// Names are compared byte by byte.
    private static func lastMembers(of object: JSONValue.Object) -> UniqueMembers {
        var members = UniqueMembers()
        for member in object.members { members.set(member) }
        return members
    }

    /// Reads an event's attributes; null values get no bytes.
    private mutating func read(_ event: UnsafeRawBufferPointer) throws(JSONError) {
        var scanner = try JSONScanner(event)
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            guard scanner.text(key, equals: "attributes"), try scanner.peek() == .object else {
                try scanner.skipValue()
                continue
            }
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let index =
                    key.hasEscapes
                    ? Array(scanner.string(key).utf8).withUnsafeBytes { entryIndex(of: $0) }
                    : entryIndex(of: scanner.bytes(key.range))
                if let index { try readValue(at: index, &scanner) } else { try scanner.skipValue() }
            }
        }
    }

    /// Returns the index of an attribute, adding the attribute if it is new.
    ///
    /// Returns nil if the name is longer than any that a query can contain.
    private mutating func entryIndex(of name: UnsafeRawBufferPointer) -> Int? {
        guard name.count <= QueryLimits.nameBytes else { return nil }
        if let known = index(of: name) { return known }
        append(name)
        return entries.count - 1
    }

    private mutating func readValue(at index: Int, _ scanner: inout JSONScanner) throws(JSONError) {
        let start = bytes.count
        // Nearly all values are plain strings and numbers, which need no intermediate objects.
        switch try scanner.peek() {
        case .number: QueryValue.number(try scanner.readNumber().simplest).appendColumnBytes(to: &bytes)
        case .string:
            let text = try scanner.readText()
            bytes.append(QueryValue.Mark.text)
            if text.hasEscapes {
                bytes.append(contentsOf: scanner.string(text).utf8)
            } else {
                bytes.append(contentsOf: scanner.bytes(text.range))
            }
        default: QueryValue(try scanner.readValue())?.appendColumnBytes(to: &bytes)
        }
        entries[index].value = start..<bytes.count
    }
}

/// The members of an object, one for each name.
private struct UniqueMembers: Sequence {
    private var list: [(name: String, value: JSONValue)] = []
    private var indexes: [[UInt8]: Int] = [:]

    mutating func set(_ member: JSONValue.Object.Member) {
        let name = Array(member.key.utf8)
        if let index = indexes[name] {
            list[index].value = member.value
        } else {
            indexes[name] = list.count
            list.append((member.key, member.value))
        }
    }

    subscript(name: String) -> JSONValue? { indexes[Array(name.utf8)].map { list[$0].value } }

    func makeIterator() -> IndexingIterator<[(name: String, value: JSONValue)]> { list.makeIterator() }
}
