// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A collection that removes its largest element first.
struct MaxHeap<Element: Comparable & Sendable>: Sendable {
    /// The elements; each is at least as large as those at twice its index plus one and two.
    private(set) var elements: [Element] = []

    /// The largest element.
    var first: Element? { elements.first }
    var count: Int { elements.count }

    /// Adds elements.
    ///
    /// - Complexity: O(new elements × log count), and at most O(count).
    mutating func insert(_ new: [Element]) {
        let old = elements.count
        elements += new
        if new.count > old {
            for index in (0..<elements.count / 2).reversed() { sink(index) }
        } else {
            for index in old..<elements.count { rise(index) }
        }
    }

    /// Adds an element.
    ///
    /// - Complexity: O(log count).
    mutating func insert(_ element: Element) {
        elements.append(element)
        rise(elements.count - 1)
    }

    /// Removes and returns the largest element.
    ///
    /// - Complexity: O(log count).
    mutating func popFirst() -> Element? {
        guard let first = elements.first else { return nil }
        let last = elements.removeLast()
        if !elements.isEmpty {
            elements[0] = last
            sink(0)
        }
        return first
    }

    /// Keeps only the largest elements.
    ///
    /// - Complexity: O(count × log count).
    mutating func removeAll(exceptLargest limit: Int) {
        elements.sort(by: >)
        // A sorted array is a heap.
        if elements.count > limit { elements.removeSubrange(limit...) }
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard elements[parent] < elements[index] else { return }
            elements.swapAt(parent, index)
            index = parent
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var largest = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < elements.count && elements[largest] < elements[child] {
                largest = child
            }
            guard largest != index else { return }
            elements.swapAt(largest, index)
            index = largest
        }
    }
}
