// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A ring buffer of the latest readings of a sensor.
///
/// When the buffer is full, a new reading replaces the oldest.
package struct ReadingBuffer<Reading: Sendable>: Sendable {
    /// The number of readings of each kind of motion in a snapshot.
    package static var defaultCapacity: Int { 10 }

    /// The maximum number of readings.
    package let capacity: Int
    private var slots: [Reading] = []
    /// The index of the oldest reading once the buffer is full.
    private var oldest = 0

    /// Creates an empty buffer.
    ///
    /// - Parameter capacity: The maximum number of readings. With zero or less, the buffer keeps none.
    package init(capacity: Int = ReadingBuffer.defaultCapacity) {
        self.capacity = max(capacity, 0)
    }

    /// The number of readings in the buffer.
    package var count: Int { slots.count }

    /// Whether the buffer is empty.
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
    /// - Returns: The reading that was replaced, or the new reading itself if the capacity is zero.
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

    /// Removes and returns all readings, oldest first.
    package mutating func drain() -> [Reading] {
        defer {
            slots = []
            oldest = 0
        }
        return readings
    }
}

extension ReadingBuffer: Equatable where Reading: Equatable {
    /// Returns whether both have equal capacities and the same readings in order.
    package static func == (left: Self, right: Self) -> Bool {
        left.capacity == right.capacity && left.readings == right.readings
    }
}
