// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// An event's name, shared by all events of one transaction that have it.
final class EventName {
    /// The name's number in the transaction, from 0.
    ///
    /// Counts by name use it as their index.
    let number: Int
    let text: String
    /// The name in UTF-8, valid while this object lives; statements read it without copying.
    let bytes: UnsafeRawBufferPointer
    /// The kind of captured event; nil for events that are only stored.
    let captured: CapturedKind?

    init(_ text: String, number: Int) {
        self.text = text
        self.number = number
        captured = CapturedKind(text)
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
        copy.copyBytes(from: text.utf8)
        bytes = UnsafeRawBufferPointer(copy)
    }

    deinit {
        bytes.deallocate()
    }
}

/// The names of one transaction's events.
///
/// About six sums are grouped by name. A name is looked up by its bytes, once for all sums, so a string is created only
/// once per name.
final class EventNames {
    private var names: [EventName] = []
    /// The hash and the bytes of each element of ``names``, in the same order, used for lookups.
    private var keys: [(hash: Int, bytes: [UInt8])] = []
    /// The open-addressing hash table: the number of a name, or -1.
    ///
    /// The number of slots is a power of two, and at least half of the slots are free.
    private var slots = [Int32](repeating: -1, count: 128)

    /// Returns the name of an event.
    ///
    /// - Throws: `JSONError` for a name that cannot be read; admission has already checked the name.
    /// - Complexity: O(bytes). Hashes are seeded per process, so a sender cannot choose names that collide.
    func name(of event: ReceivedEvent) throws(JSONError) -> EventName {
        guard let bytes = event.plainName else { return try name(event.name()) }
        return name(bytes)
    }

    /// Returns the shared name object for a text.
    func name(_ text: String) -> EventName {
        var text = text
        return text.withUTF8 { name(UnsafeRawBufferPointer($0)) }
    }

    private func name(_ bytes: UnsafeRawBufferPointer) -> EventName {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        let hash = hasher.finalize()
        var slot = hash & (slots.count - 1)
        while slots[slot] >= 0 {
            let number = Int(slots[slot])
            if keys[number].hash == hash, keys[number].bytes.elementsEqual(bytes) { return names[number] }
            slot = (slot + 1) & (slots.count - 1)
        }
        let name = EventName(String(decoding: bytes, as: UTF8.self), number: names.count)
        slots[slot] = Int32(names.count)
        names.append(name)
        keys.append((hash, Array(bytes)))
        if names.count * 2 > slots.count { grow() }
        return name
    }

    private func grow() {
        slots = [Int32](repeating: -1, count: slots.count * 2)
        for (number, key) in keys.enumerated() {
            var slot = key.hash & (slots.count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(number)
        }
    }
}
