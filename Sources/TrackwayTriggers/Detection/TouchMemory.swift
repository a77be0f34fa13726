// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A record of the events that touches have fired.
///
/// With this record, each event fires only once per touch, even if several observers (the element, the application, and
/// the app's code) report the touch.
struct TouchMemory {
    private struct Entry {
        weak var touch: AnyObject?
        let timestamp: Double
        weak var event: TriggerEvent?
    }

    /// The maximum number of entries.
    ///
    /// This is enough for more than ten fingers with several events each.
    private static let capacity = 64

    private var entries: [Entry] = []
    private var next = 0

    /// Records that an event fires for a touch.
    ///
    /// - Parameters:
    ///   - touch: the object that represents the touch; it is not retained.
    ///   - timestamp: the time at which the touch last changed.
    ///   - event: the event; it is not retained.
    /// - Returns: Whether this combination was not recorded before.
    mutating func insert(_ touch: AnyObject, at timestamp: Double, of event: TriggerEvent) -> Bool {
        let isKnown = entries.contains { $0.touch === touch && $0.timestamp == timestamp && $0.event === event }
        guard !isKnown else { return false }
        let entry = Entry(touch: touch, timestamp: timestamp, event: event)
        if entries.count < Self.capacity {
            entries.append(entry)
        } else {
            entries[next] = entry
            next = (next + 1) % Self.capacity
        }
        return true
    }
}
