// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A device property that is another than at the snapshot before.
package struct PropertyChange: Sendable, Hashable {
    /// The property's name.
    package var name: String
    /// What it was; nil when it was not told.
    package var before: JSONValue?
    /// What it is; nil when it is not told any more.
    package var after: JSONValue?

    /// A change of a property.
    package init(name: String, before: JSONValue?, after: JSONValue?) {
        self.name = name
        self.before = before
        self.after = after
    }

    /// What differs between two snapshots, in the order of names. A number is the same with a fraction of zero as without.
    ///
    /// - Complexity: O(n log n).
    package static func between(_ before: JSONValue.Object, _ after: JSONValue.Object) -> [PropertyChange] {
        let old = Dictionary(before.members.map { ($0.key, $0.value) }) { $1 }
        let new = Dictionary(after.members.map { ($0.key, $0.value) }) { $1 }
        return Set(old.keys).union(new.keys).sorted().compactMap { name in
            guard !isSame(old[name], new[name]) else { return nil }
            return PropertyChange(name: name, before: old[name], after: new[name])
        }
    }

    private static func isSame(_ before: JSONValue?, _ after: JSONValue?) -> Bool {
        if before == after { return true }
        guard let before = before?.double, let after = after?.double else { return false }
        return before == after
    }
}
