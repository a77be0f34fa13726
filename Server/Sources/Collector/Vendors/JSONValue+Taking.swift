// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension JSONValue.Object {
    /// Appends a member unless its value is null.
    mutating func put(_ key: String, _ value: JSONValue?) {
        guard let value, value != .null else { return }
        members.append(.init(key: key, value: value))
    }

    /// Takes a member out: its last value, if it is there and not null.
    mutating func take(_ key: String) -> JSONValue? {
        guard let value = self[key] else { return nil }
        members.removeAll { $0.key == key }
        return value == .null ? nil : value
    }

    /// Removes members.
    mutating func remove(_ keys: Set<String>) {
        members.removeAll { keys.contains($0.key) }
    }

    /// Puts a value under a key unless the key is taken.
    mutating func putNew(_ key: String, _ value: JSONValue?) {
        if self[key] == nil { put(key, value) }
    }

    /// Takes members out and puts them into a section of a context, under our names.
    ///
    /// - Parameter unknown: Texts that say nothing: such a fact is absent with us.
    mutating func take(
        _ keys: [(theirs: String, ours: String)],
        into section: inout Attributes,
        unless unknown: Set<String> = [""]
    ) {
        for (theirs, ours) in keys {
            guard let value = take(theirs), value.string.map(unknown.contains) != true else { continue }
            section[ours] = AttributeValue(value)
        }
    }

    /// Without members that are null.
    var withoutNulls: JSONValue.Object { JSONValue.Object(members.filter { $0.value != .null }) }
}

extension JSONValue {
    /// A whole number: written as one, or as a fraction without a rest.
    var wholeNumber: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value.rounded(.towardZero)).flatMap { Double($0) == value ? $0 : nil }
        case .null, .boolean, .string, .array, .object: nil
        }
    }

    /// Text that says something.
    var text: String? { string.flatMap { $0.isEmpty ? nil : $0 } }

    /// The value with the members of every object in the order of their keys: the same text for the same content, however
    /// a client's dictionaries are ordered today.
    var inOrder: JSONValue {
        switch self {
        case .array(let values): .array(values.map(\.inOrder))
        case .object(let object):
            .object(
                .init(
                    object.members.map { .init(key: $0.key, value: $0.value.inOrder) }
                        .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                )
            )
        case .null, .boolean, .integer, .double, .string: self
        }
    }
}
