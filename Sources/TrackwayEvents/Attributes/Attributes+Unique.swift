// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension Attributes {
    /// The pairs with each key once: the last value, in the place of the first. Keys differ when their bytes differ.
    ///
    /// - Complexity: O(n).
    package init(uniquing pairs: [(String, AttributeValue)]) {
        guard Self.hasDuplicate(pairs) else {
            self.init(pairs: pairs)
            return
        }
        var places: [[UInt8]: Int] = [:]
        var unique: [(String, AttributeValue)] = []
        for pair in pairs {
            let bytes = Array(pair.0.utf8)
            if let place = places[bytes] {
                unique[place].1 = pair.1
            } else {
                places[bytes] = unique.count
                unique.append(pair)
            }
        }
        self.init(pairs: unique)
    }

    private static func hasDuplicate(_ pairs: [(String, AttributeValue)]) -> Bool {
        var filter = KeyFilter()
        for (index, pair) in pairs.enumerated() where filter.mayHaveSeen(pair.0) {
            // Many keys make the filter guess often; hashing them all is then cheaper than looking each one up.
            if index > 64 || pairs[..<index].contains(where: { $0.0.utf8.elementsEqual(pair.0.utf8) }) { return true }
        }
        return false
    }
}
