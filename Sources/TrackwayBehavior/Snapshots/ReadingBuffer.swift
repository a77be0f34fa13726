// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The latest readings of a sensor, so many and no more: a new one takes the place of the oldest.
package struct ReadingBuffer<Reading: Sendable>: Sendable {
    /// How many a snapshot keeps of each kind of motion.
    package static var usualCapacity: Int { 10 }

    /// How many it holds.
    package let capacity: Int
    private var slots: [Reading] = []
    /// Where the oldest is, once it is full.
    private var oldest = 0

    /// An empty buffer.
    ///
    /// - Parameter capacity: With none, it keeps nothing.
    package init(capacity: Int = ReadingBuffer.usualCapacity) {
        self.capacity = max(capacity, 0)
    }

    /// How many readings are in it.
    package var count: Int { slots.count }

    /// True when there is none in it.
    package var isEmpty: Bool { slots.isEmpty }

    /// The oldest reading.
    package var first: Reading? { slots.isEmpty ? nil : slots[oldest] }

    /// The latest reading.
    package var last: Reading? { slots.isEmpty ? nil : slots[(oldest + slots.count - 1) % slots.count] }

    /// The readings, oldest first.
    ///
    /// - Complexity: O(count).
    package var readings: [Reading] { Array(slots[oldest...]) + slots[..<oldest] }

    /// Adds a reading.
    ///
    /// - Returns: The one whose place it took, or the reading itself when nothing is kept.
    @discardableResult
    package mutating func append(_ reading: Reading) -> Reading? {
        guard capacity > 0 else { return reading }
        guard slots.count == capacity else {
            slots.append(reading)
            return nil
        }
        let replaced = slots[oldest]
        slots[oldest] = reading
        oldest = (oldest + 1) % capacity
        return replaced
    }

    /// Takes all readings out, oldest first.
    package mutating func drain() -> [Reading] {
        defer {
            slots = []
            oldest = 0
        }
        return readings
    }
}

extension ReadingBuffer: Equatable where Reading: Equatable {
    /// True when both hold the same readings in the same order, and have room for as many.
    package static func == (left: Self, right: Self) -> Bool {
        left.capacity == right.capacity && left.readings == right.readings
    }
}
