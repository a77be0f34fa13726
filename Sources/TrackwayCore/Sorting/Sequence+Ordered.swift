// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The compiler would generate `sorted` for every element type and comparison, several kilobytes each. These functions
// share the standard library's generic code. It calls a function for each comparison, so code that must be fast uses
// `sorted`.

extension Sequence {
    /// Returns the elements in the order of a comparison.
    ///
    /// - Complexity: O(n log n).
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    package func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
        sorted(by: precedes)
    }
}

extension Sequence where Element: Comparable {
    /// Returns the elements in ascending order.
    ///
    /// - Complexity: O(n log n).
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    package func ordered() -> [Element] {
        sorted()
    }
}
