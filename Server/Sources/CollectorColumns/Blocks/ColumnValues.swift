// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// The values of an event, or of a context, by their names, as they stand in two columns of equally many texts.
///
/// What a question finds under a name is decided here, once, as an index decides it when it is asked: the last of several values of
/// one name counts, null is no value, and an attribute that the event has not is that of all events, if the context has it.
package struct ColumnValues: Sendable, Hashable {
    /// One value.
    struct Entry: Sendable, Hashable {
        var name: [UInt8]
        var value: [UInt8]
    }

    private(set) var entries: [Entry] = []
    private var places: [[UInt8]: Int] = [:]

    /// No values.
    package init() {}

    /// How many values there are.
    package var count: Int { entries.count }

    /// The value under a name.
    package subscript(name: String) -> QuestionValue? {
        places[Array(name.utf8)].flatMap { QuestionValue(columnBytes: entries[$0].value) }
    }

    /// The attributes of an event.
    ///
    /// - Parameters:
    ///   - event: the event as it was received.
    ///   - global: what its context says of all events.
    /// - Complexity: O(bytes + values of the context).
    package init(event: UnsafeRawBufferPointer, global: ColumnValues) {
        var own: [[UInt8]: QuestionValue?] = [:]
        var order: [[UInt8]] = []
        do throws(JSONError) {
            try Self.read(event) { name, value in
                if own.updateValue(value, forKey: name) == nil { order.append(name) }
            }
        } catch {
            // Admission checked the text: what is no object has no attributes.
        }
        for name in order {
            if let value = own[name] ?? nil { set(name, value.columnBytes) }
        }
        for entry in global.entries where places[entry.name] == nil { set(entry.name, entry.value) }
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
            if let value = QuestionValue(value) { set(Array(name.utf8), value.columnBytes) }
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

    private mutating func set(_ name: [UInt8], _ value: [UInt8]) {
        places[name] = entries.count
        entries.append(Entry(name: name, value: value))
    }

    private mutating func add(_ object: JSONValue.Object, below path: [String], depth: Int) {
        for (name, value) in Self.last(of: object) where name.utf8.count <= QuestionLimits.nameBytes {
            guard let found = QuestionValue(value) else { continue }
            set(Self.name(of: path + [name]), found.columnBytes)
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

    private static func read(
        _ event: UnsafeRawBufferPointer,
        _ body: ([UInt8], QuestionValue?) -> Void
    ) throws(JSONError) {
        var scanner = try JSONScanner(event)
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            guard scanner.text(key, equals: "attributes"), try scanner.peek() == .object else {
                try scanner.skipValue()
                continue
            }
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let name = key.hasEscapes ? Array(scanner.string(key).utf8) : Array(scanner.bytes(key.range))
                // No question can name a longer one.
                guard name.count <= QuestionLimits.nameBytes else {
                    try scanner.skipValue()
                    continue
                }
                body(name, QuestionValue(try scanner.readValue()))
            }
        }
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
