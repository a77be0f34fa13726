// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// The values of an event, or of a context, by their names, as they stand in two columns of equally many texts.
///
/// What a question finds under a name is decided here, once, as an index decides it when it is asked: the last of several values of
/// one name counts, null is no value, and an attribute that the event has not is that of all events, if the context has it.
package struct ColumnValues: Sendable {
    /// Where one value stands in ``bytes``.
    private struct Entry: Sendable {
        var name: Range<Int>
        /// Empty for null.
        var value: Range<Int>
    }

    /// Beyond so many names a name is looked up by its hash: a body may have very many.
    private static let maxCompared = 24

    /// The names and values, one behind another: an event has many small ones.
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// The places of all names, once there are more than are compared one by one.
    private var places: [[UInt8]: Int] = [:]

    /// No values.
    package init() {}

    /// How many values there are.
    package var count: Int { entries.count }

    /// The value under a name.
    ///
    /// - Complexity: O(bytes).
    package subscript(name: String) -> QuestionValue? {
        Array(name.utf8).withUnsafeBytes { place(of: $0) }
            .flatMap { QuestionValue(columnBytes: bytes[entries[$0].value]) }
    }

    /// The attributes of an event.
    ///
    /// - Parameters:
    ///   - event: the event as it was received.
    ///   - global: what its context says of all events.
    /// - Complexity: O(bytes + values of the context).
    package init(event: UnsafeRawBufferPointer, global: ColumnValues) {
        bytes.reserveCapacity(event.count / 2)
        do throws(JSONError) {
            try read(event)
        } catch {
            // Admission checked the text: what is no object has no attributes.
        }
        if entries.contains(where: { $0.value.isEmpty }) {
            entries.removeAll { $0.value.isEmpty }
            places = [:]
            for (place, entry) in entries.enumerated() { note(entry, at: place) }
        }
        global.bytes.withUnsafeBytes { all in
            for entry in global.entries {
                let name = UnsafeRawBufferPointer(rebasing: all[entry.name])
                guard place(of: name) == nil else { continue }
                enter(name)
                bytes.append(contentsOf: all[entry.value])
                entries[entries.count - 1].value = entries[entries.count - 1].name.upperBound..<bytes.count
            }
        }
    }

    /// The members of a context, by their paths.
    ///
    /// - Complexity: O(bytes × depth), at most ``QuestionLimits/pathParts`` deep.
    package init(context: JSONValue?) {
        guard case .object(let object)? = context else { return }
        add(object, below: [], depth: 1)
    }

    /// What a context says of all events.
    package init(global context: JSONValue?) {
        guard case .object(let object)? = context, case .object(let global)? = Self.last(of: object)["global"] else {
            return
        }
        for (name, value) in Self.last(of: global) where name.utf8.count <= QuestionLimits.nameBytes {
            if let value = QuestionValue(value) { set(Array(name.utf8), value) }
        }
    }

    /// The name under which the member at the end of a path stands.
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

    private mutating func set(_ name: [UInt8], _ value: QuestionValue) {
        name.withUnsafeBytes { enter($0) }
        value.appendColumnBytes(to: &bytes)
        entries[entries.count - 1].value = entries[entries.count - 1].name.upperBound..<bytes.count
    }

    /// A name that was not met before, without a value so far.
    private mutating func enter(_ name: UnsafeRawBufferPointer) {
        let start = bytes.count
        bytes.append(contentsOf: name)
        entries.append(Entry(name: start..<bytes.count, value: bytes.count..<bytes.count))
        if entries.count == Self.maxCompared + 1 {
            for (place, entry) in entries.enumerated() { note(entry, at: place) }
        } else {
            note(entries[entries.count - 1], at: entries.count - 1)
        }
    }

    private mutating func note(_ entry: Entry, at place: Int) {
        if entries.count > Self.maxCompared { places[Array(bytes[entry.name])] = place }
    }

    private func place(of name: UnsafeRawBufferPointer) -> Int? {
        if entries.count > Self.maxCompared { return places[Array(name)] }
        return bytes.withUnsafeBytes { all in
            entries.firstIndex { entry in
                entry.name.count == name.count && all[entry.name].elementsEqual(name)
            }
        }
    }

    private mutating func add(_ object: JSONValue.Object, below path: [String], depth: Int) {
        for (name, value) in Self.last(of: object) where name.utf8.count <= QuestionLimits.nameBytes {
            guard let found = QuestionValue(value) else { continue }
            set(Self.name(of: path + [name]), found)
            if case .object(let inner) = value, depth < QuestionLimits.pathParts {
                add(inner, below: path + [name], depth: depth + 1)
            }
        }
    }

    /// The last member of each name, names compared byte by byte, in the order in which the names come first.
    private static func last(of object: JSONValue.Object) -> Members {
        var members = Members()
        for member in object.members { members.set(member) }
        return members
    }

    /// Reads an event's attributes; those that are null get no bytes.
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
                let place =
                    key.hasEscapes
                    ? Array(scanner.string(key).utf8).withUnsafeBytes { begin($0) } : begin(scanner.bytes(key.range))
                if let place { try readValue(at: place, &scanner) } else { try scanner.skipValue() }
            }
        }
    }

    /// The place of an attribute of this name, which may be new; nil for a name longer than any question can name.
    private mutating func begin(_ name: UnsafeRawBufferPointer) -> Int? {
        guard name.count <= QuestionLimits.nameBytes else { return nil }
        if let known = place(of: name) { return known }
        enter(name)
        return entries.count - 1
    }

    private mutating func readValue(at place: Int, _ scanner: inout JSONScanner) throws(JSONError) {
        let start = bytes.count
        // Nearly all are plain texts and numbers, of which nothing is made on the way.
        switch try scanner.peek() {
        case .number: QuestionValue.number(try scanner.readNumber().simplest).appendColumnBytes(to: &bytes)
        case .string:
            let text = try scanner.readText()
            bytes.append(QuestionValue.Mark.text)
            if text.hasEscapes {
                bytes.append(contentsOf: scanner.string(text).utf8)
            } else {
                bytes.append(contentsOf: scanner.bytes(text.range))
            }
        default: QuestionValue(try scanner.readValue())?.appendColumnBytes(to: &bytes)
        }
        entries[place].value = start..<bytes.count
    }
}

/// Members by their names, each once.
private struct Members: Sequence {
    private var list: [(name: String, value: JSONValue)] = []
    private var places: [[UInt8]: Int] = [:]

    mutating func set(_ member: JSONValue.Object.Member) {
        let name = Array(member.key.utf8)
        if let place = places[name] {
            list[place].value = member.value
        } else {
            places[name] = list.count
            list.append((member.key, member.value))
        }
    }

    subscript(name: String) -> JSONValue? { places[Array(name.utf8)].map { list[$0].value } }

    func makeIterator() -> IndexingIterator<[(name: String, value: JSONValue)]> { list.makeIterator() }
}
