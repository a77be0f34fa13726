// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// An event's name, once for all events of one transaction that have it.
final class EventName {
    /// Which of the transaction's names it is, counted from 0: what is counted by name is counted by this.
    let number: Int
    let text: String
    /// The same in UTF-8, for as long as this lives: statements are given it where it lies.
    let bytes: UnsafeRawBufferPointer
    /// What the events mean to the index; nil for those it only keeps.
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

/// The names of one transaction's events. Half a dozen sums are kept by name; the name is looked up once for all of them, by its
/// bytes, so that no text is made of it again.
final class EventNames {
    private var names: [EventName] = []
    /// Of each of ``names``, in the same order: its hash, and its text as bytes, by which it is found again.
    private var keys: [(hash: Int, bytes: [UInt8])] = []
    /// Open addressing: a number, or -1; always a power of two of them, at least half of which are free.
    private var slots = [Int32](repeating: -1, count: 128)

    /// The name of an event.
    ///
    /// - Throws: `JSONError` for a name that cannot be read; admission has checked it.
    /// - Complexity: O(bytes). Hashes are seeded by the process, so nobody can choose names that meet.
    func name(of event: ReceivedEvent) throws(JSONError) -> EventName {
        guard let bytes = event.plainName else { return try name(event.name()) }
        return name(bytes)
    }

    /// The name with this text.
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
