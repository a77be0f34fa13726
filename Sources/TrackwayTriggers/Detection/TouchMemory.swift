// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Which events a touch has fired, so that each fires once however many observers see the touch: the element, the application,
/// the app itself.
struct TouchMemory {
    private struct Entry {
        weak var touch: AnyObject?
        let timestamp: Double
        weak var event: TriggerEvent?
    }

    /// More than the fingers of two hands, with several events each.
    private static let bound = 64

    private var entries: [Entry] = []
    private var next = 0

    /// Remembers that an event fires for a touch.
    ///
    /// - Parameters:
    ///   - touch: the object that stands for the touch; it is not kept.
    ///   - timestamp: when the touch last changed.
    ///   - event: the event; it is not kept either.
    /// - Returns: Whether it was not remembered before.
    mutating func isFirst(_ touch: AnyObject, at timestamp: Double, of event: TriggerEvent) -> Bool {
        let isKnown = entries.contains { $0.touch === touch && $0.timestamp == timestamp && $0.event === event }
        guard !isKnown else { return false }
        let entry = Entry(touch: touch, timestamp: timestamp, event: event)
        if entries.count < Self.bound {
            entries.append(entry)
        } else {
            entries[next] = entry
            next = (next + 1) % Self.bound
        }
        return true
    }
}
