// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Named strings that an app provided.
///
/// Entries that are not strings are stored, too, so that they can be named when the event is rejected.
package struct SiftStrings: Sendable, Hashable {
    /// An entry whose name or value is not a string.
    package struct InvalidEntry: Sendable, Hashable, Comparable {
        /// The entry's name as text.
        package var name: String
        /// A description of the invalid value or name.
        package var value: String

        /// Orders entries alphabetically.
        package static func < (left: Self, right: Self) -> Bool {
            (left.name, left.value) < (right.name, right.value)
        }
    }

    /// The entries whose names and values are strings.
    package var texts: [String: String]
    /// The other entries, in alphabetical order.
    package private(set) var invalidEntries: [InvalidEntry] = []

    /// Creates strings without invalid entries.
    package init(_ texts: [String: String]) {
        self.texts = texts
    }

    /// Creates strings and invalid entries from a dictionary.
    package init(_ entries: [AnyHashable: Any]) {
        texts = [:]
        for (key, value) in entries {
            switch (key.base as? String, value as? String) {
            case (let name?, let text?): texts[name] = text
            case (let name?, nil):
                invalidEntries.append(InvalidEntry(name: name, value: "\(value) (\(type(of: value)))"))
            case (nil, _):
                invalidEntries.append(InvalidEntry(name: "", value: "the name \(key.base) (\(type(of: key.base)))"))
            }
        }
        invalidEntries.sort()
    }

    /// Adds an entry that is not a string.
    package mutating func add(_ entry: InvalidEntry) {
        invalidEntries.append(entry)
        invalidEntries.sort()
    }
}
