// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

extension JSONValue.Object {
    /// Appends a member unless its value is null.
    mutating func put(_ key: String, _ value: JSONValue?) {
        guard let value, value != .null else { return }
        members.append(.init(key: key, value: value))
    }

    /// Removes a member and returns its last value.
    ///
    /// Nil if the member is missing or null.
    mutating func take(_ key: String) -> JSONValue? {
        guard let value = self[key] else { return nil }
        members.removeAll { $0.key == key }
        return value == .null ? nil : value
    }

    /// Removes the members with the given keys.
    mutating func remove(_ keys: Set<String>) {
        members.removeAll { keys.contains($0.key) }
    }

    /// Adds a value under a key unless the key exists.
    mutating func putNew(_ key: String, _ value: JSONValue?) {
        if self[key] == nil { put(key, value) }
    }

    /// Moves members into a section of a context, under our names.
    ///
    /// - Parameter unknown: Strings that stand for an unknown fact, which our format omits.
    mutating func take(
        _ keys: [(source: String, target: String)],
        into section: inout Attributes,
        unless unknown: Set<String> = [""]
    ) {
        for (source, target) in keys {
            guard let value = take(source), value.string.map(unknown.contains) != true else { continue }
            section[target] = AttributeValue(value)
        }
    }

    /// The object without members that are null.
    var withoutNulls: JSONValue.Object { JSONValue.Object(members.filter { $0.value != .null }) }
}

extension JSONValue {
    /// The value as a whole number.
    ///
    /// The number may be written with a zero fraction, such as `3.0`.
    var wholeNumber: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value.rounded(.towardZero)).flatMap { Double($0) == value ? $0 : nil }
        case .null, .boolean, .string, .array, .object: nil
        }
    }

    /// The value as text; nil if it is empty or not text.
    var text: String? { string.flatMap { $0.isEmpty ? nil : $0 } }

    /// The value with the members of every object sorted by key.
    ///
    /// Equal content gives equal text, regardless of the order of a client's dictionaries.
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
